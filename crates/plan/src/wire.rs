//! Plans and loads from JSON: whatever the other side sent goes through the same checks as what
//! a user typed.

use std::num::NonZeroU32;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use units::{BitRate, Bytes, CpuList, Nanos};

use crate::{Arrival, Kind, Load, Observe, Path, Plan, SocketOptions, Stop, Timing};

/// The fields of [`Plan`], unchecked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFields {
    path: Path,
    timing: Timing,
    loads: Vec<Load>,
    #[serde(default)]
    observe: Observe,
}

/// The fields of [`Load`], unchecked; `remote` makes the compiler compare them with the original.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, remote = "Load")]
struct LoadFields {
    name: String,
    kind: Kind,
    flows: NonZeroU32,
    #[serde(rename = "size_bytes")]
    size: Bytes,
    #[serde(rename = "request_bytes")]
    request: Bytes,
    #[serde(rename = "reply_bytes")]
    reply: Bytes,
    depth: NonZeroU32,
    #[serde(rename = "rate_bits_per_second")]
    rate: Option<BitRate>,
    #[serde(rename = "pace_bits_per_second")]
    pace: Option<BitRate>,
    arrival: Arrival,
    stop: Stop,
    #[serde(rename = "delay_ns")]
    delay: Nanos,
    cpu: CpuList,
    peer_cpu: CpuList,
    socket: SocketOptions,
    trunc: bool,
}

impl<'de> Deserialize<'de> for Plan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let plan = PlanFields::deserialize(deserializer)?;
        let mut valid = Self::new(plan.path, plan.timing, plan.loads).map_err(D::Error::custom)?;
        valid.observe = plan.observe;
        Ok(valid)
    }
}

impl<'de> Deserialize<'de> for Load {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let load = LoadFields::deserialize(deserializer)?;
        load.check().map_err(D::Error::custom)?;
        Ok(load)
    }
}
