//! Sentences in lines.

/// `text` in lines that end before column `width`: the first begins at column `at`, the others
/// are indented by `indent`. A word that is longer than a line stays whole: it may be a path or a
/// command that someone copies.
pub(crate) fn wrap(text: &str, at: usize, indent: usize, width: usize) -> String {
    let mut lines = String::new();
    let mut column = at;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !lines.is_empty() && column + 1 + length > width {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if !lines.is_empty() {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines
}

/// A command line that a shell takes as it was given: quoted where that is needed, control
/// characters as the escapes of `$'...'`.
pub(crate) fn command_line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=+:,./@%^[]".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if !word.contains(char::is_control) {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let mut text = "$'".to_owned();
    for c in word.chars() {
        match c {
            '\n' => text.push_str("\\n"),
            '\\' | '\'' => text.extend(['\\', c]),
            c if c.is_control() => text.push_str(&format!("\\u{:04x}", c as u32)),
            c => text.push(c),
        }
    }
    text + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stood between quotes could not be pasted again, and an ESC byte went to the terminal.
    #[test]
    fn a_command_line_can_be_pasted() {
        for (word, shown) in [
            ("-u", "-u"),
            ("stream:flows=4", "stream:flows=4"),
            ("", "''"),
            ("qdisc=htb default 3", "'qdisc=htb default 3'"),
            ("it's", "'it'\\''s'"),
            ("a\nb\u{1b}[31m'", "$'a\\nb\\u001b[31m\\''"),
        ] {
            assert_eq!(command_line(&[word.to_owned()]), shown);
        }
    }

    #[test]
    fn lines_are_filled_and_indented() {
        let text = "one two three four five six";
        assert_eq!(wrap(text, 0, 2, 13), "one two three\n  four five\n  six");
        assert_eq!(wrap(text, 6, 2, 13), "one two\n  three four\n  five six");
        assert_eq!(wrap(text, 0, 0, 100), text);
    }

    #[test]
    fn a_long_word_stays_whole() {
        assert_eq!(
            wrap("a /very/long/path b", 0, 1, 5),
            "a\n /very/long/path\n b"
        );
    }
}
