//! iperf3's habits: one load said with single options.

use std::num::NonZeroU32;

use clap::Args;
use plan::{CongestionControl, Dscp, Key, Kind, Load, LoadError, Stop};
use units::{BitRate, Bytes};

#[derive(Debug, Args)]
#[command(next_help_heading = "One load, said as with iperf3 (instead of --load)")]
pub(super) struct HabitArgs {
    /// Number of flows
    #[arg(short = 'P', long, value_name = "N", value_parser = flows)]
    parallel: Option<NonZeroU32>,
    /// The server sends, the client receives
    #[arg(short = 'R', long, conflicts_with = "bidir")]
    reverse: bool,
    /// Both ways at once, on the same connections
    #[arg(long)]
    bidir: bool,
    /// UDP instead of TCP; without -b as fast as it goes (iperf3 would send 1 Mbit/s)
    #[arg(short, long)]
    udp: bool,
    /// Rate of each flow in bit/s, paced by us, such as 20M; 0 for no limit
    #[arg(short, long, value_name = "RATE")]
    bitrate: Option<BitRate>,
    /// Bytes of a write or a datagram, such as 64K
    #[arg(short, long, value_name = "BYTES")]
    length: Option<Bytes>,
    /// End after so many bytes each way, shared evenly among the flows, such as 10G
    #[arg(short = 'n', long, value_name = "BYTES")]
    bytes: Option<Bytes>,
    /// Socket buffers, sending and receiving
    #[arg(short, long, value_name = "BYTES")]
    window: Option<Bytes>,
    /// Largest TCP segment
    #[arg(short = 'M', long, value_name = "BYTES")]
    set_mss: Option<Bytes>,
    /// Send small segments at once (TCP_NODELAY)
    #[arg(short = 'N', long)]
    no_delay: bool,
    /// TCP congestion control, such as bbr
    #[arg(short = 'C', long, value_name = "NAME")]
    congestion: Option<CongestionControl>,
    /// The IP type-of-service byte: decimal, 0x hexadecimal or 0 octal
    #[arg(short = 'S', long, value_name = "BYTE", value_parser = tos, conflicts_with = "dscp")]
    tos: Option<Dscp>,
    /// The DSCP: 0 to 63, or a name such as ef
    #[arg(long, value_name = "DSCP")]
    dscp: Option<Dscp>,
}

impl HabitArgs {
    /// The options that were typed, with the keys of a load that say the same; none for those
    /// that choose the kind.
    pub(super) fn typed(&self) -> impl Iterator<Item = (&'static str, &'static [Key])> {
        const NONE: &[Key] = &[];
        [
            (self.parallel.is_some(), "-P", &[Key::Flows] as &[Key]),
            (self.reverse, "-R", NONE),
            (self.bidir, "--bidir", NONE),
            (self.udp, "-u", NONE),
            (self.bitrate.is_some(), "-b", &[Key::Rate]),
            (self.length.is_some(), "-l", &[Key::Size]),
            (self.bytes.is_some(), "-n", &[Key::Bytes]),
            (self.window.is_some(), "-w", &[Key::Sndbuf, Key::Rcvbuf]),
            (self.set_mss.is_some(), "-M", &[Key::Mss]),
            (self.no_delay, "-N", &[Key::Nodelay]),
            (self.congestion.is_some(), "-C", &[Key::Cc]),
            (self.tos.is_some(), "-S", &[Key::Dscp]),
            (self.dscp.is_some(), "--dscp", &[Key::Dscp]),
        ]
        .into_iter()
        .filter_map(|(typed, option, keys)| typed.then_some((option, keys)))
    }

    /// The load that they ask for; a TCP stream when nothing was typed.
    pub(super) fn load(&self) -> Result<Load, String> {
        let mut load = Load::new(match (self.udp, self.reverse, self.bidir) {
            (false, false, false) => Kind::Stream,
            (false, true, _) => Kind::Maerts,
            (false, _, true) => Kind::Bidir,
            (true, false, false) => Kind::UdpStream,
            (true, true, _) => Kind::UdpMaerts,
            (true, _, true) => Kind::UdpBidir,
        });
        load.flows = self.parallel.unwrap_or(load.flows);
        load.size = self.length.unwrap_or(load.size);
        load.rate = self.bitrate.filter(|rate| rate.get() > 0);
        if let Some(bytes) = self.bytes {
            load.stop = Stop::Bytes {
                bytes: Bytes::new(bytes.get().div_ceil(load.flows.get().into())),
            };
        }
        load.socket.sndbuf = self.window;
        load.socket.rcvbuf = self.window;
        load.socket.mss = self.set_mss;
        load.socket.nodelay = self.no_delay;
        load.socket.cc.clone_from(&self.congestion);
        load.socket.dscp = self.tos.or(self.dscp);
        load.check()
            .map_err(|error| match self.option_behind(&error) {
                Some(option) => format!("{option}: {error}"),
                None => error.to_string(),
            })?;
        Ok(load)
    }

    fn option_behind(&self, error: &LoadError) -> Option<&'static str> {
        let (LoadError::Value { key, .. } | LoadError::NotFor { key, .. }) = error else {
            return None;
        };
        let mut typed = self.typed();
        typed.find_map(|(option, keys)| keys.contains(key).then_some(option))
    }
}

fn flows(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| {
        format!(
            "'{text}' is not a number of flows (1 to {})",
            Load::MOST_FLOWS
        )
    })
}

/// As strtol(3) with base 0 reads it, which is what iperf3 does.
fn tos(text: &str) -> Result<Dscp, String> {
    let byte = if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        u8::from_str_radix(digits, 16)
    } else if text.starts_with('0') {
        u8::from_str_radix(text, 8)
    } else {
        text.parse()
    };
    match byte {
        Err(_) => Err(format!("'{text}' is not a type-of-service byte (0 to 255)")),
        Ok(byte) if byte & 3 != 0 => Err(format!(
            "the two lowest bits of '{text}' are ECN, which is the kernel's to set"
        )),
        Ok(byte) => Dscp::try_from(byte >> 2),
    }
}
