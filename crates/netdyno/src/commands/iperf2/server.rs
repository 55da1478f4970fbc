//! `iperf -s`

use std::net::IpAddr;
use std::process::ExitCode;

use engine::iperf2::server::{Config, Server};
use engine::iperf2::{BinScale, Event, FlowFacts, SocketOrder};
use plan::{Family, Transport};
use proto::iperf2::{Mode, PermitKey};
use report::dialect::iperf2::{Mss, Role as Shown, Settings, Window};
use sys::signal::Signals;
use units::{BitRate, Bytes};

use super::screen::Screen;
use super::{Role, look_up, print};
use crate::dialect::iperf2::{HistogramWish, Interval, Key, Rate, ServerRequest, Socket};
use crate::say;

/// Descriptors of a server with very many flows.
const DESCRIPTORS: u64 = 65_536;

/// Serves until it is told to end.
pub(super) fn serve(request: &ServerRequest, signals: &Signals) -> ExitCode {
    sys::limits::descriptors(DESCRIPTORS);
    let key = match &request.common.key {
        None => None,
        Some(Key::Given(key)) => Some(key.clone()),
        Some(Key::MadeUp) => match made_up() {
            Some(key) => Some(key),
            None => {
                say!("the system has no randomness for a key");
                return ExitCode::FAILURE;
            }
        },
    };
    let config = match config(request, key.as_deref()) {
        Ok(config) => config,
        Err(reason) => {
            say!("{reason}");
            return ExitCode::FAILURE;
        }
    };
    let bind = config.bind;
    let server = match Server::bind(config) {
        Ok(server) => server,
        Err(error) => {
            say!("listener bind failed: {error}");
            return ExitCode::FAILURE;
        }
    };
    let settings = settings(request, &server, bind, key.as_deref());
    print(&settings.text(&request.common.form));
    let mut screen = Screen::new(Role::Server, &request.common);
    screen.sums_by_destination = request.sums_by_destination;
    screen.jitter_histogram = request.jitter_histogram;
    screen.key = key;
    let served = server.run(Some(signals), &mut |event| {
        super::tell(&mut screen, &event);
        if let Event::Flow(facts) = &event {
            print(&connecting_back(request, facts));
        }
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say!("serving: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What a server says of a connection back, which it makes as a client does.
fn connecting_back(request: &ServerRequest, facts: &FlowFacts) -> String {
    let header = facts.header.as_ref();
    let asked = header.filter(|header| matches!(header.mode, Mode::Dual | Mode::Tradeoff));
    let Some(header) = asked.filter(|_| facts.is_against_role) else {
        return String::new();
    };
    let role = Shown::Client {
        host: facts.peer.ip().to_canonical().to_string(),
        device: None,
        flows: 1,
    };
    let transport = request.common.transport;
    let size = match (header.size, transport) {
        (0, Transport::Tcp) => 128 << 10,
        (0, Transport::Udp) => 1470,
        (size, _) => u64::from(size),
    };
    let rate = header.extended.as_ref().and_then(|extended| extended.rate);
    let rate = rate.filter(|rate| *rate > 0 && transport == Transport::Udp);
    let settings = Settings {
        pid: std::process::id(),
        buffer_bytes: size,
        gap_usecs: rate.map(|rate| size as f64 * 8e6 / rate as f64),
        window: facts.buffer.map(|bytes| Window {
            bytes: bytes.get(),
            asked: None,
        }),
        ..Settings::new(role, transport, facts.peer.port())
    };
    settings.text(&request.common.form)
}

fn config(request: &ServerRequest, key: Option<&str>) -> Result<Config, String> {
    let common = &request.common;
    let udp = common.transport == Transport::Udp;
    let bind = match common.bind.as_ref().filter(|bind| !bind.host.is_empty()) {
        Some(bind) => look_up(&bind.host, 0, common.family)?
            .first()
            .map(|end| end.ip()),
        None => None,
    };
    Ok(Config {
        tcp: !udp,
        udp,
        bind,
        source: request.source,
        // IPv6 is for both.
        family: match common.family {
            Family::V4 => Family::V4,
            Family::V6 | Family::Any => Family::Any,
        },
        ports: (*common.ports.start(), *common.ports.end()),
        socket: SocketOrder {
            device: common.bind.as_ref().and_then(|bind| bind.device.clone()),
            ..order(&common.socket)
        },
        size: usize::try_from(request.length().get()).unwrap_or(usize::MAX),
        key: key.and_then(|key| PermitKey::new(key.as_bytes())),
        key_lasts: request.key_timeout,
        read_rate: match common.rate {
            Some(Rate::Bits { mean, .. }) => Some(BitRate::new(mean)),
            Some(Rate::Packets(_)) | None => None,
        },
        one_at_a_time: request.one_at_a_time || bind.is_some_and(|bind| bind.is_multicast()),
        flows: request.flows,
        time: request.time,
        tos_override: common.socket.tos_override,
        enhanced: common.form.enhanced,
        interval: match common.interval {
            Some(Interval::Every(interval)) => Some(interval),
            Some(Interval::Frames) | None => None,
        },
        by_frame: common.interval == Some(Interval::Frames),
        checks_packets: common.checks_packets,
        bins: common.histogram.map(scale),
        jitter_bins: request.jitter_histogram.map(scale),
        skips_copy: common.skips_copy,
        omit: common.omit,
        ..Config::default()
    })
}

/// Bins, as the engine takes them.
pub(super) fn scale(wish: HistogramWish) -> BinScale {
    BinScale {
        width: wish.width,
        bins: u32::try_from(wish.bins).unwrap_or(u32::MAX),
    }
}

/// Options of data sockets, as the engine takes them.
pub(super) fn order(socket: &Socket) -> SocketOrder {
    SocketOrder {
        window: socket.window,
        mss: socket.mss.map(|mss| Bytes::new(mss.into())),
        nodelay: socket.nodelay,
        congestion: socket.congestion.clone(),
        tos: socket.tos,
        ttl: socket.ttl,
        fq_rate: socket.pace.map(|pace| BitRate::new(pace.bits_per_second)),
        local_only: socket.local_only,
        quickack: socket.quickack,
        window_clamp: socket.clamp,
        prefetch: socket.prefetch,
        tx_delay: socket.tx_delay,
        device: None,
    }
}

fn settings(
    request: &ServerRequest,
    server: &Server,
    bind: Option<IpAddr>,
    key: Option<&str>,
) -> Settings {
    let common = &request.common;
    let group = bind.filter(|bind| bind.is_multicast());
    let window = server.window().map(|window| Window {
        bytes: window.get(),
        asked: common.socket.window.map(Bytes::get),
    });
    let found = server.mss().filter(|_| common.prints_mss);
    let timeout = request.key_timeout.map(|timeout| timeout.as_secs_f64());
    Settings {
        ports: common.ports.clone(),
        pid: std::process::id(),
        buffer_bytes: request.length().get(),
        mss: match common.socket.mss {
            Some(mss) => Some(Mss::Asked(mss)),
            None => found.map(|mss| Mss::Found(mss.get() as u32)),
        },
        congestion: common.socket.congestion.clone(),
        tos: common.socket.tos,
        window,
        histogram: common
            .histogram
            .map(|wish| (wish.width.get() / 1000, wish.bins)),
        bind: bind.filter(|bind| !bind.is_multicast()),
        bind_device: common.bind.as_ref().and_then(|bind| bind.device.clone()),
        group: group.map(|group| (group, request.source)),
        one_at_a_time: request.one_at_a_time || group.is_some(),
        by_frame: common.interval == Some(Interval::Frames),
        key: key.map(|key| (key.to_owned(), timeout)),
        ..Settings::new(Shown::Server, common.transport, *common.ports.start())
    }
}

/// A key of 32 hexadecimal digits.
fn made_up() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
