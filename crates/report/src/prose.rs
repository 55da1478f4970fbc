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

#[cfg(test)]
mod tests {
    use super::*;

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
