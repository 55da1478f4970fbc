//! How a UDP stream begins: four bytes there, four bytes back.

use super::Cookie;

/// The four bytes of a client, and what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hello {
    /// What answers it.
    pub reply: [u8; 4],
    /// The test, where the client says so. Stock servers read only the first four bytes.
    pub cookie: Option<Cookie>,
}

/// Of 3.17 and later, and of earlier ones on little-endian machines.
const NEW: [u8; 4] = *b"9876";
const NEW_REPLY: [u8; 4] = *b"6789";
/// Up to 3.11: 123456789 and 987654321, in the machine's order.
const OLD: [u8; 4] = 123_456_789_u32.to_le_bytes();
const OLD_REPLY: [u8; 4] = 987_654_321_u32.to_le_bytes();

impl Hello {
    /// The longest one.
    pub const LEN: usize = 4 + Cookie::LEN;

    /// What our client sends: a stock server sees a hello of its own.
    pub fn encode(cookie: &Cookie) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..4].copy_from_slice(&NEW);
        bytes[4..].copy_from_slice(cookie.bytes());
        bytes
    }

    /// What a datagram says; none for one that is no hello.
    pub fn parse(datagram: &[u8]) -> Option<Self> {
        let (hello, rest) = datagram.split_first_chunk::<4>()?;
        let cookie = match rest.len() {
            0 => None,
            _ => Some(Cookie::of(rest.try_into().ok()?)),
        };
        let reversed = |bytes: [u8; 4]| {
            let [a, b, c, d] = bytes;
            [d, c, b, a]
        };
        let reply = match *hello {
            NEW => NEW_REPLY,
            NEW_REPLY => NEW,
            // Such clients take any reply; the one that is theirs is as good.
            OLD => OLD_REPLY,
            other if other == reversed(OLD) => reversed(OLD_REPLY),
            _ => return None,
        };
        Some(Self { reply, cookie })
    }

    /// Whether a datagram is a server's reply, of any version on any machine.
    pub fn is_reply(datagram: &[u8]) -> bool {
        let reversed = {
            let [a, b, c, d] = OLD_REPLY;
            [d, c, b, a]
        };
        datagram
            .first_chunk()
            .is_some_and(|reply| [NEW_REPLY, NEW, OLD_REPLY, reversed].contains(reply))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hellos_of_all_versions_have_a_reply_that_they_know() {
        for (hello, reply) in [
            (*b"9876", *b"6789"),
            (*b"6789", *b"9876"),
            ([0x15, 0xcd, 0x5b, 0x07], [0xb1, 0x68, 0xde, 0x3a]),
            ([0x07, 0x5b, 0xcd, 0x15], [0x3a, 0xde, 0x68, 0xb1]),
        ] {
            let parsed = Hello::parse(&hello).unwrap();
            assert_eq!((parsed.reply, parsed.cookie), (reply, None));
            assert!(Hello::is_reply(&reply), "{reply:?}");
        }
        for other in [&b"0000"[..], b"987", b"98765", b""] {
            assert_eq!(Hello::parse(other), None);
        }
        assert!(!Hello::is_reply(&[0; 4]) && !Hello::is_reply(b"678"));
    }

    #[test]
    fn ours_says_which_test_it_is() {
        let cookie = Cookie::new([7; 36]);
        let hello = Hello::encode(&cookie);
        assert_eq!(Hello::parse(&hello).unwrap().cookie, Some(cookie));
        assert_eq!(&hello[..4], b"9876");
    }
}
