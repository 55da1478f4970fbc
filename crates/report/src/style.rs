//! What the reader's screen can show.

/// How text is to look. No environment is read here: the caller knows about NO_COLOR, terminals
/// and their width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Colours by ANSI escape sequences (ECMA-48 SGR).
    pub colour: bool,
    /// Columns that sentences are wrapped to, and that tables fit in.
    pub width: usize,
}

/// What a piece of text is, for colouring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// The figures that matter most.
    Headline,
    /// Heads of tables.
    Head,
    /// What weakens a figure.
    Doubt,
    /// What went wrong.
    Failure,
}

impl Style {
    /// No colour, 100 columns: for files, mails and pipes.
    pub const PLAIN: Self = Self {
        colour: false,
        width: 100,
    };

    pub(crate) fn paint(self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Headline => "1",
            Paint::Head => "2",
            Paint::Doubt => "33",
            Paint::Failure => "1;31",
        };
        match self.colour && !text.is_empty() {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }

    /// Columns for sentences: no narrower than a word needs, no wider than a mail likes.
    pub(crate) fn prose_width(self) -> usize {
        self.width.clamp(40, 100)
    }
}
