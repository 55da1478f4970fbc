//! The request as its messages say it.

use plan::Family;
use proto::netperf::{
    Dialogue, Direction, ExchangeRequest, Flags, Length, OmniRequest, StreamRequest, TestRequest,
    Transport,
};
use report::dialect::netperf::Way;
use units::Bytes;

use super::NetperfRequest;

impl NetperfRequest {
    /// The message that asks a server for its part; none for tests without one. `family` is that
    /// of the data connections, now that the addresses are known; `port` is the client's data
    /// socket's, 0 if it has none yet.
    pub fn test_request(&self, family: Family, port: u16) -> Option<TestRequest> {
        use proto::netperf::Test;
        let (Dialogue::Response(test) | Dialogue::Results(test)) = self.test.dialogue() else {
            return None;
        };
        Some(match test {
            Test::Stream(kind) => TestRequest::Stream(kind, self.stream(family)),
            Test::Exchange(kind) => TestRequest::Exchange(kind, self.exchange(family)),
            _ => TestRequest::Omni(Box::new(self.omni(family, port))),
        })
    }

    fn omni(&self, family: Family, port: u16) -> OmniRequest {
        let data = &self.data;
        let socket = &data.socket;
        let (socket_type, protocol) = match data.transport {
            Transport::Tcp => (1, 6),
            Transport::Udp => (2, 17),
            Transport::Sctp => (1, 132),
            Transport::SctpMany => (4, 132),
        };
        let pace = self.paces.remote;
        let avoidance = u32::from(data.avoids_copies);
        let server_address = data
            .hosts
            .remote
            .as_deref()
            .and_then(|host| host.parse::<std::net::IpAddr>().ok())
            .map(Into::into)
            .unwrap_or_default();
        OmniRequest {
            send_buffer: socket.send_buffer.remote,
            send_size: data.sizes.send.remote,
            send_alignment: bytes(data.alignments.remote.0),
            send_offset: bytes(data.offsets.remote.0),
            send_width: data.widths.0,
            request_size: data.sizes.request,
            recv_buffer: socket.recv_buffer.remote,
            recv_size: data.sizes.recv.remote,
            recv_alignment: bytes(data.alignments.remote.1),
            recv_offset: bytes(data.offsets.remote.1),
            recv_width: data.widths.1,
            response_size: data.sizes.response,
            flags: self.flags(),
            cpu_rate: self.cpu_rates.remote.unwrap_or(0.0),
            length: self.length,
            recv_avoidance: avoidance,
            send_avoidance: avoidance,
            data_port: data.ports.remote,
            family,
            socket_type,
            protocol,
            direction: match data.way {
                Way::Send => Direction::Receive,
                Way::Receive => Direction::Send,
                Way::Both | Way::ConnectBoth => Direction::Both,
                Way::Connect => Direction::Connect,
            },
            client_port: port,
            burst: pace.map_or(0, |pace| pace.burst),
            interval_usecs: pace.map_or(0, |pace| {
                u32::try_from(pace.interval.get() / 1000).unwrap_or(u32::MAX)
            }),
            server_address,
            priority: socket.priority.remote,
            tos: socket.tos.remote,
            congestion: socket.congestion.remote.clone().unwrap_or_default(),
            fill_file: data.fill_files.remote.clone().unwrap_or_default(),
            ..OmniRequest::default()
        }
    }

    fn flags(&self) -> Flags {
        let socket = &self.data.socket;
        Flags::NODELAY.when(socket.nodelay)
            | Flags::RECONNECTS.when(matches!(self.data.way, Way::Connect | Way::ConnectBoth))
            | Flags::MEASURE_CPU.when(self.cpu_rates.remote.is_some())
            | Flags::ROUTING.when(!socket.dontroute)
            | Flags::FASTOPEN.when(socket.fastopen)
            | Flags::PKTINFO.when(socket.pktinfo)
            | Flags::CONNECTED.when(socket.connected.remote)
            | Flags::DEFER_ACCEPT.when(socket.defer_accept)
            | Flags::MTU_DISCOVER.when(socket.mtu_discover)
            | Flags::KEEPALIVE.when(socket.keepalive)
    }

    fn stream(&self, family: Family) -> StreamRequest {
        let data = &self.data;
        let avoidance = u32::from(data.avoids_copies);
        StreamRequest {
            send_buffer: data.socket.send_buffer.remote,
            recv_buffer: data.socket.recv_buffer.remote,
            recv_size: data.sizes.recv.remote,
            recv_alignment: bytes(data.alignments.remote.1),
            recv_offset: bytes(data.offsets.remote.1),
            nodelay: data.socket.nodelay,
            measure_cpu: self.cpu_rates.remote.is_some(),
            cpu_rate: self.cpu_rates.remote.unwrap_or(0.0),
            // The server takes bytes for seconds: long enough.
            length: match self.length {
                Length::Count(bytes) => Length::Seconds(bytes),
                length => length,
            },
            recv_avoidance: avoidance,
            send_avoidance: avoidance,
            port: data.ports.remote,
            family,
            ..StreamRequest::default()
        }
    }

    fn exchange(&self, family: Family) -> ExchangeRequest {
        let data = &self.data;
        let avoidance = u32::from(data.avoids_copies);
        let plain = ExchangeRequest::default();
        ExchangeRequest {
            recv_buffer: data.socket.recv_buffer.remote,
            send_buffer: data.socket.send_buffer.remote,
            recv_alignment: bytes(data.alignments.remote.1),
            recv_offset: bytes(data.offsets.remote.1),
            send_alignment: bytes(data.alignments.remote.0),
            send_offset: bytes(data.offsets.remote.0),
            request_size: data.sizes.request.or(plain.request_size),
            response_size: data.sizes.response.or(plain.response_size),
            nodelay: data.socket.nodelay,
            measure_cpu: self.cpu_rates.remote.is_some(),
            cpu_rate: self.cpu_rates.remote.unwrap_or(0.0),
            length: self.length,
            recv_avoidance: avoidance,
            send_avoidance: avoidance,
            port: data.ports.remote,
            family,
            ..plain
        }
    }
}

fn bytes(count: u32) -> Bytes {
    Bytes::new(count.into())
}
