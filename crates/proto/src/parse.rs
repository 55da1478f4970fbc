//! The answer of a parser to bytes that may not all be there yet.

/// What the bytes so far amount to. Wrong bytes are the parser's error, never one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parse<T> {
    /// Right so far; more must come.
    Incomplete,
    /// All there.
    Complete(T),
}
