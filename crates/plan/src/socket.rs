//! Options of a load's sockets, as asked.

use std::net::IpAddr;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// What is set on every data socket of a load. None leaves the kernel's default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SocketOptions {
    /// SO_SNDBUF as asked; the kernel doubles it.
    #[serde(rename = "sndbuf_bytes")]
    pub sndbuf: Option<Bytes>,
    /// SO_RCVBUF as asked; the kernel doubles it.
    #[serde(rename = "rcvbuf_bytes")]
    pub rcvbuf: Option<Bytes>,
    /// TCP_MAXSEG.
    #[serde(rename = "mss_bytes")]
    pub mss: Option<Bytes>,
    /// TCP_NODELAY. Always on for exchanges.
    pub nodelay: bool,
    /// TCP_CONGESTION.
    pub cc: Option<CongestionControl>,
    /// The six DSCP bits of IP_TOS / IPV6_TCLASS.
    pub dscp: Option<Dscp>,
    /// SO_DONTROUTE.
    pub dontroute: bool,
    /// Local address, client side only.
    #[schemars(with = "Option<String>")]
    pub bind: Option<IpAddr>,
    /// SO_BINDTODEVICE, client side only.
    pub device: Option<Device>,
    /// Local port of the first flow, client side only; the next flows take the next ports.
    pub source_port: Option<u16>,
}

/// A congestion control by the kernel's name, at most 15 characters (TCP_CA_NAME_MAX is 16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct CongestionControl(String);

/// A network interface's name, at most 15 characters (IFNAMSIZ is 16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Device(String);

/// A DSCP code point, 0 to 63 (RFC 2474).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u8", into = "u8")]
pub struct Dscp(u8);

impl CongestionControl {
    /// The kernel's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Device {
    /// The interface's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Dscp {
    /// The code point.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// The byte for IP_TOS: the code point in the upper six bits, ECN bits clear.
    pub const fn tos(self) -> u8 {
        self.0 << 2
    }
}

impl TryFrom<String> for CongestionControl {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        kernel_name(&name)
            .then(|| Self(name.clone()))
            .ok_or_else(|| {
                format!("'{name}' is not a congestion control: 1 to 15 letters, digits, '_' or '-'")
            })
    }
}

impl TryFrom<String> for Device {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        let fits = !name.is_empty()
            && name.len() <= 15
            && name != "."
            && name != ".."
            && name.bytes().all(|b| b.is_ascii_graphic() && b != b'/');
        fits.then(|| Self(name.clone())).ok_or_else(|| {
            format!("'{name}' is not an interface name: 1 to 15 characters, no space, no '/'")
        })
    }
}

impl TryFrom<u8> for Dscp {
    type Error = String;
    fn try_from(value: u8) -> Result<Self, String> {
        (value < 64)
            .then_some(Self(value))
            .ok_or_else(|| format!("{value} is not a DSCP code point: 0 to 63"))
    }
}

impl FromStr for CongestionControl {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Self::try_from(name.to_owned())
    }
}

impl FromStr for Device {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Self::try_from(name.to_owned())
    }
}

impl FromStr for Dscp {
    type Err = String;

    /// A number, or a name of the registry: `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`.
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse()
            .ok()
            .or_else(|| code_point(&text.to_ascii_lowercase()))
            .and_then(|value| Self::try_from(value).ok())
            .ok_or_else(|| {
                format!(
                    "'{text}' is not a DSCP code point: 0 to 63, or cs0…cs7, af11…af43, ef, va, le"
                )
            })
    }
}

impl From<CongestionControl> for String {
    fn from(cc: CongestionControl) -> Self {
        cc.0
    }
}

impl From<Device> for String {
    fn from(device: Device) -> Self {
        device.0
    }
}

impl From<Dscp> for u8 {
    fn from(dscp: Dscp) -> Self {
        dscp.0
    }
}

/// RFC 2474 (cs), RFC 2597 (af), RFC 3246 (ef), RFC 5865 (va), RFC 8622 (le).
fn code_point(name: &str) -> Option<u8> {
    let digit = |b: u8, low, high| (low..=high).contains(&b).then(|| b - b'0');
    match name.as_bytes() {
        b"ef" => Some(46),
        b"va" => Some(44),
        b"le" => Some(1),
        [b'c', b's', class] => Some(digit(*class, b'0', b'7')? * 8),
        [b'a', b'f', class, drop] => {
            Some(digit(*class, b'1', b'4')? * 8 + digit(*drop, b'1', b'3')? * 2)
        }
        _ => None,
    }
}

fn kernel_name(name: &str) -> bool {
    (1..=15).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}
