//! The flags of test headers.

use std::ops::BitOr;

/// A set of named bits.
macro_rules! bits {
    ($(#[$about:meta])* $name:ident($word:ty) { $($(#[$doc:meta])* $flag:ident = $bit:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct $name($word);

        impl $name {
            $($(#[$doc])* pub const $flag: Self = Self($bit);)*

            /// Nothing.
            pub const NONE: Self = Self(0);

            /// These bits.
            pub const fn from_bits(bits: $word) -> Self {
                Self(bits)
            }

            /// The bits.
            pub const fn bits(self) -> $word {
                self.0
            }

            /// Whether any of `other` is set.
            pub const fn has(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            /// `other` too, if `condition` holds.
            pub const fn and(self, other: Self, condition: bool) -> Self {
                if condition { Self(self.0 | other.0) } else { self }
            }

            /// None of `other`.
            pub const fn without(self, other: Self) -> Self {
                Self(self.0 & !other.0)
            }
        }

        impl BitOr for $name {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }
    };
}

bits! {
    /// The first word of a test header.
    Flags(u32) {
        /// A legacy request for both directions, unless [`Self::V2`] is set.
        V1 = 0x8000_0000,
        /// The extended header follows.
        EXTENDED = 0x4000_0000,
        /// UDP: the upper flags hold.
        UDP_TESTS = 0x2000_0000,
        /// TCP: a permit key follows the header.
        KEY = 0x1000_0000,
        /// UDP: datagram numbers have 64 bits.
        SEQ64 = 0x0800_0000,
        /// Reverse, full duplex or peer detection.
        V2 = 0x0400_0000,
        /// TCP: the client waits for the ack.
        DETECT = 0x0200_0000,
        /// TCP: no test header but a request of a bounceback.
        BOUNCEBACK = 0x0080_0000,
        /// A length stands in the lower half.
        LENGTH = 0x0001_0000,
        /// With V1: both directions at once.
        NOW = 0x0000_0001,
    }
}

impl Flags {
    /// The length that the header says it has.
    pub const fn length(self) -> Option<usize> {
        if self.has(Self::LENGTH) {
            Some((self.0 as usize & 0x1fe) >> 1)
        } else {
            None
        }
    }

    /// With this length.
    pub const fn with_length(self, length: usize) -> Self {
        Self(self.0 | Self::LENGTH.0 | ((length as u32) << 1 & 0x1fe))
    }
}

bits! {
    /// What kind of test the extended header describes.
    UpperFlags(u16) {
        /// Frames at regular times.
        ISOCHRONOUS = 0x0001,
        /// The server checks lengths below IPv6.
        L2_IPV6 = 0x0002,
        /// The server checks lengths below IP.
        L2_LENGTH = 0x0004,
        /// No last words of a UDP test.
        NO_UDP_FIN = 0x0008,
        /// One-way delays, with synchronised clocks.
        TRIP_TIMES = 0x0010,
        /// UDP: the settings of frames are in the header.
        FRAME_SETTINGS = 0x0040,
        /// A rate for the kernel's pacing is in the header.
        FQ_RATE = 0x0200,
        /// The server sends.
        REVERSE = 0x0400,
        /// Both ends send.
        FULL_DUPLEX = 0x0800,
        /// The client starts at a given time.
        START_AT = 0x1000,
        /// TCP: bursts at regular times.
        BURSTS = 0x2000,
        /// The field for the write prefetch holds.
        WRITE_PREFETCH = 0x4000,
        /// The client acknowledges at once.
        QUICK_ACK = 0x8000,
    }
}

bits! {
    /// More of it, since 2.2.
    LowerFlags(u16) {
        /// Low latency, low loss.
        L4S = 0x2000,
        /// The field for the barrier's time holds.
        BARRIER = 0x4000,
        /// The name of a congestion control is in the header.
        CONGESTION = 0x8000,
    }
}
