//! What a request asks for. It is checked.

use units::Bytes;

use super::Codec;
use crate::netperf::Frame;

/// The longest message, request or response that a test may have: as long as netperf knows numbers.
/// Neither end holds more than a piece of it in memory.
const LONGEST: Bytes = Bytes::new(i32::MAX as u64);
/// The largest alignment or offset: 64 MiB, beside which a buffer begins in memory.
const FARTHEST: Bytes = Bytes::new(64 << 20);

/// A wish; -1 is none.
pub(in crate::netperf) struct Wish;

impl Codec for Wish {
    type Value = Option<u32>;
    fn read(&self, frame: &Frame, at: usize) -> Result<Option<u32>, String> {
        match frame.word(at) {
            NONE => Ok(None),
            number if number <= i32::MAX as u32 => Ok(Some(number)),
            number => Err(format!(
                "{}: -1 (default) and numbers from 0 are accepted",
                number as i32
            )),
        }
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Option<u32>) {
        frame.set_word(at, value.map_or(NONE, |number| number.min(i32::MAX as u32)));
    }
}

/// A wish for the size of a socket buffer; the kernel has its own limit.
pub(in crate::netperf) struct WishedBytes;

impl Codec for WishedBytes {
    type Value = Option<Bytes>;
    fn read(&self, frame: &Frame, at: usize) -> Result<Option<Bytes>, String> {
        Ok(Wish.read(frame, at)?.map(bytes))
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Option<Bytes>) {
        Wish.write(frame, at, &value.map(word));
    }
}

/// The size of a message; -1 and 0 are the default, and a layout sends the one that it names. A
/// real netserver dies of a 0 in an omni request.
pub(in crate::netperf) struct Size {
    pub(in crate::netperf) default: u32,
}

impl Size {
    pub(in crate::netperf) const OMNI: Self = Self { default: NONE };
    pub(in crate::netperf) const CLASSIC: Self = Self { default: 0 };
}

impl Codec for Size {
    type Value = Option<Bytes>;
    fn read(&self, frame: &Frame, at: usize) -> Result<Option<Bytes>, String> {
        match frame.word(at) {
            0 | NONE => Ok(None),
            size => at_most(LONGEST, size).map(Some),
        }
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Option<Bytes>) {
        let size = value.filter(|size| !size.is_empty());
        frame.set_word(at, size.map_or(self.default, word));
    }
}

/// An alignment, at least 1; netperf sends -1 where it knows none.
pub(in crate::netperf) struct Alignment;

impl Codec for Alignment {
    type Value = Bytes;
    fn read(&self, frame: &Frame, at: usize) -> Result<Bytes, String> {
        match frame.word(at) {
            0 | NONE => Ok(Bytes::new(1)),
            alignment => at_most(FARTHEST, alignment),
        }
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Bytes) {
        frame.set_word(at, word(*value).max(1));
    }
}

/// Where in its buffer a message begins.
pub(in crate::netperf) struct Offset;

impl Codec for Offset {
    type Value = Bytes;
    fn read(&self, frame: &Frame, at: usize) -> Result<Bytes, String> {
        at_most(FARTHEST, frame.word(at))
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Bytes) {
        frame.set_word(at, word(*value));
    }
}

/// Not set.
const NONE: u32 = u32::MAX;

fn bytes(word: u32) -> Bytes {
    Bytes::new(u64::from(word))
}

/// The size as a word; what does not fit is the most that does.
fn word(size: Bytes) -> u32 {
    u32::try_from(size.get()).map_or(i32::MAX as u32, |size| size.min(i32::MAX as u32))
}

fn at_most(most: Bytes, size: u32) -> Result<Bytes, String> {
    if bytes(size) <= most {
        return Ok(bytes(size));
    }
    let most = most.get();
    Err(format!("{size} bytes: up to {most} bytes are accepted"))
}
