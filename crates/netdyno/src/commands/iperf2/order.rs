//! From a client's command line to what the engine is to do.

use std::fs::File;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsFd;

use engine::iperf2::client::{Kind, Leg, Length, LoadOrder, Offer, Order, Source};
use engine::iperf2::{BounceOrder, SocketOrder};
use plan::{Family, Transport};
use proto::iperf2::{FrameSettings, Mode as Wire, PermitKey};
use units::{BitRate, Nanos};

use super::look_up;
use super::server::{order as socket_order, scale};
use crate::dialect::iperf2::{
    self as asked, Amount, Bounceback, ClientRequest, Interval, Key, Mode, Pattern, Rate,
};

/// How long a connection may take where nothing is said about it.
const PATIENCE: Nanos = Nanos::from_secs(30);
/// How long the server's ack is waited for.
const ACK: Nanos = Nanos::from_secs(4);

/// The order, with names looked up and files opened.
///
/// # Errors
/// A sentence.
pub(super) fn order(request: &ClientRequest) -> Result<Order, String> {
    let common = &request.common;
    let is_tcp = common.transport == Transport::Tcp;
    let (mode, listen_port) = match &request.mode {
        Mode::Forward | Mode::Bounceback(_) | Mode::ConnectOnly(_) => (Wire::Forward, 0),
        Mode::Dual(port) => (Wire::Dual, *port),
        Mode::Tradeoff(port) => (Wire::Tradeoff, *port),
        Mode::Reverse => (Wire::Reverse, 0),
        Mode::FullDuplex => (Wire::FullDuplex, 0),
    };
    let connecting = &request.connecting;
    let interval = match common.interval {
        Some(Interval::Every(interval)) => Some(interval),
        Some(Interval::Frames) | None => None,
    };
    let key = match &common.key {
        Some(Key::Given(key)) => PermitKey::new(key.as_bytes()),
        Some(Key::MadeUp) | None => None,
    };
    let bounce = match &request.mode {
        Mode::Bounceback(bounce) => Some(bounce),
        _ => None,
    };
    Ok(Order {
        legs: legs(request)?,
        is_tcp,
        mode,
        kind: kind(request, interval),
        length: match request.amount {
            Amount::Time(time) => Length::Time(time),
            Amount::Bytes(bytes) => Length::Bytes(bytes.get()),
            Amount::ForEver => Length::ForEver,
        },
        size: size(request.length().get()),
        size_given: common.length.is_some(),
        offer: offer(request),
        wire_rate: wire_rate(request, mode),
        socket: SocketOrder {
            device: request
                .device
                .clone()
                .or_else(|| common.bind.as_ref()?.device.clone()),
            ..socket_order(&common.socket)
        },
        header: !request.compatible,
        wants_ack: request.detects_peer,
        trip_times: request.trip_times,
        write_times: request.write_times,
        key,
        no_udp_fin: request.no_udp_fin,
        checks_packets: request.common.checks_packets,
        listen_port,
        source: source(&request.source)?,
        start_at: request
            .start
            .at_unix_seconds
            .map(|at| Nanos::new((at * 1e9) as u64)),
        delay: request.start.delay,
        spacing: request.start.spacing,
        connect_retries: connecting.retries,
        connect_spacing: connecting.spacing,
        connect_patience: if connecting.patience.is_zero() {
            PATIENCE
        } else {
            connecting.patience
        },
        ack_patience: connecting.exchange_timeout.unwrap_or(ACK),
        synchronised: connecting.synchronised,
        ignores_shutdown: request.ignores_shutdown,
        load: bounce.and_then(load),
        pace_step: common
            .socket
            .pace
            .and_then(|pace| pace.step)
            .map(|(step, every)| (BitRate::new(step), every)),
        skips_copy: common.skips_copy,
        names_flows: request.syncs_transfer_id,
        omit: common.omit,
        interval,
        bins: common.histogram.map(scale),
    })
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Addresses of all flows.
fn legs(request: &ClientRequest) -> Result<Vec<Leg>, String> {
    let common = &request.common;
    let (first, last) = (*common.ports.start(), *common.ports.end());
    let peer = look_up(&request.host, first, common.family)?;
    let peer = *peer
        .first()
        .ok_or_else(|| format!("{} has no address", request.host))?;
    let bind = common.bind.as_ref();
    let family = if peer.is_ipv6() {
        Family::V6
    } else {
        Family::V4
    };
    let local = match bind.filter(|bind| !bind.host.is_empty()) {
        Some(bind) => look_up(&bind.host, bind.port.unwrap_or(0), family)?
            .first()
            .copied(),
        None => bind.and_then(|bind| bind.port).map(|port| any(peer, port)),
    };
    let by_port = last > first || request.steps.destination_port;
    let steps = &request.steps;
    let leg = |number: u32| -> Option<Leg> {
        let step = |steps: bool| if steps { number } else { 0 };
        let port = |port: u16, steps: bool| u16::try_from(u32::from(port) + step(steps)).ok();
        let peer_ip = up(peer.ip(), step(steps.destination_address));
        let mut to = peer;
        to.set_ip(peer_ip);
        to.set_port(port(peer.port(), by_port)?);
        let from = match local {
            None => None,
            Some(local) => {
                let ip = up(local.ip(), step(steps.source_address));
                let steps_port = steps.source_port && local.port() > 0;
                Some(SocketAddr::new(ip, port(local.port(), steps_port)?))
            }
        };
        Some(Leg {
            peer: to,
            local: from,
        })
    };
    let flows = if last > first {
        // One flow a port, whatever -P says.
        u32::from(last - first) + 1
    } else {
        request.flows
    };
    (0..flows)
        .map(|number| leg(number).ok_or_else(|| "there are not as many ports".to_owned()))
        .collect()
}

fn any(peer: SocketAddr, port: u16) -> SocketAddr {
    let ip = if peer.is_ipv6() {
        IpAddr::from(Ipv6Addr::UNSPECIFIED)
    } else {
        IpAddr::from(Ipv4Addr::UNSPECIFIED)
    };
    SocketAddr::new(ip, port)
}

/// The address so many further on.
fn up(address: IpAddr, steps: u32) -> IpAddr {
    match address {
        IpAddr::V4(ip) => Ipv4Addr::from(u32::from(ip).wrapping_add(steps)).into(),
        IpAddr::V6(ip) => {
            let bits = u128::from(ip);
            let low = (bits as u32).wrapping_add(steps);
            Ipv6Addr::from(bits >> 32 << 32 | u128::from(low)).into()
        }
    }
}

fn kind(request: &ClientRequest, interval: Option<Nanos>) -> Kind {
    match &request.mode {
        Mode::Bounceback(bounce) => Kind::Bounce(bounce_order(request, bounce, interval)),
        Mode::ConnectOnly(count) => Kind::ConnectOnly {
            count: *count,
            spacing: interval.unwrap_or_default(),
        },
        _ => match request.pattern {
            Pattern::Even => Kind::Bulk,
            Pattern::Frames(frames) => Kind::Frames {
                settings: FrameSettings {
                    per_second: frames.per_second,
                    mean: frames.mean,
                    deviation: frames.deviation,
                    gap_ms: request.gap.map_or(0.0, |gap| gap.as_secs_f64() * 1e3),
                },
            },
            Pattern::Bursts { period, size } => Kind::Bursts { period, size },
            Pattern::NearCongestion(weight) => Kind::NearCongestion(weight),
        },
    }
}

fn bounce_order(
    request: &ClientRequest,
    bounce: &Bounceback,
    interval: Option<Nanos>,
) -> BounceOrder {
    let usual = Nanos::from_secs(4);
    BounceOrder {
        size: u32::try_from(request.length().get()).unwrap_or(u32::MAX),
        reply: bounce
            .reply
            .map(|reply| u32::try_from(reply.get()).unwrap_or(u32::MAX)),
        burst: bounce.burst,
        period: bounce.period,
        hold: bounce.hold,
        quickack: bounce.quickack,
        trip_times: request.trip_times,
        tos: request.common.socket.tos,
        patience: interval.unwrap_or(usual).max(usual) + bounce.hold,
        length: match request.amount {
            Amount::Time(time) => Some(time),
            Amount::Bytes(_) | Amount::ForEver => None,
        },
    }
}

fn load(bounce: &Bounceback) -> Option<LoadOrder> {
    let load = bounce.load.as_ref()?;
    Some(LoadOrder {
        up: load.up,
        down: load.down,
        flows: load.flows,
        congestion: load.congestion.clone(),
        lead: bounce.delay,
    })
}

fn offer(request: &ClientRequest) -> Offer {
    let rate = request.common.rate;
    match (request.common.transport, request.pattern, rate) {
        (_, Pattern::Frames(_), _) => Offer::Unlimited,
        (_, _, Some(Rate::Bits { mean, deviation })) if deviation > 0 => Offer::Varying {
            mean: mean as f64,
            deviation: deviation as f64,
        },
        // iperf 2.2's word for no limit.
        (_, _, Some(Rate::Bits { mean: 0, .. })) => Offer::Unlimited,
        (Transport::Tcp, _, Some(Rate::Bits { mean, .. })) => Offer::Rate(BitRate::new(mean)),
        (Transport::Tcp, ..) => Offer::Unlimited,
        (Transport::Udp, ..) => match request.gap_seconds() {
            Some(gap) => Offer::Gap(gap * 1e9),
            None => Offer::Unlimited,
        },
    }
}

/// What the header says of the rate.
fn wire_rate(request: &ClientRequest, mode: Wire) -> Option<u64> {
    let is_udp = request.common.transport == Transport::Udp;
    match request.common.rate {
        Some(Rate::Bits { mean, .. }) => Some(mean),
        // Only a server that sends asks for it, and it knows no datagrams a second.
        Some(Rate::Packets(pps)) if mode == Wire::Forward => Some(pps as u64),
        Some(Rate::Packets(pps)) => Some((pps * 8.0 * request.length().get() as f64) as u64),
        None if is_udp => match (request.gap, request.pattern) {
            (Some(_), Pattern::Even) => request
                .gap_seconds()
                .map(|gap| (request.length().get() as f64 * 8.0 / gap) as u64),
            _ => Some(ClientRequest::UDP_RATE),
        },
        None => None,
    }
}

fn source(source: &asked::Source) -> Result<Source, String> {
    Ok(match source {
        asked::Source::Digits => Source::Digits,
        asked::Source::File(path) => {
            let file = File::open(path);
            Source::File(file.map_err(|error| format!("-F {}: {error}", path.display()))?)
        }
        asked::Source::Stdin => {
            let stdin = std::io::stdin().as_fd().try_clone_to_owned();
            Source::File(File::from(stdin.map_err(|error| format!("-I: {error}"))?))
        }
    })
}
