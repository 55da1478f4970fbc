//! Where the traffic goes: a named host, or a testbed that the run makes itself.

use std::num::NonZeroU16;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{BitRate, Nanos};

use crate::PlanError;

/// The path under test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "to", rename_all = "lowercase", deny_unknown_fields)]
pub enum Path {
    /// A server that somebody runs.
    Host {
        /// Name or address.
        host: String,
        /// Port of the control connection, and of all data.
        port: u16,
        /// Which addresses of the host may be used.
        family: Family,
    },
    /// Two hosts on this machine, made for the run and removed after it.
    Testbed {
        /// Which addresses the run uses.
        family: Family,
        /// The link between them.
        link: Link,
    },
}

impl Path {
    /// The native port: one above netperf's 12865. TCP control, TCP data and UDP data share it.
    pub const DEFAULT_PORT: u16 = 12866;

    /// Whether such a path can be.
    pub(crate) fn check(&self) -> Result<(), PlanError> {
        match self {
            Self::Host { host, port, .. } => {
                // 255 octets are the longest name of the DNS (RFC 1035, section 2.3.4).
                let fits = (1..=255).contains(&host.len())
                    && !host.contains(|c: char| c.is_whitespace() || c.is_control());
                if !fits {
                    return Err(PlanError::Host);
                }
                if *port == 0 {
                    return Err(PlanError::Port);
                }
                Ok(())
            }
            Self::Testbed { family, link } => {
                link.check()?;
                // RFC 8200, section 5: IPv6 needs 1280 bytes of every link.
                match link.mtu {
                    Some(mtu) if *family == Family::V6 && mtu < 1280 => {
                        Err(PlanError::MtuBelowIpv6(mtu))
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}

/// Address family.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Whatever the name gives first; IPv4 in the testbed.
    #[default]
    Any,
    /// IPv4 only.
    V4,
    /// IPv6 only.
    V6,
}

impl Family {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Any, Self::V4, Self::V6];

    /// The name in a run file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::V4 => "v4",
            Self::V6 => "v6",
        }
    }
}

/// The testbed's link. Both directions alike.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Line rate, by a tbf at each end (or as the qdisc's rate where `qdisc` is `tbf` or `htb`).
    #[serde(rename = "rate_bits_per_second")]
    pub rate: Option<BitRate>,
    /// One-way delay, by the relay.
    #[serde(rename = "delay_ns")]
    pub delay: Option<Nanos>,
    /// Share of packets that the relay loses, 0 to less than 1.
    pub loss: Option<f64>,
    /// Root qdisc of both ends in `tc`'s words, for example `htb r2q 1000 default 3`.
    pub qdisc: Option<String>,
    /// Transmit queues of each end.
    #[schemars(with = "Option<u16>")]
    pub queues: Option<NonZeroU16>,
    /// MTU of each end, in bytes.
    pub mtu: Option<u32>,
    /// Segmentation and checksum offloads of each end; none leaves the driver's default.
    pub offload: Option<bool>,
}
