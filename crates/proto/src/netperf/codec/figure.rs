//! What an answer tells. It is taken as it comes: servers leave stale words in fields that they
//! do not fill.

use units::Bytes;

use super::{Codec, Wish, WishedBytes};
use crate::netperf::Frame;

/// A number that an answer gives; a negative one is none.
pub(in crate::netperf) struct Known;

impl Codec for Known {
    type Value = Option<u32>;
    fn read(&self, frame: &Frame, at: usize) -> Result<Option<u32>, String> {
        Ok(Some(frame.word(at)).filter(|number| *number <= i32::MAX as u32))
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Option<u32>) {
        Wish.write(frame, at, value);
    }
}

/// A size that an answer gives; a negative one is none.
pub(in crate::netperf) struct KnownBytes;

impl Codec for KnownBytes {
    type Value = Option<Bytes>;
    fn read(&self, frame: &Frame, at: usize) -> Result<Option<Bytes>, String> {
        Ok(Known
            .read(frame, at)?
            .map(|size| Bytes::new(u64::from(size))))
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Option<Bytes>) {
        WishedBytes.write(frame, at, value);
    }
}

/// A single-precision number. What is no number counts as 0: netserver leaves stale words where
/// it measured nothing.
pub(in crate::netperf) struct Real;

impl Codec for Real {
    type Value = f32;
    fn read(&self, frame: &Frame, at: usize) -> Result<f32, String> {
        let number = f32::from_bits(frame.word(at));
        Ok(if number.is_finite() { number } else { 0.0 })
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &f32) {
        frame.set_word(at, value.to_bits());
    }
}

/// A count of bytes as a double-precision number, in two words.
pub(in crate::netperf) struct DoubleBytes;

impl Codec for DoubleBytes {
    type Value = Bytes;
    fn read(&self, frame: &Frame, at: usize) -> Result<Bytes, String> {
        // The cast saturates, and takes what is no number as 0.
        Ok(Bytes::new(f64::from_bits(two_words(frame, at)) as u64))
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Bytes) {
        set_two_words(frame, at, (value.get() as f64).to_bits());
    }
}

/// A count of bytes in two words, the high one first.
pub(in crate::netperf) struct LongBytes;

impl Codec for LongBytes {
    type Value = Bytes;
    fn read(&self, frame: &Frame, at: usize) -> Result<Bytes, String> {
        Ok(Bytes::new(two_words(frame, at)))
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Bytes) {
        set_two_words(frame, at, value.get());
    }
}

/// A count of bytes that starts again at 0 after 4 GiB.
pub(in crate::netperf) struct WrappingBytes;

impl Codec for WrappingBytes {
    type Value = Bytes;
    fn read(&self, frame: &Frame, at: usize) -> Result<Bytes, String> {
        Ok(Bytes::new(u64::from(frame.word(at))))
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Bytes) {
        frame.set_word(at, value.get() as u32);
    }
}

fn two_words(frame: &Frame, at: usize) -> u64 {
    u64::from(frame.word(at)) << 32 | u64::from(frame.word(at + 1))
}

fn set_two_words(frame: &mut Frame, at: usize, value: u64) {
    frame.set_word(at, (value >> 32) as u32);
    frame.set_word(at + 1, value as u32);
}
