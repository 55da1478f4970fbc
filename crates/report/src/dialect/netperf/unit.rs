//! Units of throughput: the letters of `-f`.

/// What throughput is shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// `G`: 2^30 bytes.
    GBytes,
    /// `M`: 2^20 bytes.
    MBytes,
    /// `K`, and any letter without a meaning: 2^10 bytes.
    KBytes,
    /// `g`: 10^9 bits.
    GBits,
    /// `m`: 10^6 bits, what streams are shown in when nothing is asked.
    MBits,
    /// `k`: 10^3 bits.
    KBits,
    /// `b`: bytes under the name of bits, as netperf has it.
    Bits,
    /// `B`: bytes.
    Bytes,
    /// `x`: transactions, what transactions are shown in when nothing is asked.
    Trans,
    /// `u`: microseconds for each byte.
    Usec,
}

impl Unit {
    /// The unit of a letter of `-f`.
    pub const fn of(letter: char) -> Self {
        match letter {
            'G' => Self::GBytes,
            'M' => Self::MBytes,
            'g' => Self::GBits,
            'm' => Self::MBits,
            'k' => Self::KBits,
            'b' => Self::Bits,
            'B' => Self::Bytes,
            'x' => Self::Trans,
            'u' => Self::Usec,
            _ => Self::KBytes,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GBytes => "GBytes",
            Self::MBytes => "MBytes",
            Self::KBytes => "KBytes",
            Self::GBits => "10^9bits",
            Self::MBits => "10^6bits",
            Self::KBits => "10^3bits",
            Self::Bits => "10^0bits",
            Self::Bytes => "Bytes",
            Self::Trans => "Trans",
            Self::Usec => "Usec",
        }
    }

    /// So many bytes (or transactions) per second in this unit.
    pub fn figure(self, per_second: f64) -> f64 {
        let divisor = match self {
            Self::GBytes => f64::from(1 << 30),
            Self::MBytes => f64::from(1 << 20),
            Self::KBytes => 1024.0,
            Self::GBits => 1e9 / 8.0,
            Self::MBits => 1e6 / 8.0,
            Self::KBits => 1e3 / 8.0,
            Self::Bits | Self::Bytes | Self::Trans => 1.0,
            // For ever, where nothing moves.
            Self::Usec => return 1e6 / per_second,
        };
        per_second / divisor
    }

    /// The unit of throughput of one end: one of transactions has none.
    pub(super) const fn of_bytes(self) -> Self {
        match self {
            Self::Trans => Self::MBits,
            other => other,
        }
    }
}
