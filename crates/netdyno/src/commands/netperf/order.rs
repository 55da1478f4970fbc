//! From netperf's request to the engine's job.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use engine::netperf::client::{Control, Job};
use plan::{Family, Timing};
use proto::netperf::{DataOptions, Pace, TestName, TestRequest, Transport, Work};
use report::dialect::netperf::Way;
use units::{BitRate, Bytes, Nanos};

use crate::dialect::netperf::NetperfRequest;

/// Services that take data without a server: discard, chargen, echo.
const DISCARD: u16 = 9;
const CHARGEN: u16 = 19;
const ECHO: u16 = 7;

/// Where the control connection goes.
///
/// # Errors
/// A sentence about a name that has no address.
pub(super) fn control(request: &NetperfRequest) -> Result<Control, String> {
    let control = &request.control;
    let addresses = look_up(&control.host, control.port, control.family)?;
    let local = match &control.local_host {
        Some(host) => Some(first(host, control.local_port, family_of(&addresses))?),
        None if control.local_port != 0 => addresses.first().map(|address| {
            let any = match address.ip() {
                IpAddr::V4(_) => IpAddr::from([0; 4]),
                IpAddr::V6(_) => IpAddr::from([0; 16]),
            };
            SocketAddr::new(any, control.local_port)
        }),
        None => None,
    };
    Ok(Control {
        addresses,
        local,
        passphrase: control.passphrase.clone(),
        absent: control.absent,
    })
}

/// The test, once it is known to which address the control connection goes.
///
/// # Errors
/// A sentence about a name that has no address.
pub(super) fn job(request: &NetperfRequest, peer: SocketAddr) -> Result<Job, String> {
    let data = &request.data;
    let socket = &data.socket;
    let elsewhere = match &data.hosts.remote {
        Some(host) => Some(first(host, 0, data.families.remote)?),
        None => None,
    };
    let target = elsewhere.map_or(peer.ip(), |address| address.ip());
    let family = match target {
        IpAddr::V4(_) => Family::V4,
        IpAddr::V6(_) => Family::V6,
    };
    let local_address = match request.local_data_host() {
        Some(host) => Some(first(host, 0, family)?.ip()),
        None => None,
    };
    let absent = request.control.absent;
    let asked = |size: Option<Bytes>| size.unwrap_or(Bytes::new(1));
    let request_size = asked(data.sizes.request);
    let work = match data.way {
        // The size of a request is that of a send in every test.
        Way::Send => Work::Send {
            size: data.sizes.request.or(data.sizes.send.local),
        },
        Way::Receive => Work::Receive {
            size: data.sizes.response.or(data.sizes.recv.local),
        },
        Way::Both | Way::ConnectBoth => Work::Exchange {
            request: request_size,
            // An echo service gives back what it got.
            response: if absent {
                request_size
            } else {
                asked(data.sizes.response)
            },
            reconnects: data.way == Way::ConnectBoth,
        },
        Way::Connect => Work::Connect,
    };
    let usual_port = match data.way {
        Way::Send | Way::Connect => DISCARD,
        Way::Receive => CHARGEN,
        Way::Both | Way::ConnectBoth => ECHO,
    };
    let udp = data.transport == Transport::Udp;
    Ok(Job {
        request: request
            .test_request(family, 0)
            .unwrap_or_else(|| TestRequest::new(proto::netperf::Test::Omni)),
        server_cpu: request.cpus.remote,
        transport: data.transport,
        work,
        only_connects: request.test == TestName::TcpMss,
        sendfile: request.test == TestName::TcpSendfile,
        file: data.fill_files.local.clone().map(Into::into),
        places: places(data.alignments.local, data.offsets.local),
        width: Some(data.widths.0).filter(|width| *width > 0),
        avoids_copies: data.avoids_copies,
        times_calls: request.latency && !data.way.counts_transactions(),
        tries_again: data.keeps_trying,
        length: request.length,
        delay: request.delay,
        cpu: request.cpus.local,
        measures_cpu: request.cpu_rates.local.is_some(),
        data: elsewhere.map(|address| address.ip()),
        data_port: Some(data.ports.remote)
            .filter(|port| *port != 0)
            .unwrap_or(usual_port),
        family,
        local_address,
        local_port: data.ports.local,
        port_range: data.port_range,
        options: DataOptions {
            send_buffer: socket.send_buffer.local,
            recv_buffer: socket.recv_buffer.local,
            nodelay: socket.nodelay && !udp,
            keepalive: socket.keepalive,
            dontroute: socket.dontroute,
            mtu_discover: socket.mtu_discover,
            priority: socket.priority.local,
            tos: socket.tos.local.filter(|tos| *tos > 0),
            congestion: socket.congestion.local.clone(),
            fastopen: socket.fastopen,
            ..DataOptions::default()
        },
        pacing: socket
            .pacing_bytes_per_second
            .map(|bytes| BitRate::new(bytes.saturating_mul(8))),
        multicast_ttl: socket.multicast_ttl,
        mss: socket.mss,
        cork: socket.cork,
        burst: data.burst,
        patience: data
            .answer_timeout_seconds
            .map(|seconds| Nanos::from_secs(seconds.into())),
        pace: request.paces.local.or_else(|| spaced(request)),
        interim: request.interim.map(|wish| wish.interval),
        interval: Timing::DEFAULT_INTERVAL,
    })
}

/// Datagrams at the rate that the kernel is to keep: it paces them in the qdisc fq only.
fn spaced(request: &NetperfRequest) -> Option<Pace> {
    let data = &request.data;
    let sends = data.transport == Transport::Udp && data.way == Way::Send;
    let rate = data.socket.pacing_bytes_per_second.filter(|_| sends)?;
    let size = data.sizes.request.or(data.sizes.send.local);
    let size = size.unwrap_or(proto::netperf::Job::LONGEST_DATAGRAM);
    // A timer for each millisecond, or for each datagram of a slow flow.
    let burst = (rate / 1000).div_ceil(size.get().max(1)).max(1);
    let time = u128::from(burst * size.get()) * 1_000_000_000 / u128::from(rate.max(1));
    Some(Pace {
        burst: u32::try_from(burst).unwrap_or(u32::MAX),
        interval: Nanos::new(u64::try_from(time).unwrap_or(u64::MAX)),
    })
}

/// Alignment and offset of what is sent and of what is received; more than a page's worth is none.
fn places(alignments: (u32, u32), offsets: (u32, u32)) -> ((u16, u16), (u16, u16)) {
    let fits = |value: u32| u16::try_from(value).unwrap_or(0);
    (
        (fits(alignments.0), fits(offsets.0)),
        (fits(alignments.1), fits(offsets.1)),
    )
}

fn first(host: &str, port: u16, family: Family) -> Result<SocketAddr, String> {
    let mut found = look_up(host, port, family)?;
    Ok(found.swap_remove(0))
}

/// All addresses of the family; at least one.
fn look_up(host: &str, port: u16, family: Family) -> Result<Vec<SocketAddr>, String> {
    let found = (host, port).to_socket_addrs();
    let found = found.map_err(|error| format!("looking up '{host}': {error}"))?;
    let fits = |address: &SocketAddr| match family {
        Family::Any => true,
        Family::V4 => address.is_ipv4(),
        Family::V6 => address.is_ipv6(),
    };
    let found: Vec<_> = found.filter(fits).collect();
    if found.is_empty() {
        return Err(format!("'{host}' has no address of the family asked for"));
    }
    Ok(found)
}

fn family_of(addresses: &[SocketAddr]) -> Family {
    match addresses.first() {
        Some(SocketAddr::V4(_)) => Family::V4,
        Some(SocketAddr::V6(_)) => Family::V6,
        None => Family::Any,
    }
}
