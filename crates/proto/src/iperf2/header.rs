//! What a client asks for, at the front of its stream or of its datagrams.

use super::amount::Amount;
use super::extended::{Extended, Places, TCP, UDP};
use super::flags::{Flags, UpperFlags};
use super::frames;
use super::key::PermitKey;
use super::words::{put, word};

/// Who sends to whom, on which sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// The client sends.
    #[default]
    Forward,
    /// Both send at once; the server connects back (`-d`).
    Dual,
    /// Both send, one after the other; the server connects back (`-r`).
    Tradeoff,
    /// The server sends on the client's socket (`-R`).
    Reverse,
    /// Both send on the client's socket.
    FullDuplex,
}

/// A test header.
#[derive(Debug, Clone, PartialEq)]
pub struct TestHeader {
    /// Who sends.
    pub mode: Mode,
    /// The client waits for the server's ack. TCP only.
    pub wants_ack: bool,
    /// Flows of the client.
    pub threads: u32,
    /// What 2.2 clients call their flows by.
    pub transfer: Option<u16>,
    /// Where the server shall connect to, for `-d` and `-r`; not checked.
    pub port: u32,
    /// Bytes of a write or datagram; 0 when not given.
    pub size: u32,
    /// Of legacy clients: the TCP window in bytes, or the UDP rate in bit/s. 0 or garbage of
    /// others.
    pub window_or_rate: u32,
    /// How long.
    pub amount: Amount,
    /// What came later; none of legacy clients.
    pub extended: Option<Extended>,
    /// Word of admission. TCP only.
    pub key: Option<PermitKey>,
}

/// Bytes of the base header.
const BASE: usize = 24;
/// Bytes of the extended header since 2.1.
const EXTENDED: usize = 36;
/// Bytes of the block with start time and rate for pacing, in TCP.
const START: usize = 20;
/// Where the test header of a datagram begins, and in a legacy one.
const IN_DATAGRAM: usize = 16;
const IN_LEGACY_DATAGRAM: usize = 12;

impl TestHeader {
    /// Where the parts that are the same in all datagrams of a flow end.
    pub const DATAGRAM_END: usize = 160;

    /// A plain test of one flow.
    pub const fn new(port: u16, amount: Amount) -> Self {
        Self {
            mode: Mode::Forward,
            wants_ack: false,
            threads: 1,
            transfer: None,
            port: port as u32,
            size: 0,
            window_or_rate: 0,
            amount,
            extended: None,
            key: None,
        }
    }

    /// The extended part's flags; none of them without that part.
    pub fn upper(&self) -> UpperFlags {
        let upper = self.extended.as_ref().map(|extended| extended.upper);
        upper.unwrap_or_default()
    }

    /// The bytes at the front of a stream, in one piece: 2.0.5 reads them with one call.
    pub fn encode(&self) -> Vec<u8> {
        let start = self.extended.as_ref().is_some_and(Extended::has_start);
        let frames = self.upper().has(UpperFlags::BURSTS)
            || self.upper().has(UpperFlags::ISOCHRONOUS) && self.is_two_way();
        // The parts stand at fixed places, but only those that hold count.
        let length = match self.extended {
            None => BASE,
            Some(_) => BASE + EXTENDED + part(start, START) + part(frames, frames::LEN),
        };
        let mut bytes = vec![0; length];
        let mut flags = self.flags();
        if self.extended.is_some() {
            let key_length = if self.key.is_some() { 2 } else { 0 };
            flags = flags
                .and(Flags::KEY, self.key.is_some())
                .and(Flags::V2 | Flags::DETECT, self.wants_ack)
                .with_length(length + key_length);
        }
        self.write(&mut bytes, 0, flags, TCP);
        if let Some(key) = &self.key {
            key.append(&mut bytes);
        }
        bytes
    }

    /// Writes itself into a datagram, as far as there is room; datagrams of legacy clients have
    /// it elsewhere, and netdyno sends none.
    pub fn write_datagram(&self, datagram: &mut [u8]) {
        let end = datagram.len().min(Self::DATAGRAM_END);
        if let Some(room) = datagram.get_mut(IN_DATAGRAM..end) {
            room.fill(0);
        }
        let room = &mut datagram[..end];
        let flags = self
            .flags()
            .and(Flags::UDP_TESTS, self.upper_with_mode() != UpperFlags::NONE)
            | Flags::SEQ64;
        let flags = flags.with_length(self.datagram_length());
        self.write(room, IN_DATAGRAM, flags, UDP);
    }

    /// How far a datagram's test header says that it goes. The first datagram of a flow is at
    /// least as long.
    pub fn datagram_length(&self) -> usize {
        let extended = self.extended.as_ref();
        let start = extended.is_some_and(Extended::has_start);
        let frames = self.upper().has(UpperFlags::FRAME_SETTINGS);
        IN_DATAGRAM
            + BASE
            + part(extended.is_some(), EXTENDED)
            + part(start, frames::LEN)
            + part(frames, frames::LEN)
    }

    /// Bytes that a stream's header has by its first word, without key; none when there is no
    /// header.
    pub(super) fn length(flags: Flags) -> Option<usize> {
        let extended = flags.has(Flags::EXTENDED | Flags::V2);
        if !flags.has(Flags::V1) && !extended {
            return None;
        }
        let key_length = if flags.has(Flags::KEY) { 2 } else { 0 };
        Some(match flags.length() {
            Some(length) => length.saturating_sub(key_length).max(4),
            None => BASE + part(extended, EXTENDED),
        })
    }

    /// Reads the header at the front of a stream, cut to its length.
    pub(super) fn read(header: &[u8]) -> Self {
        Self::read_at(header, 0, TCP)
    }

    /// Reads the header of a datagram of 2.1 and later; none when there is none.
    pub(super) fn read_datagram(datagram: &[u8]) -> Option<Self> {
        let room = &datagram[..datagram.len().min(Self::DATAGRAM_END)];
        let flags = Flags::from_bits(word(room, IN_DATAGRAM));
        let ours = Flags::V1 | Flags::EXTENDED | Flags::SEQ64;
        (room.len() >= IN_DATAGRAM + BASE && flags.has(ours))
            .then(|| Self::read_at(room, IN_DATAGRAM, UDP))
    }

    /// Reads the base header of a legacy datagram.
    pub(super) fn read_legacy_datagram(datagram: &[u8]) -> Option<Self> {
        let end = IN_LEGACY_DATAGRAM + BASE;
        let room = datagram.get(IN_LEGACY_DATAGRAM..end)?;
        Some(Self::read_at(room, 0, TCP))
    }

    fn read_at(bytes: &[u8], at: usize, places: Places) -> Self {
        let flags = Flags::from_bits(word(bytes, at));
        let extended = flags
            .has(Flags::EXTENDED | Flags::V2)
            .then(|| Extended::read(bytes, places));
        let upper = extended.as_ref().map(|extended| extended.upper);
        let upper = upper.unwrap_or_default();
        let threads = word(bytes, at + 4);
        // Clients of 2.2 say V1 as well when they name their flows.
        let transfer = (threads >> 31 == 1).then_some((threads >> 20 & 0x7ff) as u16);
        let mode = if flags.has(Flags::V2) {
            if upper.has(UpperFlags::FULL_DUPLEX) {
                Mode::FullDuplex
            } else if upper.has(UpperFlags::REVERSE) {
                Mode::Reverse
            } else {
                Mode::Forward
            }
        } else if flags.has(Flags::V1) && transfer.is_none() {
            if flags.has(Flags::NOW) {
                Mode::Dual
            } else {
                Mode::Tradeoff
            }
        } else {
            Mode::Forward
        };
        let direction = UpperFlags::FULL_DUPLEX | UpperFlags::REVERSE;
        Self {
            mode,
            wants_ack: flags.has(Flags::DETECT),
            threads: if transfer.is_some() {
                threads & 0xf_ffff
            } else {
                threads
            },
            transfer,
            port: word(bytes, at + 8),
            size: word(bytes, at + 12),
            window_or_rate: word(bytes, at + 16),
            amount: Amount::of_word(word(bytes, at + 20)),
            extended: extended.map(|extended| Extended {
                upper: extended.upper.without(direction),
                ..extended
            }),
            key: None,
        }
    }

    fn flags(&self) -> Flags {
        let both = matches!(self.mode, Mode::Dual | Mode::Tradeoff);
        Flags::NONE
            .and(Flags::V1, both || self.transfer.is_some())
            .and(Flags::NOW, self.mode == Mode::Dual)
            .and(Flags::EXTENDED, self.extended.is_some())
            .and(Flags::V2, self.is_two_way())
    }

    /// Whether the server sends on the client's socket.
    const fn is_two_way(&self) -> bool {
        matches!(self.mode, Mode::Reverse | Mode::FullDuplex)
    }

    fn upper_with_mode(&self) -> UpperFlags {
        self.upper()
            .and(UpperFlags::REVERSE, self.mode == Mode::Reverse)
            .and(UpperFlags::FULL_DUPLEX, self.mode == Mode::FullDuplex)
    }

    fn write(&self, bytes: &mut [u8], at: usize, flags: Flags, places: Places) {
        let threads = match self.transfer {
            Some(id) => 1 << 31 | u32::from(id & 0x7ff) << 20 | self.threads & 0xf_ffff,
            None => self.threads,
        };
        let amount = self.amount.word();
        let base = [
            flags.bits(),
            threads,
            self.port,
            self.size,
            self.window_or_rate,
            amount,
        ];
        for (i, value) in base.into_iter().enumerate() {
            put(bytes, at + 4 * i, value);
        }
        if let Some(extended) = &self.extended {
            extended.write(bytes, places, self.upper_with_mode());
        }
    }
}

/// The length of a part that may be absent.
const fn part(present: bool, length: usize) -> usize {
    if present { length } else { 0 }
}

#[cfg(test)]
mod tests;
