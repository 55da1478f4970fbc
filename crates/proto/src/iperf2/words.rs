//! Words in network order at byte offsets of a message that may be cut short anywhere.

/// The word at `at`; bytes past the end are zero.
#[inline]
pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    if let Some(four) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        return u32::from_be_bytes(*four);
    }
    let byte = |i| u32::from(bytes.get(at + i).copied().unwrap_or(0));
    byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3)
}

/// The two bytes at `at`; bytes past the end are zero.
pub(super) fn half(bytes: &[u8], at: usize) -> u16 {
    (word(bytes, at) >> 16) as u16
}

/// A 64-bit number whose halves are words of their own.
pub(super) fn wide(bytes: &[u8], high: usize, low: usize) -> u64 {
    u64::from(word(bytes, high)) << 32 | u64::from(word(bytes, low))
}

/// Writes as much of the word as there is room for.
#[inline]
pub(super) fn put(bytes: &mut [u8], at: usize, value: u32) {
    put_bytes(bytes, at, &value.to_be_bytes());
}

/// Writes as much of the two bytes as there is room for.
pub(super) fn put_half(bytes: &mut [u8], at: usize, value: u16) {
    put_bytes(bytes, at, &value.to_be_bytes());
}

/// Writes the halves of a 64-bit number.
pub(super) fn put_wide(bytes: &mut [u8], high: usize, low: usize, value: u64) {
    put(bytes, high, (value >> 32) as u32);
    put(bytes, low, value as u32);
}

#[inline]
fn put_bytes(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(room) = bytes.get_mut(at..) {
        let length = room.len().min(value.len());
        room[..length].copy_from_slice(&value[..length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_zero_and_stays_away() {
        let mut bytes = [0; 6];
        put(&mut bytes, 0, 0x0102_0304);
        put(&mut bytes, 4, 0x0506_0708);
        put(&mut bytes, 6, 1);
        put(&mut bytes, 60, 1);
        assert_eq!(bytes, [1, 2, 3, 4, 5, 6]);
        assert_eq!(word(&bytes, 1), 0x0203_0405);
        assert_eq!(word(&bytes, 4), 0x0506_0000);
        assert_eq!(word(&bytes, 6), 0);
        assert_eq!(half(&bytes, 5), 0x0600);
        put_wide(&mut bytes, 4, 0, 0x0a0b_0c0d_0e0f_1011);
        assert_eq!(wide(&bytes, 4, 0), 0x0a0b_0000_0e0f_1011);
    }
}
