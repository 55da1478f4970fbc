//! How values stand in the words of a message. A [`layout!`] names its fields with the word at
//! which each begins, counted from 0 for the type.

mod figure;
mod place;
mod text;
mod wish;

#[cfg(test)]
mod tests;

use super::{Flags, Frame, Length, Mark};

pub(super) use figure::{DoubleBytes, Known, KnownBytes, LongBytes, Real, WrappingBytes};
pub(super) use place::{FamilyNumber, FourWords, Port};
pub(super) use text::Text;
pub(super) use wish::{Alignment, Offset, Size, Wish, WishedBytes};

/// One way to write a value.
pub(super) trait Codec {
    type Value;
    /// The value from word `at` on, or what is wrong with it and what would be right.
    fn read(&self, frame: &Frame, at: usize) -> Result<Self::Value, String>;
    fn write(&self, frame: &mut Frame, at: usize, value: &Self::Value);
}

/// A type with one field per line: its word, its name, its type, and its codec after `=`.
macro_rules! layout {
    ($(#[$about:meta])* $name:ident {
        $($(#[$doc:meta])* $at:literal $field:ident: $type:ty = $codec:expr,)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $name {
            /// What the message says, read in this layout.
            pub fn read(frame: &$crate::netperf::Frame) -> Result<Self, $crate::netperf::FieldError> {
                Ok(Self {
                    $($field: $crate::netperf::codec::Codec::read(&$codec, frame, $at).map_err(
                        |wrong| $crate::netperf::FieldError {
                            field: stringify!($field),
                            word: $at,
                            wrong,
                        },
                    )?,)*
                })
            }

            /// Fills the words of this layout; type, second word and all others stay.
            pub fn write(&self, frame: &mut $crate::netperf::Frame) {
                $($crate::netperf::codec::Codec::write(&$codec, frame, $at, &self.$field);)*
            }
        }
    };
}
pub(super) use layout;

/// Any number.
pub(super) struct Word;

impl Codec for Word {
    type Value = u32;
    fn read(&self, frame: &Frame, at: usize) -> Result<u32, String> {
        Ok(frame.word(at))
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &u32) {
        frame.set_word(at, *value);
    }
}

/// Yes or no.
pub(super) struct YesNo;

impl Codec for YesNo {
    type Value = bool;
    fn read(&self, frame: &Frame, at: usize) -> Result<bool, String> {
        Ok(frame.word(at) != 0)
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &bool) {
        frame.set_word(at, u32::from(*value));
    }
}

/// A value with its own word.
macro_rules! own_word {
    ($codec:ident, $value:ty, $about:literal, $read:expr, $write:expr) => {
        #[doc = $about]
        pub(super) struct $codec;

        impl Codec for $codec {
            type Value = $value;
            fn read(&self, frame: &Frame, at: usize) -> Result<$value, String> {
                Ok($read(frame.word(at)))
            }
            fn write(&self, frame: &mut Frame, at: usize, value: &$value) {
                frame.set_word(at, $write(*value));
            }
        }
    };
}

own_word!(
    FlagBits,
    Flags,
    "Flags of an omni test.",
    Flags::from_bits,
    Flags::bits
);
own_word!(
    LengthWord,
    Length,
    "How long a test is.",
    Length::of_word,
    Length::word
);
own_word!(
    MarkWord,
    Mark,
    "What became of a mark.",
    Mark::of_word,
    Mark::word
);
