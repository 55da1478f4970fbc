//! The test as a load of netdyno's own plan.

use std::num::NonZeroU32;

use plan::{Dscp, Kind, Load, Stop};
use proto::netperf::{Length, Transport};
use report::dialect::netperf::Way;
use units::{BitRate, Bytes, CpuList};

use super::NetperfRequest;

impl NetperfRequest {
    /// A TCP write when nothing is asked: the sending socket's buffer, before the kernel tunes it.
    pub const DEFAULT_WRITE: Bytes = Bytes::new(16_384);

    /// The load that comes nearest, or why there is none. What it leaves out is in
    /// [`Self::beyond_load`]. It is not checked: a datagram of netperf's may be shorter than one
    /// that carries our header.
    pub fn load(&self) -> Result<Load, &'static str> {
        let data = &self.data;
        let mut load = Load::new(self.kind()?);
        if let Way::Both | Way::ConnectBoth = data.way {
            load.request = data.sizes.request.unwrap_or(load.request);
            load.reply = data.sizes.response.unwrap_or(load.reply);
        } else {
            load.size = self.send_size();
        }
        load.depth = NonZeroU32::MIN.saturating_add(data.burst);
        load.rate = self.rate(load.size);
        let pacing = data.socket.pacing_bytes_per_second;
        load.pace = pacing.map(|bytes| BitRate::new(bytes.saturating_mul(8)));
        load.stop = match self.length {
            Length::Unlimited | Length::Seconds(_) => Stop::Time,
            Length::Count(count) if load.kind.is_exchange() => Stop::Count {
                count: count.into(),
            },
            Length::Count(bytes) => Stop::Bytes {
                bytes: Bytes::new(bytes.into()),
            },
        };
        load.cpu = cpus(self.cpus.local);
        load.peer_cpu = cpus(self.cpus.remote);
        load.trunc = data.avoids_copies && matches!(load.kind, Kind::Stream | Kind::Maerts);
        self.set_socket(&mut load);
        Ok(load)
    }

    /// What was asked and [`Self::load`] does not say, by option.
    pub fn beyond_load(&self) -> Vec<&'static str> {
        let data = &self.data;
        let socket = &data.socket;
        let differ = |local: &Option<String>, remote: &Option<String>| local != remote;
        [
            (!self.delay.is_zero(), "-s"),
            (self.repeat.most > 1, "-i"),
            (
                self.paces.local.is_some() && data.way.counts_transactions(),
                "-w",
            ),
            (
                self.paces.remote.is_some() && data.way != Way::Receive,
                "-w",
            ),
            (
                self.test == proto::netperf::TestName::TcpSendfile,
                "TCP_SENDFILE",
            ),
            (data.port_range.is_some(), "-p"),
            (data.ports.remote != 0, "-P"),
            (data.answer_timeout_seconds.is_some(), "-e"),
            (socket.cork, "-C"),
            (socket.keepalive, "-S"),
            (
                differ(&socket.congestion.local, &socket.congestion.remote),
                "-K",
            ),
            (socket.priority.local.is_some(), "-y"),
            (socket.tos.local.is_some_and(|tos| tos & 3 != 0), "-Y"),
            (socket.tos.local != socket.tos.remote, "-Y"),
            (socket.fastopen, "-F"),
            (socket.defer_accept, "-a"),
            (socket.mtu_discover, "-f"),
            (socket.connected.local || socket.connected.remote, "-n"),
        ]
        .into_iter()
        .filter_map(|(so, option)| so.then_some(option))
        .collect()
    }

    /// Bytes of every send of the end that sends.
    pub fn send_size(&self) -> Bytes {
        let data = &self.data;
        let asked = match data.way {
            Way::Receive => data.sizes.send.remote,
            _ => data.sizes.send.local,
        };
        asked.unwrap_or(match data.transport {
            Transport::Udp => Load::LARGEST_DATAGRAM,
            _ => Self::DEFAULT_WRITE,
        })
    }

    fn kind(&self) -> Result<Kind, &'static str> {
        match (self.data.transport, self.data.way) {
            (Transport::Tcp, Way::Send) => Ok(Kind::Stream),
            (Transport::Tcp, Way::Receive) => Ok(Kind::Maerts),
            (Transport::Tcp, Way::Both) => Ok(Kind::Rr),
            (Transport::Tcp, Way::ConnectBoth) => Ok(Kind::Crr),
            (Transport::Udp, Way::Send) => Ok(Kind::UdpStream),
            (Transport::Udp, Way::Receive) => Ok(Kind::UdpMaerts),
            (Transport::Udp, _) => Ok(Kind::UdpRr),
            (Transport::Tcp, Way::Connect) => Err("connections without data are no kind of load"),
            (Transport::Sctp | Transport::SctpMany, _) => Err("SCTP is no transport of a load"),
        }
    }

    /// Bursts at intervals of the end that sends, evened out.
    fn rate(&self, size: Bytes) -> Option<BitRate> {
        let pace = match self.data.way {
            Way::Send => self.paces.local,
            Way::Receive => self.paces.remote,
            _ => None,
        }?;
        let bits = size
            .get()
            .saturating_mul(8)
            .saturating_mul(pace.burst.into());
        // The cast saturates.
        Some(BitRate::new(
            (bits as f64 / pace.interval.as_secs_f64()) as u64,
        ))
    }

    fn set_socket(&self, load: &mut Load) {
        let asked = &self.data.socket;
        let way = self.data.way;
        let socket = &mut load.socket;
        socket.sndbuf = match way {
            Way::Receive => asked.send_buffer.remote,
            _ => asked.send_buffer.local,
        };
        socket.rcvbuf = match way {
            Way::Send => asked.recv_buffer.remote,
            _ => asked.recv_buffer.local,
        };
        socket.mss = asked.mss;
        socket.nodelay = asked.nodelay;
        socket.cc = asked
            .congestion
            .local
            .as_ref()
            .and_then(|name| name.parse().ok());
        socket.dscp = asked
            .tos
            .local
            .and_then(|tos| u8::try_from(tos >> 2).ok())
            .and_then(|code| Dscp::try_from(code).ok());
        socket.dontroute = asked.dontroute;
        socket.bind = self.local_data_host().and_then(|host| host.parse().ok());
        socket.source_port = Some(self.data.ports.local).filter(|port| *port > 0);
    }
}

fn cpus(cpu: Option<u32>) -> CpuList {
    let cpu = cpu.and_then(|cpu| u16::try_from(cpu).ok());
    CpuList::new(cpu.into_iter().collect())
}
