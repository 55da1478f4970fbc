//! How reports are to be shown.

use super::Unit;

/// Everything about the output that the command line decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// `-e`, or an option that needs it.
    pub enhanced: bool,
    /// `-f`.
    pub unit: Unit,
    /// `-y C`: rows of comma-separated values and nothing else.
    pub csv: bool,
    /// `-x`.
    pub excluded: Excluded,
    /// `--sum-only`: no rows of single flows.
    pub sum_only: bool,
    /// `--hide-ips`.
    pub hides_addresses: bool,
}

/// Reports that are not wanted (`-x`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Excluded {
    /// `C`: the connection line.
    pub connections: bool,
    /// `D`: rows of data.
    pub data: bool,
    /// `M`: lines about multicast.
    pub multicast: bool,
    /// `S`: the settings in front.
    pub settings: bool,
    /// `V`: the server's report at the client.
    pub server: bool,
}

impl Default for Form {
    /// As without any option.
    fn default() -> Self {
        Self {
            enhanced: false,
            unit: Unit::AdaptiveBits,
            csv: false,
            excluded: Excluded::default(),
            sum_only: false,
            hides_addresses: false,
        }
    }
}
