//! Which selectors an omni form shows.

use std::str::FromStr;

use thiserror::Error;

use super::Selector;

/// What follows `-o`, `-k` or `-O`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Nothing: what suits the test.
    Usual,
    /// `all`.
    All,
    /// Lists of names. In the human form each is a block of its own.
    Blocks(Vec<Vec<Option<Selector>>>),
}

/// More blocks are not shown.
pub const SELECTORS_MOST_BLOCKS: usize = 4;

/// Why there is no such selection.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SelectionError {
    /// A single word that no selector has for a name: netperf takes it for a file's.
    #[error("'{0}' is no selector")]
    File(String),
}

impl Selection {
    /// The selectors of a file: a line is a block, of names or of heads. What is none of them, be
    /// it an empty line, is shown as blank.
    pub fn of_file(text: &str) -> Self {
        let blank = Selector::of("OUTPUT_NONE");
        let of = |word: &str| named(word.trim()).or(blank);
        let blocks = text.lines().map(|line| line.split(',').map(of).collect());
        Self::Blocks(blocks.take(SELECTORS_MOST_BLOCKS).collect())
    }

    /// Whether it shows a time of single operations. netperf takes these times then, but not for
    /// a selection that stands in a file.
    pub fn needs_latency(&self) -> bool {
        match self {
            Self::Usual => false,
            Self::All => true,
            Self::Blocks(blocks) => blocks
                .iter()
                .flatten()
                .flatten()
                .any(|selector| selector.is_latency()),
        }
    }

    /// Whether it shows a selector of this name.
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::Usual => false,
            Self::All => true,
            Self::Blocks(blocks) => blocks
                .iter()
                .flatten()
                .flatten()
                .any(|selector| selector.name() == name),
        }
    }
}

/// By its name or by its head.
fn named(word: &str) -> Option<Selector> {
    Selector::of(word).or_else(|| Selector::headed(word))
}

impl FromStr for Selection {
    type Err = SelectionError;

    /// `all`, or names with `,` or blanks between them and `;` between blocks.
    fn from_str(text: &str) -> Result<Self, SelectionError> {
        if text.eq_ignore_ascii_case("all") {
            return Ok(Self::All);
        }
        let words = |block: &str| -> Vec<String> {
            block
                .split([',', ' ', '\t'])
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let blocks: Vec<_> = text.split(';').map(words).collect();
        if let [words] = &blocks[..]
            && let [word] = &words[..]
            && Selector::of(word).is_none()
        {
            return Err(SelectionError::File(word.clone()));
        }
        let of = |words: Vec<String>| words.iter().map(|word| Selector::of(word)).collect();
        let blocks = blocks.into_iter().take(SELECTORS_MOST_BLOCKS);
        Ok(Self::Blocks(blocks.map(of).collect()))
    }
}
