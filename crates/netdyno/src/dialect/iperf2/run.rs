//! The test as a plan of netdyno's own.

use std::num::NonZeroU32;

use plan::{Arrival, Dscp, Kind, Load, Path, Plan, PlanError, Stop, Timing, Transport};
use units::{BitRate, Bytes, Nanos};

use super::{
    Amount, Bounceback, ClientRequest, Interval, Mode, Pattern, Rate, Socket, WorkingLoad,
};

impl ClientRequest {
    /// The plan that comes nearest, to keep the run under. What it leaves out is in
    /// [`Self::beyond_plan`].
    ///
    /// # Errors
    /// Why there is none.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        let path = Path::Host {
            host: self.host.clone(),
            port: *self.common.ports.start(),
            family: self.common.family,
        };
        Plan::new(path, self.timing(), self.loads())
    }

    /// What was asked and [`Self::plan`] does not say, by option.
    pub fn beyond_plan(&self) -> Vec<&'static str> {
        let socket = &self.common.socket;
        [
            (matches!(self.mode, Mode::Tradeoff(_)), "-r"),
            (matches!(self.pattern, Pattern::Frames(_)), "--isochronous"),
            (
                matches!(self.pattern, Pattern::Bursts { .. }),
                "--burst-period",
            ),
            (
                matches!(self.pattern, Pattern::NearCongestion(_)),
                "--near-congestion",
            ),
            (self.start.at_unix_seconds.is_some(), "--txstart-time"),
            (!self.start.spacing.is_zero(), "--send-delay"),
            (socket.tos.is_some_and(|tos| tos & 3 != 0), "-S"),
            (socket.ttl.is_some(), "-T"),
            (socket.quickack, "--tcp-quickack"),
            (socket.clamp.is_some(), "--tcp-rx-window-clamp"),
            (socket.prefetch.is_some(), "--tcp-write-prefetch"),
            (socket.tx_delay.is_some(), "--tcp-tx-delay"),
            (
                socket.pace.is_some_and(|pace| pace.step.is_some()),
                "--fq-rate-step",
            ),
            (
                matches!(self.common.rate, Some(Rate::Bits { deviation: 1.., .. })),
                "-b",
            ),
            (self.steps.source_address, "--incr-srcip"),
            (self.steps.destination_address, "--incr-dstip"),
            (self.steps.destination_port, "--incr-dstport"),
        ]
        .into_iter()
        .filter_map(|(so, option)| so.then_some(option))
        .collect()
    }

    fn timing(&self) -> Timing {
        let duration = match self.amount {
            Amount::Time(time) => Some(time),
            Amount::Bytes(_) => None,
            Amount::ForEver => Some(Timing::LONGEST),
        };
        Timing {
            idle: Nanos::ZERO,
            omit: self.common.omit,
            duration,
            interval: match self.common.interval {
                Some(Interval::Every(interval)) => Some(interval.max(Timing::SHORTEST_INTERVAL)),
                Some(Interval::Frames) | None => None,
            },
        }
    }

    fn loads(&self) -> Vec<Load> {
        let udp = self.common.transport == Transport::Udp;
        let kinds: &[Kind] = match (&self.mode, udp) {
            (Mode::Bounceback(_), _) => &[Kind::Rr],
            (Mode::ConnectOnly(_), _) => &[Kind::Crr],
            (Mode::Forward, false) => &[Kind::Stream],
            (Mode::Forward, true) => &[Kind::UdpStream],
            (Mode::Reverse, false) => &[Kind::Maerts],
            (Mode::Reverse, true) => &[Kind::UdpMaerts],
            (Mode::FullDuplex, false) => &[Kind::Bidir],
            (Mode::FullDuplex, true) => &[Kind::UdpBidir],
            // On connections of their own.
            (Mode::Dual(_) | Mode::Tradeoff(_), false) => &[Kind::Stream, Kind::Maerts],
            (Mode::Dual(_) | Mode::Tradeoff(_), true) => &[Kind::UdpStream, Kind::UdpMaerts],
        };
        let mut loads: Vec<Load> = kinds.iter().map(|kind| self.load(*kind)).collect();
        if let Mode::Bounceback(Bounceback {
            load: Some(load), ..
        }) = &self.mode
        {
            loads.push(load.load());
        }
        loads
    }

    fn load(&self, kind: Kind) -> Load {
        let length = self.length();
        let mut load = Load::new(kind);
        load.flows = NonZeroU32::new(self.flows).unwrap_or(NonZeroU32::MIN);
        match &self.mode {
            Mode::Bounceback(bounce) => {
                load.request = length;
                load.reply = bounce.reply.unwrap_or(length);
                load.arrival = bounce.arrival();
            }
            Mode::ConnectOnly(_) => {}
            // A datagram of a plan holds a header, and iperf's need not.
            _ if kind.transport() == Transport::Udp => {
                load.size = length.max(Load::DATAGRAM_HEADER);
                load.rate = self.gap_seconds().map(|gap| {
                    // The cast saturates.
                    BitRate::new((length.get() as f64 * 8.0 / gap) as u64)
                });
            }
            _ => {
                load.size = length;
                load.rate = match self.common.rate {
                    Some(Rate::Bits { mean, .. }) => Some(BitRate::new(mean)),
                    _ => None,
                };
            }
        }
        if let Pattern::Frames(frames) = self.pattern {
            load.rate = Some(BitRate::new(frames.mean as u64));
        }
        if let Pattern::Bursts { period, size } = self.pattern {
            let rate = size.get() as f64 * 8.0 / period.as_secs_f64();
            load.rate = Some(BitRate::new(rate as u64));
        }
        load.stop = match (&self.mode, self.amount) {
            (Mode::ConnectOnly(count), _) => count.map_or(Stop::Time, |count| Stop::Count {
                count: count.into(),
            }),
            (Mode::Bounceback(_), Amount::Bytes(bytes)) => Stop::Count {
                count: bytes.get().div_ceil(length.get()),
            },
            (_, Amount::Bytes(bytes)) => Stop::Bytes { bytes },
            (_, Amount::Time(_) | Amount::ForEver) => Stop::Time,
        };
        self.set_socket(&mut load);
        load
    }

    fn set_socket(&self, load: &mut Load) {
        let asked = &self.common.socket;
        let socket = &mut load.socket;
        let bind = self.common.bind.as_ref();
        socket.sndbuf = asked.window;
        socket.mss = asked.mss.map(|mss| Bytes::new(mss.into()));
        socket.nodelay = asked.nodelay && load.kind.transport() == Transport::Tcp;
        socket.cc = asked.congestion.as_ref().and_then(|name| name.parse().ok());
        socket.dscp = asked.dscp();
        socket.dontroute = asked.local_only;
        socket.bind = bind.and_then(|bind| bind.host.parse().ok());
        socket.source_port = bind.and_then(|bind| bind.port);
        let device = self.device.as_ref();
        let device = device.or(bind.and_then(|bind| bind.device.as_ref()));
        socket.device = device.and_then(|name| name.parse().ok());
        load.pace = asked.pace.map(|pace| BitRate::new(pace.bits_per_second));
        load.trunc = self.common.skips_copy
            && matches!(load.kind, Kind::Stream | Kind::Maerts | Kind::Bidir);
    }
}

impl Socket {
    fn dscp(&self) -> Option<Dscp> {
        Dscp::try_from(self.tos? >> 2).ok()
    }
}

impl Bounceback {
    /// Bursts evened out.
    fn arrival(&self) -> Arrival {
        let seconds = self.period.as_secs_f64();
        match seconds > 0.0 {
            true => Arrival::Paced {
                requests_per_second: f64::from(self.burst) / seconds,
            },
            false => Arrival::Closed,
        }
    }
}

impl WorkingLoad {
    fn load(&self) -> Load {
        let mut load = Load::new(match (self.up, self.down) {
            (true, false) => Kind::Stream,
            (false, true) => Kind::Maerts,
            _ => Kind::Bidir,
        });
        load.flows = NonZeroU32::new(self.flows).unwrap_or(NonZeroU32::MIN);
        let congestion = self.congestion.as_ref();
        load.socket.cc = congestion.and_then(|name| name.parse().ok());
        load
    }
}
