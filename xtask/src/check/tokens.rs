//! Rust source as tokens: as much of the lexer as the rules need. Comments are left out, and so
//! are items under `#[cfg(test)]` where asked.

/// A piece of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// Counted from 1.
    pub line: usize,
    /// What it is.
    pub kind: Kind,
    /// As written.
    pub text: &'a str,
}

/// Kinds of token that the rules tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Name or keyword.
    Word,
    /// String, byte or character literal with its quotes; a number.
    Literal,
    /// `::`, or one character of punctuation; a lifetime.
    Mark,
}

impl Token<'_> {
    /// Whether it is this word.
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    /// Whether it is this mark.
    pub fn is_mark(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }
}

/// All tokens.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let (length, kind) = if first.is_whitespace() {
            (first.len_utf8(), None)
        } else if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if rest.starts_with("/*") {
            (block_comment(rest), None)
        } else if let Some(length) = literal(rest) {
            (length, Some(Kind::Literal))
        } else if is_word(first) {
            (run_of(rest, is_word), Some(Kind::Word))
        } else if first == '\'' {
            (1 + run_of(&rest[1..], is_word), Some(Kind::Mark))
        } else if rest.starts_with("::") {
            (2, Some(Kind::Mark))
        } else {
            (first.len_utf8(), Some(Kind::Mark))
        };
        let (text, after) = rest.split_at(length);
        if let Some(kind) = kind {
            tokens.push(Token { line, kind, text });
        }
        line += text.matches('\n').count();
        rest = after;
    }
    tokens
}

/// The tokens without items under `#[cfg(test)]`.
pub fn without_tests<'a>(all: &[Token<'a>]) -> Vec<Token<'a>> {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::with_capacity(all.len());
    let mut at = 0;
    while at < all.len() {
        let is_test = all[at..].len() >= ATTRIBUTE.len()
            && all[at..]
                .iter()
                .zip(ATTRIBUTE)
                .all(|(token, text)| token.text == text);
        if is_test {
            at = end_of_item(all, at + ATTRIBUTE.len());
        } else {
            kept.push(all[at]);
            at += 1;
        }
    }
    kept
}

/// The index after the item that starts at `at`: past its `;`, or past its block.
fn end_of_item(all: &[Token<'_>], mut at: usize) -> usize {
    let mut depth = 0usize;
    while let Some(token) = all.get(at) {
        at += 1;
        if token.kind != Kind::Mark {
            continue;
        }
        match token.text {
            "{" | "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "}" if depth <= 1 => return at,
            "}" => depth -= 1,
            ";" if depth == 0 => return at,
            _ => {}
        }
    }
    at
}

/// The length of a literal at the start, if there is one.
fn literal(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        rest.strip_prefix(prefix).is_some_and(|after| {
            let hashes = run_of(after, |c| c == '#');
            let raw = prefix.ends_with('r');
            after[hashes..].starts_with('"') && (raw || hashes == 0)
                || after.starts_with('\'') && matches!(*prefix, "b" | "")
        })
    });
    let Some(prefix) = prefix else {
        return rest
            .starts_with(|c: char| c.is_ascii_digit())
            .then(|| run_of(rest, is_word));
    };
    let after = &rest[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = run_of(after, |c| c == '#');
        let close = format!("\"{}", &after[..hashes]);
        let body = prefix.len() + hashes + 1;
        return Some(
            rest[body..]
                .find(&close)
                .map_or(rest.len(), |end| body + end + close.len()),
        );
    }
    let quote = after.chars().next()?;
    if quote == '\'' && prefix.is_empty() && is_lifetime(after) {
        return None;
    }
    let mut escaped = false;
    for (at, c) in after.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(prefix.len() + at + c.len_utf8()),
            _ => {}
        }
    }
    Some(rest.len())
}

/// `'a` is a lifetime unless a quote follows its first character.
fn is_lifetime(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    let first = chars.next();
    first.is_some_and(is_word) && chars.next() != Some('\'')
}

/// Block comments nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn run_of(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_are_left_out_and_lines_counted() {
        let source = "a // std::fs\n/* b /* c */ d\n */ e\n";
        let all = tokens(source);
        assert_eq!(words(source), ["a", "e"]);
        assert_eq!(all[1].line, 3);
    }

    #[test]
    fn literals_hold_their_text() {
        assert_eq!(
            words(r#"x = "a \" // b" ;"#),
            ["x", "=", r#""a \" // b""#, ";"]
        );
        assert_eq!(words("r#\"a \" b\"# c"), ["r#\"a \" b\"#", "c"]);
        assert_eq!(
            words(r"b'\'' '\\' '{' 'a'"),
            [r"b'\''", r"'\\'", "'{'", "'a'"]
        );
        assert_eq!(words("&'a str 1.5"), ["&", "'a", "str", "1", ".", "5"]);
        assert_eq!(
            words("r#type b\"x\" 0..9"),
            ["r", "#", "type", "b\"x\"", "0", ".", ".", "9"]
        );
        assert_eq!(words("'é' \"é\" é"), ["'é'", "\"é\"", "é"]);
    }

    #[test]
    fn unfinished_literals_end_with_the_source() {
        for source in ["\"abc", "r#\"abc\"", "'", "/* a", "b'", "'\\"] {
            let _ = tokens(source);
        }
    }

    #[test]
    fn test_items_are_left_out() {
        let source = "a; #[cfg(test)] mod tests { fn f() { x } } b; #[cfg(test)] mod t; c; \
            #[cfg(test)] fn g(y: [u8; 2]) -> u8 { 1 } d";
        let kept = without_tests(&tokens(source));
        let kept: Vec<_> = kept.iter().map(|token| token.text).collect();
        assert_eq!(kept, ["a", ";", "b", ";", "c", ";", "d"]);
    }
}
