//! Amounts and rates, in the units of `-f`.

const BINARY: f64 = 1024.0;
const DECIMAL: f64 = 1000.0;
const PREFIXES: [&str; 6] = ["", "K", "M", "G", "T", "P"];

/// What rates are shown in. Amounts are always of bytes, with the same prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// `a`, and any letter without a meaning: bits, with the prefix that suits the figure.
    AdaptiveBits,
    /// `A`: bytes, with the prefix that suits the figure.
    AdaptiveBytes,
    /// `b k m g t p`: bits, times 1000 to this power.
    Bits(u8),
    /// `B K M G T P`: bytes, times 1024 to this power.
    Bytes(u8),
}

impl Unit {
    /// The unit of a letter of `-f`; none if it has no meaning.
    pub fn of(letter: char) -> Option<Self> {
        let power = |letters: &str| {
            let at = letters.find(letter)?;
            u8::try_from(at).ok()
        };
        match letter {
            'a' => Some(Self::AdaptiveBits),
            'A' => Some(Self::AdaptiveBytes),
            _ => power("bkmgtp")
                .map(Self::Bits)
                .or_else(|| power("BKMGTP").map(Self::Bytes)),
        }
    }

    /// So many bytes, such as `1.25 MByte`.
    pub fn amount(self, bytes: f64) -> String {
        match self {
            Self::AdaptiveBits | Self::AdaptiveBytes => adaptive(bytes, BINARY, "Byte"),
            Self::Bits(power) | Self::Bytes(power) => fixed(bytes, BINARY, power, "Byte"),
        }
    }

    /// So many bytes per second, such as `10.5 Mbit`.
    pub fn rate(self, bytes_per_second: f64) -> String {
        let bits = bytes_per_second * 8.0;
        match self {
            Self::AdaptiveBits => adaptive(bits, DECIMAL, "bit"),
            Self::AdaptiveBytes => adaptive(bytes_per_second, BINARY, "Byte"),
            Self::Bits(power) => fixed(bits, DECIMAL, power, "bit"),
            Self::Bytes(power) => fixed(bytes_per_second, BINARY, power, "Byte"),
        }
    }
}

fn adaptive(mut value: f64, base: f64, noun: &str) -> String {
    let mut power = 0;
    while value >= base && power + 1 < PREFIXES.len() {
        value /= base;
        power += 1;
    }
    with_prefix(value, PREFIXES[power], noun)
}

fn fixed(value: f64, base: f64, power: u8, noun: &str) -> String {
    let prefix = PREFIXES.get(usize::from(power)).copied().unwrap_or("");
    with_prefix(value / base.powi(power.into()), prefix, noun)
}

/// At least four columns, and as many digits as fit into them.
fn with_prefix(value: f64, prefix: &str, noun: &str) -> String {
    let digits = match value {
        v if v < 0.9995 => 3,
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:4.digits$} {prefix}{noun}")
}
