//! A test as a plan of netdyno's own, for the run store.

use std::net::SocketAddr;
use std::num::NonZeroU32;

use plan::{Dscp, Kind, Load, Path, Plan, Stop, Timing};
use proto::iperf3::{Direction, Parameters, Protocol};
use units::{Bytes, CpuList, Nanos};

use super::{Ask, Serve};

impl Ask {
    /// The plan that comes nearest to what the server was told, which has sizes that nobody asked
    /// for.
    ///
    /// # Errors
    /// Why there is none.
    pub fn plan(&self, parameters: &Parameters) -> Result<Plan, String> {
        let path = Path::Host {
            host: self.host.clone(),
            port: self.common.port,
            family: self.common.family,
        };
        let mut loads = loads(parameters)?;
        for load in &mut loads {
            load.cpu = cpus(self.common.affinity);
            load.socket.bind = self.common.bind.as_ref().and_then(|bind| bind.parse().ok());
            load.socket.device.clone_from(&self.common.device);
        }
        // In both directions the second load's flows have the ports behind the first one's.
        let mut port = self.first_port;
        for load in &mut loads {
            load.socket.source_port = port;
            let next = |port: u16| u32::from(port) + load.flows.get();
            port = port.and_then(|port| u16::try_from(next(port)).ok());
        }
        Plan::new(path, timing(parameters, self.common.interval), loads)
            .map_err(|error| error.to_string())
    }
}

impl Serve {
    /// The plan that comes nearest to what a client asks for, whose connection has come to
    /// `local`.
    ///
    /// # Errors
    /// Why there is none.
    pub fn plan(&self, parameters: &Parameters, local: SocketAddr) -> Result<Plan, String> {
        let path = Path::Host {
            host: local.ip().to_canonical().to_string(),
            port: local.port(),
            family: self.common.family,
        };
        let mut loads = loads(parameters)?;
        for load in &mut loads {
            load.peer_cpu = cpus(parameters.server_affinity.or(self.common.affinity));
        }
        Plan::new(path, timing(parameters, self.common.interval), loads)
            .map_err(|error| error.to_string())
    }
}

fn timing(parameters: &Parameters, interval: Option<Nanos>) -> Timing {
    let by_time = parameters.bytes.is_none() && parameters.blocks.is_none();
    // A test without end is one of a day, which is the longest that can be asked for.
    let endless = by_time.then(|| Nanos::from_secs(Parameters::MOST_SECONDS));
    Timing {
        idle: Nanos::ZERO,
        omit: parameters.omit,
        duration: parameters.time.or(endless),
        interval,
    }
}

/// One load for each direction.
fn loads(parameters: &Parameters) -> Result<Vec<Load>, String> {
    let (forward, reverse) = match parameters.protocol {
        Protocol::Tcp => (Kind::Stream, Kind::Maerts),
        Protocol::Udp => (Kind::UdpStream, Kind::UdpMaerts),
        Protocol::Sctp => return Err("SCTP is no transport of a load".to_owned()),
    };
    let kinds: &[Kind] = match parameters.direction {
        Direction::Forward => &[forward],
        Direction::Reverse => &[reverse],
        Direction::Both => &[forward, reverse],
    };
    Ok(kinds.iter().map(|kind| load(parameters, *kind)).collect())
}

fn load(parameters: &Parameters, kind: Kind) -> Load {
    let udp = parameters.protocol == Protocol::Udp;
    let mut load = Load::new(kind);
    load.flows = NonZeroU32::new(parameters.parallel).unwrap_or(NonZeroU32::MIN);
    load.size = parameters.block_size();
    if udp {
        // A datagram of a plan holds a header that is longer than iperf3's.
        load.size = load.size.max(Load::DATAGRAM_HEADER);
    }
    load.rate = parameters.rate;
    // A plan has one pacer.
    load.pace = parameters.fq_rate.filter(|_| parameters.rate.is_none());
    // What ends a test is counted over all streams of it, a load's end by flow.
    let share = |all: u64| all.div_ceil(load.flows.get().into());
    load.stop = match (parameters.bytes, parameters.blocks) {
        (Some(bytes), _) => Stop::Bytes {
            bytes: Bytes::new(share(bytes.get())),
        },
        (None, Some(count)) if udp => Stop::Count {
            count: share(count),
        },
        (None, Some(blocks)) => Stop::Bytes {
            bytes: Bytes::new(share(blocks).saturating_mul(load.size.get())),
        },
        (None, None) => Stop::Time,
    };
    load.peer_cpu = cpus(parameters.server_affinity);
    load.trunc = parameters.skip_rx_copy && !udp;
    load.socket.sndbuf = parameters.window;
    load.socket.rcvbuf = parameters.window;
    if !udp {
        load.socket.mss = parameters.mss;
        load.socket.nodelay = parameters.nodelay;
        load.socket.cc = parameters
            .congestion
            .as_ref()
            .and_then(|name| name.parse().ok());
    }
    load.socket.dscp = match parameters.tos >> 2 {
        0 => None,
        code => Dscp::try_from(code).ok(),
    };
    load
}

fn cpus(cpu: Option<u16>) -> CpuList {
    CpuList::new(cpu.into_iter().collect())
}
