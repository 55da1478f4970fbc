//! A request of a bounceback, which the server sends back.

use super::stamp::Stamp;
use super::words::{half, put, put_half, word};

/// The front of a request and of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BounceMessage {
    /// Bytes of the request.
    pub size: u32,
    /// Its burst, from 1.
    pub id: u32,
    /// What holds, and what is wished.
    pub flags: BounceFlags,
    /// Type of service; holds with its flag.
    pub tos: u16,
    /// When the client sent it. 2.1.8 writes the time of the answer before.
    pub client_sent: Stamp,
    /// When the server had all of it; all ones in a request.
    pub server_received: Stamp,
    /// When the server answered; all ones in a request.
    pub server_sent: Stamp,
    /// How long the server shall wait before it answers, us.
    pub hold_us: u32,
    /// Bytes of the answer; holds with its flag, since 2.2.
    pub reply_size: u32,
}

/// Bits of a bounceback's message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BounceFlags(u16);

impl BounceFlags {
    /// Acknowledge at once.
    pub const QUICK_ACK: u16 = 0x8000;
    /// Clocks are synchronised.
    pub const CLOCKS_SYNCED: u16 = 0x4000;
    /// The type of service holds.
    pub const TOS: u16 = 0x2000;
    /// The last one.
    pub const STOP: u16 = 0x1000;
    /// The size of the answer holds.
    pub const REPLY_SIZE: u16 = 0x0800;

    /// These bits.
    pub const fn new(bits: u16) -> Self {
        Self(bits)
    }

    /// Whether `bit` is set.
    pub const fn has(self, bit: u16) -> bool {
        self.0 & bit != 0
    }
}

impl BounceMessage {
    /// Least bytes of a request for servers of 2.1.
    pub const LEAST: usize = 64;
    /// Least bytes of a request for servers of 2.2.
    pub const LEAST_2_2: usize = 68;
    /// The longest answer worth giving: what a client may ask to be sent.
    pub const MOST: usize = 16 << 20;
    /// What stands where nothing was written.
    const NOTHING: Stamp = Stamp {
        seconds: u32::MAX,
        micros: u32::MAX,
    };
    const FLAG: u32 = 0x0080_0000;

    /// A request.
    pub const fn request(size: u32, id: u32, flags: BounceFlags, client_sent: Stamp) -> Self {
        Self {
            size,
            id,
            flags,
            tos: 0,
            client_sent,
            server_received: Self::NOTHING,
            server_sent: Self::NOTHING,
            hold_us: 0,
            reply_size: 0,
        }
    }

    /// The server's times, if it wrote them.
    pub fn server_times(&self) -> Option<(Stamp, Stamp)> {
        let wrote = self.server_received != Self::NOTHING && self.server_sent != Self::NOTHING;
        wrote.then_some((self.server_received, self.server_sent))
    }

    /// Bytes of the answer.
    pub fn reply_len(&self) -> usize {
        let length = if self.flags.has(BounceFlags::REPLY_SIZE) && self.reply_size > 0 {
            self.reply_size
        } else {
            self.size
        };
        (length as usize).clamp(Self::LEAST, Self::MOST)
    }

    /// Writes it to the front of `message`; what belongs to others is left alone.
    pub fn write(&self, message: &mut [u8]) {
        put(message, 0, Self::FLAG);
        put(message, 4, self.size);
        put(message, 8, self.id);
        put_half(message, 12, self.flags.0);
        put_half(message, 14, self.tos);
        put(message, 16, 0);
        self.client_sent.write(message, 20);
        self.server_received.write(message, 28);
        self.server_sent.write(message, 36);
        put(message, 44, self.hold_us);
        if self.flags.has(BounceFlags::REPLY_SIZE) {
            put(message, 60, self.reply_size);
        }
    }

    /// Reads the front of a message of a stream that began with the flag of a bounceback.
    pub fn read(message: &[u8]) -> Self {
        Self {
            size: word(message, 4),
            id: word(message, 8),
            flags: BounceFlags(half(message, 12)),
            tos: half(message, 14),
            client_sent: Stamp::read(message, 20),
            server_received: Stamp::read(message, 28),
            server_sent: Stamp::read(message, 36),
            hold_us: word(message, 44),
            reply_size: word(message, 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    /// The first request of `iperf -c … --bounceback` of 2.1.8.
    const REQUEST: &str = "00800000 00000064 00000001 80005a5a 00000000 6b0dd923 00058227 ffffffff
        ffffffff ffffffff ffffffff 00000000 5a5a5a5a 5a5a5a5a 5a5a5a5a 30313233
        34353637 38393031 32333435 36373839 30313233 34353637 38393031 32333435 36373839";

    #[test]
    fn first_request_of_2_1_8() {
        let bytes = fixture::bytes(REQUEST);
        let message = BounceMessage::read(&bytes);
        assert_eq!((message.size, message.id), (100, 1));
        assert!(message.flags.has(BounceFlags::QUICK_ACK));
        assert!(!message.flags.has(BounceFlags::TOS));
        assert_eq!(message.server_times(), None);
        assert_eq!(message.reply_len(), 100, "the digits are no size");
        let mut again = bytes.clone();
        again[..48].fill(0xaa);
        message.write(&mut again);
        assert_eq!(again, bytes);
    }

    #[test]
    fn an_answer_has_times_and_the_wished_size() {
        let sent = Stamp::from_micros(1_000_000);
        let mut message =
            BounceMessage::request(68, 2, BounceFlags::new(BounceFlags::REPLY_SIZE), sent);
        message.reply_size = 1000;
        message.server_received = Stamp::from_micros(1_000_100);
        message.server_sent = Stamp::from_micros(1_000_200);
        let mut bytes = vec![0; 68];
        message.write(&mut bytes);
        let read = BounceMessage::read(&bytes);
        assert_eq!(read, message);
        assert_eq!(read.reply_len(), 1000);
        assert!(read.server_times().is_some());
        message.reply_size = u32::MAX;
        assert_eq!(message.reply_len(), BounceMessage::MOST);
        message.reply_size = 1;
        assert_eq!(message.reply_len(), BounceMessage::LEAST);
    }
}
