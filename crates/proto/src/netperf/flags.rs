//! What an omni test switches on, one bit each.

use std::ops::BitOr;

/// The flags of an omni request, or of its response, in which only [`Self::NODELAY`] and
/// [`Self::MEASURE_CPU`] mean anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(u32);

impl Flags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// TCP_NODELAY.
    pub const NODELAY: Self = Self(0x1);
    /// A connection for every transaction.
    pub const RECONNECTS: Self = Self(0x4);
    /// The server measures its CPUs.
    pub const MEASURE_CPU: Self = Self(0x8);
    /// No SO_DONTROUTE. Wanting to know the server's congestion control sets the same bit.
    pub const ROUTING: Self = Self(0x20);
    /// TCP_FASTOPEN.
    pub const FASTOPEN: Self = Self(0x800);
    /// UDP answers leave from the address that the first datagram came to.
    pub const PKTINFO: Self = Self(0x2000);
    /// The server connects its UDP socket. netperf 2.7.0 never sends it.
    pub const CONNECTED: Self = Self(0x4000);
    /// TCP_DEFER_ACCEPT.
    pub const DEFER_ACCEPT: Self = Self(0x8000);
    /// IP_MTU_DISCOVER. netperf 2.7.0 never sends it.
    pub const MTU_DISCOVER: Self = Self(0x1_0000);
    /// SO_KEEPALIVE on the data socket.
    pub const KEEPALIVE: Self = Self(0x8000_0000);

    /// The flags in a word; those that mean nothing here are kept.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The word.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether all of `flags` are set.
    pub const fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// `self` if so, else no flag.
    pub const fn when(self, so: bool) -> Self {
        if so { self } else { Self::NONE }
    }
}

impl BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_flags_are_all_or_not() {
        let flags = Flags::NODELAY | Flags::ROUTING;
        assert_eq!(flags.bits(), 0x21);
        assert!(flags.contains(Flags::NODELAY));
        assert!(flags.contains(Flags::NONE));
        assert!(!flags.contains(Flags::NODELAY | Flags::KEEPALIVE));
    }

    #[test]
    fn a_condition_keeps_a_flag_or_drops_it() {
        assert_eq!(Flags::KEEPALIVE.when(true), Flags::KEEPALIVE);
        assert_eq!(Flags::KEEPALIVE.when(false), Flags::NONE);
    }
}
