//! Units of bit rates: the letters of `-f`.

/// A fixed unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// `k`
    KBits,
    /// `m`
    MBits,
    /// `g`
    GBits,
    /// `t`
    TBits,
    /// `K`: 2^10 bytes.
    KBytes,
    /// `M`: 2^20 bytes.
    MBytes,
    /// `G`: 2^30 bytes.
    GBytes,
    /// `T`: 2^40 bytes.
    TBytes,
}

impl Unit {
    /// The unit of a letter of `-f`.
    pub const fn of(letter: char) -> Option<Self> {
        Some(match letter {
            'k' => Self::KBits,
            'm' => Self::MBits,
            'g' => Self::GBits,
            't' => Self::TBits,
            'K' => Self::KBytes,
            'M' => Self::MBytes,
            'G' => Self::GBytes,
            'T' => Self::TBytes,
            _ => return None,
        })
    }

    /// Its name, and how many bytes per second are one of it.
    pub(super) const fn scale(self) -> (&'static str, f64) {
        match self {
            Self::KBits => ("Kbits", 1e3 / 8.0),
            Self::MBits => ("Mbits", 1e6 / 8.0),
            Self::GBits => ("Gbits", 1e9 / 8.0),
            Self::TBits => ("Tbits", 1e12 / 8.0),
            Self::KBytes => ("KBytes", 1024.0),
            Self::MBytes => ("MBytes", 1_048_576.0),
            Self::GBytes => ("GBytes", 1_073_741_824.0),
            Self::TBytes => ("TBytes", 1_099_511_627_776.0),
        }
    }
}
