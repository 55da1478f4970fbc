//! `iperf -c`

use std::process::ExitCode;

use engine::iperf2::client::{self, Length, Order};
use engine::iperf2::{Event, FlowFacts};
use plan::Transport;
use report::dialect::iperf2::{
    BounceSettings, BurstSettings, FrameSettings, Mss, Role as Shown, Settings, Window,
};
use sys::signal::Signals;
use units::Bytes;

use super::kept::Kept;
use super::order;
use super::screen::Screen;
use super::{Role, print};
use crate::dialect::iperf2::{ClientRequest, Key, Mode, Pattern};
use crate::say;

/// Descriptors beside those of flows, and two of each flow.
const SPARE_DESCRIPTORS: u64 = 256;

/// Does the test.
pub(super) fn test(request: &ClientRequest, argv: &[String], signals: &Signals) -> ExitCode {
    let order = match order::order(request) {
        Ok(order) => order,
        Err(reason) => {
            say!("{reason}");
            return ExitCode::FAILURE;
        }
    };
    sys::limits::descriptors(2 * order.legs.len() as u64 + SPARE_DESCRIPTORS);
    let mut screen = Screen::new(Role::Client, &request.common);
    screen.times_writes = order.write_times;
    screen.starts = request.start;
    screen.ends_by_time = matches!(order.length, Length::Time(_));
    screen.key = match &request.common.key {
        Some(Key::Given(key)) => Some(key.clone()),
        Some(Key::MadeUp) | None => None,
    };
    let settings = settings(request, &order);
    let own = order.legs.len() as u32;
    let peer = order.legs.first().map(|leg| leg.peer.ip());
    let mut kept = peer.map(|peer| Kept::begin(request, own, peer, argv));
    let mut shown = false;
    let mut show = |facts: Option<&FlowFacts>| {
        if !std::mem::replace(&mut shown, true) {
            // The kernel's own size is known with the first socket.
            let window = facts.and_then(|facts| facts.buffer).map(|bytes| Window {
                bytes: bytes.get(),
                asked: request.common.socket.window.map(Bytes::get),
            });
            let mss = facts.and_then(|facts| facts.tcp?.tcpi_snd_mss);
            let mss = match request.common.socket.mss {
                Some(mss) => Some(Mss::Asked(mss)),
                None => mss
                    .filter(|_| request.common.prints_mss)
                    .map(|mss| Mss::Found(mss as u32)),
            };
            let settings = Settings {
                window,
                mss,
                ..settings.clone()
            };
            print(&settings.text(&request.common.form));
        }
    };
    let outcome = client::run(order, Some(signals), &mut |event| {
        match &event {
            Event::Flow(facts) => show(Some(facts)),
            Event::Listens { port, window } => print(&listening(request, *port, *window)),
            _ => (),
        }
        if let Some(kept) = &mut kept {
            kept.hear(&event);
        }
        super::tell(&mut screen, &event);
    });
    show(None);
    if let Some(kept) = kept {
        kept.finish(&outcome);
    }
    match outcome {
        Ok(outcome) => {
            print(&screen.connect_times(0));
            for failure in &outcome.failures {
                say!("{failure}");
            }
            if outcome.failures.is_empty() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            say!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// What a client says of its listener for connections back.
fn listening(request: &ClientRequest, port: u16, window: Option<Bytes>) -> String {
    let common = &request.common;
    let settings = Settings {
        pid: std::process::id(),
        buffer_bytes: request.length().get(),
        window: window.map(|bytes| Window {
            bytes: bytes.get(),
            asked: None,
        }),
        ..Settings::new(Shown::Server, common.transport, port)
    };
    settings.text(&common.form)
}

fn settings(request: &ClientRequest, order: &Order) -> Settings {
    let common = &request.common;
    let role = Shown::Client {
        host: request.host.clone(),
        device: request.device.clone(),
        flows: order.legs.len() as u32,
    };
    let bounce = match &request.mode {
        Mode::Bounceback(bounce) => Some(bounce),
        _ => None,
    };
    let udp = common.transport == Transport::Udp;
    Settings {
        ports: common.ports.clone(),
        pid: std::process::id(),
        buffer_bytes: request.length().get(),
        times_writes: request.write_times,
        bursts: match (request.pattern, bounce) {
            (_, Some(bounce)) => Some(BurstSettings {
                bytes: request.length().get(),
                writes: Some(bounce.burst),
                period_seconds: bounce.period.as_secs_f64(),
            }),
            (Pattern::Bursts { period, size }, None) => Some(BurstSettings {
                bytes: size.get(),
                writes: None,
                period_seconds: period.as_secs_f64(),
            }),
            _ => None,
        },
        bounceback: bounce.map(|bounce| BounceSettings {
            bytes: request.length().get(),
            hold_usecs: bounce.hold.get() / 1000,
            quickack: bounce.quickack,
        }),
        isochronous: match request.pattern {
            Pattern::Frames(frames) => Some(FrameSettings {
                frames_per_second: frames.per_second,
                mean_bits_per_second: frames.mean,
                stdev_bits_per_second: frames.deviation,
                gap_ms: request.gap.map_or(0.0, |gap| gap.as_secs_f64() * 1e3),
            }),
            _ => None,
        },
        pace_bytes_per_second: common.socket.pace.map(|pace| pace.bits_per_second / 8),
        congestion: common.socket.congestion.clone(),
        tos: common.socket.tos,
        nodelay: common.socket.nodelay || bounce.is_some(),
        near_congestion: match request.pattern {
            Pattern::NearCongestion(weight) => Some((weight, weight == 0.5)),
            _ => None,
        },
        gap_usecs: request.gap_seconds().filter(|_| udp).map(|gap| gap * 1e6),
        prefetch_bytes: common.socket.prefetch.map(Bytes::get),
        histogram: common
            .histogram
            .filter(|_| request.write_times)
            .map(|wish| (wish.width.get() / 1000, wish.bins)),
        only_connects: matches!(request.mode, Mode::ConnectOnly(_)),
        ..Settings::new(role, common.transport, *common.ports.start())
    }
}
