//! Texts, which are the only words that are not swapped.

use super::Codec;
use crate::netperf::Frame;

/// A text of at most so many bytes with the NUL that ends it, as raw bytes. Only printable ASCII
/// is kept; `?` stands for the rest.
pub(in crate::netperf) struct Text {
    pub(in crate::netperf) room: usize,
}

impl Codec for Text {
    type Value = String;
    fn read(&self, frame: &Frame, at: usize) -> Result<String, String> {
        let raw = &frame.raw(at, self.room)[..self.room - 1];
        let text = raw.iter().take_while(|byte| **byte != 0);
        Ok(text.map(|byte| printable(*byte)).collect())
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &String) {
        let room = frame.raw_mut(at, self.room);
        room.fill(0);
        for (byte, char) in room[..self.room - 1].iter_mut().zip(value.chars()) {
            *byte = u8::try_from(char).map_or(b'?', |byte| printable(byte) as u8);
        }
    }
}

const fn printable(byte: u8) -> char {
    match byte {
        b' '..=b'~' => byte as char,
        _ => '?',
    }
}
