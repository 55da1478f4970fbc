//! The jobs that the layouts of requests describe.

use units::{Bytes, Nanos};

use super::{Job, Pace, Transport, Work};
use crate::netperf::{
    DataOptions, Direction, ErrorNumber, ExchangeRequest, ExchangeTest, Flags, MaertsRequest,
    OmniRequest, Refusal, StreamRequest, StreamTest, UdpStreamRequest,
};

pub(super) fn omni(request: &OmniRequest) -> Result<Job, Refusal> {
    let transport = transport(request)?;
    let flag = |flag| request.flags.contains(flag);
    let one = Bytes::new(1);
    let work = match request.direction {
        Direction::Connect => Work::Connect,
        // A request size is the size of the client's sends in every test.
        Direction::Receive => Work::Receive {
            size: request.request_size.or(request.recv_size),
        },
        Direction::Send => Work::Send {
            size: request.response_size.or(request.send_size),
        },
        Direction::Both => Work::Exchange {
            request: request.request_size.unwrap_or(one),
            response: request.response_size.unwrap_or(one),
            reconnects: flag(Flags::RECONNECTS),
        },
    };
    let one_way = matches!(work, Work::Receive { .. } | Work::Send { .. });
    if one_way && flag(Flags::RECONNECTS) {
        let reason = "a connection for every send: only transactions have that";
        return Err(Refusal::new(ErrorNumber::INVALID, reason));
    }
    let paced = request.burst > 0 && request.interval_usecs > 0;
    Ok(Job {
        address: request.server_address.ip(request.family),
        client_address: request.client_address.ip(request.family),
        client_port: request.client_port,
        avoids_copies: request.recv_avoidance == 1,
        send_place: place(request.send_alignment, request.send_offset),
        recv_place: place(request.recv_alignment, request.recv_offset),
        pace: paced.then(|| Pace {
            burst: request.burst,
            interval: Nanos::new(u64::from(request.interval_usecs) * 1000),
        }),
        options: DataOptions {
            send_buffer: request.send_buffer,
            recv_buffer: request.recv_buffer,
            nodelay: flag(Flags::NODELAY) && transport != Transport::Udp,
            keepalive: flag(Flags::KEEPALIVE),
            dontroute: !flag(Flags::ROUTING),
            fastopen: flag(Flags::FASTOPEN),
            defer_accept: flag(Flags::DEFER_ACCEPT),
            pktinfo: flag(Flags::PKTINFO),
            connected: flag(Flags::CONNECTED),
            mtu_discover: flag(Flags::MTU_DISCOVER),
            priority: request.priority,
            tos: request.tos.filter(|tos| *tos > 0),
            congestion: Some(request.congestion.clone()).filter(|name| !name.is_empty()),
        },
        ..Job::new(
            transport,
            work,
            request.length,
            request.family,
            request.data_port,
        )
    })
}

/// Alignment and offset; more than a page's worth of either is none.
fn place(alignment: Bytes, offset: Bytes) -> (u16, u16) {
    let fits = |value: Bytes| u16::try_from(value.get()).unwrap_or(0);
    (fits(alignment), fits(offset))
}

fn transport(request: &OmniRequest) -> Result<Transport, Refusal> {
    const ANY: u32 = u32::MAX;
    match (request.socket_type, request.protocol) {
        (1 | ANY, 6) | (1, 0) => Ok(Transport::Tcp),
        (2 | ANY, 17) | (2, 0) => Ok(Transport::Udp),
        (1 | ANY, 132) => Ok(Transport::Sctp),
        (kind, protocol) => {
            let reason = format!(
                "socket type {} with protocol {protocol}: type 1 with protocol 6 (TCP) or 132 \
                 (SCTP) and type 2 with protocol 17 (UDP) are accepted",
                kind as i32
            );
            Err(Refusal::new(ErrorNumber::PROTOCOL, reason))
        }
    }
}

pub(super) fn stream(test: StreamTest, request: &StreamRequest) -> Job {
    let transport = match test {
        StreamTest::Tcp => Transport::Tcp,
        StreamTest::Sctp => Transport::Sctp,
        StreamTest::SctpMany => Transport::SctpMany,
    };
    let size = request.recv_size;
    let work = Work::Receive { size };
    Job {
        avoids_copies: request.recv_avoidance == 1,
        options: DataOptions {
            send_buffer: request.send_buffer,
            recv_buffer: request.recv_buffer,
            nodelay: request.nodelay,
            ..DataOptions::default()
        },
        ..Job::new(
            transport,
            work,
            request.length,
            request.family,
            request.port,
        )
    }
}

pub(super) fn maerts(request: &MaertsRequest) -> Job {
    let size = request.send_size;
    let work = Work::Send { size };
    Job {
        options: DataOptions {
            send_buffer: request.send_buffer,
            recv_buffer: request.recv_buffer,
            nodelay: request.nodelay,
            ..DataOptions::default()
        },
        ..Job::new(
            Transport::Tcp,
            work,
            request.length,
            request.family,
            request.port,
        )
    }
}

pub(super) fn exchange(test: ExchangeTest, request: &ExchangeRequest) -> Job {
    use ExchangeTest as E;
    let transport = match test {
        E::TcpRr | E::TcpCrr | E::TcpCc => Transport::Tcp,
        E::UdpRr => Transport::Udp,
        E::SctpRr => Transport::Sctp,
        E::SctpRrMany => Transport::SctpMany,
    };
    let one = Bytes::new(1);
    let work = match test {
        E::TcpCc => Work::Connect,
        _ => Work::Exchange {
            request: request.request_size.unwrap_or(one),
            response: request.response_size.unwrap_or(one),
            reconnects: test == E::TcpCrr,
        },
    };
    Job {
        avoids_copies: request.recv_avoidance == 1,
        options: DataOptions {
            send_buffer: request.send_buffer,
            recv_buffer: request.recv_buffer,
            nodelay: request.nodelay && transport != Transport::Udp,
            ..DataOptions::default()
        },
        ..Job::new(
            transport,
            work,
            request.length,
            request.family,
            request.port,
        )
    }
}

pub(super) fn udp_stream(request: &UdpStreamRequest) -> Job {
    let size = request.message_size;
    let work = Work::Receive { size };
    Job {
        avoids_copies: request.recv_avoidance == 1,
        options: DataOptions {
            recv_buffer: request.recv_buffer,
            connected: request.connected,
            ..DataOptions::default()
        },
        ..Job::new(
            Transport::Udp,
            work,
            request.length,
            request.family,
            request.port,
        )
    }
}
