//! What cannot be asked together.

use super::option::{Opt, written};
use super::refusal::{Refusal, refused};
use super::typed::Typed;

/// Two-way modes: one of `-d` and `-r`, `-R`, or `--full-duplex`.
pub(super) const TWO_WAY: [Opt; 4] = [Opt::Dualtest, Opt::Tradeoff, Opt::Reverse, Opt::FullDuplex];

/// Each of the left with any of the right.
const EXCLUDING: &[(&[Opt], &[Opt])] = &[
    (
        &[Opt::Dualtest],
        &[Opt::Tradeoff, Opt::Reverse, Opt::FullDuplex],
    ),
    (&[Opt::Tradeoff], &[Opt::Reverse, Opt::FullDuplex]),
    (&[Opt::Reverse], &[Opt::FullDuplex]),
    (&[Opt::Bounceback], &TWO_WAY),
    (&[Opt::ConnectOnly], &TWO_WAY),
    (&[Opt::ConnectOnly], &[Opt::Bounceback]),
    (&[Opt::Bandwidth], &[Opt::Isochronous]),
    (
        &[Opt::BurstPeriod, Opt::BurstSize],
        &[Opt::Isochronous, Opt::NearCongestion],
    ),
    (
        &[Opt::Compatibility],
        &[
            Opt::Dualtest,
            Opt::Tradeoff,
            Opt::Reverse,
            Opt::FullDuplex,
            Opt::TripTimes,
            Opt::Histograms,
            Opt::Isochronous,
            Opt::Enhanced,
            Opt::PermitKey,
            Opt::PeerDetect,
            Opt::Bounceback,
        ],
    ),
    (&[Opt::TcpCongestion], &[Opt::Reverse]),
    (&[Opt::TcpQuickack], &[Opt::BouncebackNoQuickack]),
    (&[Opt::TxdelayTime], &[Opt::ConnectOnly]),
    (&[Opt::FileInput], &[Opt::StdinInput]),
];

/// Only of streams.
const OF_TCP: &[Opt] = &[
    Opt::PeerDetect,
    Opt::ConnectOnly,
    Opt::ConnectRetries,
    Opt::NearCongestion,
    Opt::PermitKey,
    Opt::Bounceback,
    Opt::BurstPeriod,
    Opt::BurstSize,
    Opt::TcpWriteTimes,
    Opt::TcpWritePrefetch,
];

/// Of streams only beside each other.
const TCP_EXCLUDING: &[(&[Opt], &[Opt])] = &[
    (&[Opt::Bandwidth], &[Opt::NearCongestion]),
    (&[Opt::TxdelayTime], &[Opt::TxstartTime]),
];

/// Only of datagrams.
const OF_UDP: &[Opt] = &[Opt::Ipg, Opt::NoUdpFin];

/// Only of datagrams beside each other.
const UDP_EXCLUDING: &[(&[Opt], &[Opt])] = &[(&[Opt::Bandwidth], &[Opt::Ipg])];

/// Whether a client can be asked all of this.
pub(super) fn check_client(typed: &Typed) -> Result<(), Refusal> {
    exclude(typed, EXCLUDING)?;
    if typed.has(Opt::Udp) {
        exclude(typed, UDP_EXCLUDING)?;
        match typed.has_any(OF_TCP) {
            Some(opt) => Err(refused(format!("{} is not for UDP (-u)", written(opt)))),
            None => Ok(()),
        }
    } else {
        exclude(typed, TCP_EXCLUDING)?;
        match typed.has_any(OF_UDP) {
            Some(opt) => Err(refused(format!("{} is for UDP (-u) only", written(opt)))),
            None => Ok(()),
        }
    }
}

/// Whether a server can be asked all of this.
pub(super) fn check_server(typed: &Typed) -> Result<(), Refusal> {
    if typed.has(Opt::Bounceback) {
        return Err(refused("--bounceback is a client's to ask for"));
    }
    if typed.has(Opt::PermitKey) && typed.has(Opt::Udp) {
        return Err(refused("--permit-key is not for UDP (-u)"));
    }
    match typed.has_any(&[Opt::TapDev, Opt::TunDev]) {
        Some(opt) => Err(refused(format!(
            "{}: only sockets are received from here, no TAP or TUN device",
            written(opt)
        ))),
        None => Ok(()),
    }
}

fn exclude(typed: &Typed, pairs: &[(&[Opt], &[Opt])]) -> Result<(), Refusal> {
    for (these, others) in pairs {
        if let (Some(this), Some(other)) = (typed.has_any(these), typed.has_any(others)) {
            return Err(refused(format!(
                "{} and {} exclude each other",
                written(this),
                written(other)
            )));
        }
    }
    Ok(())
}
