//! Memory that begins where it should.

use std::ops::{Deref, DerefMut};

/// Bytes from a multiple of an alignment on, or a given distance behind one.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    memory: Vec<u8>,
    start: usize,
}

/// Where a buffer begins: so many bytes behind a multiple of the alignment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Placement {
    /// A power of two; what is none counts as the next one.
    pub alignment: u16,
    /// Bytes.
    pub offset: u16,
}

impl Buffer {
    /// These bytes at this place.
    pub fn placed(bytes: &[u8], place: Placement) -> Self {
        let alignment = usize::from(place.alignment).max(1).next_power_of_two();
        let offset = usize::from(place.offset);
        if alignment == 1 && offset == 0 {
            return bytes.to_vec().into();
        }
        let mut memory = vec![0; bytes.len() + alignment + offset];
        let start = memory.as_ptr().align_offset(alignment).min(alignment) + offset;
        memory[start..start + bytes.len()].copy_from_slice(bytes);
        memory.truncate(start + bytes.len());
        Self { memory, start }
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(memory: Vec<u8>) -> Self {
        Self { memory, start: 0 }
    }
}

impl Deref for Buffer {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.memory[self.start..]
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_begins_where_it_was_asked_to() {
        for (alignment, offset) in [(1, 0), (8, 0), (4096, 0), (4096, 3), (0, 5), (24, 1)] {
            let place = Placement { alignment, offset };
            let buffer = Buffer::placed(&[7; 100], place);
            let at = buffer.as_ptr().addr() - usize::from(offset);
            let multiple = usize::from(alignment).max(1).next_power_of_two();
            assert_eq!((at % multiple, buffer.len()), (0, 100), "{place:?}");
            assert!(buffer.iter().all(|byte| *byte == 7));
        }
    }
}
