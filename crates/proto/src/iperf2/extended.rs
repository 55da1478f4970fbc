//! The part of a test header that came with 2.0.10 and grew since.

use super::flags::{LowerFlags, UpperFlags};
use super::frames::FrameSettings;
use super::stamp::Stamp;
use super::version::Version;
use super::words::{half, put, put_half, put_wide, wide, word};

/// What an extended header says beyond the base.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extended {
    /// The kind of test, except for its direction.
    pub upper: UpperFlags,
    /// More of it; 2.2 only.
    pub lower: LowerFlags,
    /// The sender's version.
    pub version: Version,
    /// Type of service that the server's socket shall have.
    pub tos: u8,
    /// The rate of `-b`, bit/s, or datagrams a second; none when not given or not to be trusted.
    pub rate: Option<u64>,
    /// Bytes for the server's write prefetch; holds with its flag.
    pub prefetch: u32,
    /// When the sender wrote this, or will begin; holds with trip times or a start time.
    pub start: Stamp,
    /// Rate for the kernel's pacing, bytes a second; holds with its flag.
    pub fq_rate: u64,
    /// Frames or bursts.
    pub frames: FrameSettings,
    /// Name of a congestion control; 2.2 only.
    pub congestion: Option<String>,
}

/// Where the parts of an extended header stand: not the same in TCP and UDP.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    /// The extended header itself.
    pub extended: usize,
    /// Start time and rate for pacing.
    pub start: usize,
    /// Settings of frames.
    pub frames: usize,
    /// A name's length and the name.
    pub congestion: Option<usize>,
}

/// In a TCP stream.
pub(super) const TCP: Places = Places {
    extended: 24,
    start: 64,
    frames: 80,
    congestion: Some(112),
};

/// In a datagram.
pub(super) const UDP: Places = Places {
    extended: 40,
    start: 112,
    frames: 128,
    congestion: None,
};

impl Extended {
    /// What type and length say in the middle generation, which left the fields of the rate
    /// uninitialised.
    const MIDDLE: (u32, u32) = (1, 28);

    pub(super) fn read(bytes: &[u8], places: Places) -> Self {
        let at = places.extended;
        let version = Version::read(bytes, at + 12);
        let is_middle = (word(bytes, at), word(bytes, at + 4)) == Self::MIDDLE;
        let lower = LowerFlags::from_bits(half(bytes, at + 10));
        let rate =
            u64::from(word(bytes, at + 28)) << 24 & !0xffff_ffff | u64::from(word(bytes, at + 24));
        let name = places
            .congestion
            .filter(|_| lower.has(LowerFlags::CONGESTION))
            .and_then(|at| bytes.get(at + 2..at + 2 + usize::from(half(bytes, at))));
        Self {
            // In a middle header this is one word of other flags.
            upper: if is_middle {
                UpperFlags::NONE
            } else {
                UpperFlags::from_bits(half(bytes, at + 8))
            },
            lower: if is_middle { LowerFlags::NONE } else { lower },
            version,
            tos: half(bytes, at + 22) as u8,
            rate: Some(rate).filter(|rate| *rate > 0 && !is_middle),
            prefetch: word(bytes, at + 32),
            start: Stamp::read(bytes, places.start),
            fq_rate: wide(bytes, places.start + 12, places.start + 8),
            frames: FrameSettings::read(bytes, places.frames),
            congestion: name
                .map(|name| {
                    String::from_utf8_lossy(name)
                        .trim_end_matches('\0')
                        .to_owned()
                })
                .filter(|name| !name.is_empty()),
        }
    }

    /// Writes all parts, `upper` with the bits of the direction.
    pub(super) fn write(&self, bytes: &mut [u8], places: Places, upper: UpperFlags) {
        let at = places.extended;
        put_half(bytes, at + 8, upper.bits());
        put_half(bytes, at + 10, self.lower.bits());
        self.version.write(bytes, at + 12);
        put_half(bytes, at + 22, self.tos.into());
        let rate = self.rate.unwrap_or(0);
        put(bytes, at + 24, rate as u32);
        put(bytes, at + 28, (rate >> 24) as u32 & !0xff);
        put(bytes, at + 32, self.prefetch);
        self.start.write(bytes, places.start);
        put_wide(bytes, places.start + 12, places.start + 8, self.fq_rate);
        self.frames.write(bytes, places.frames);
    }

    /// Whether the sender times its data on a clock that is the receiver's too.
    pub const fn has_trip_times(&self) -> bool {
        self.upper.has(UpperFlags::TRIP_TIMES)
    }

    /// Whether start time or rate for pacing are part of the header.
    pub(super) fn has_start(&self) -> bool {
        let any = UpperFlags::TRIP_TIMES
            | UpperFlags::FQ_RATE
            | UpperFlags::ISOCHRONOUS
            | UpperFlags::START_AT;
        self.upper.has(any)
    }
}
