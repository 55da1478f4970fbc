//! `netdyno lab sweep`.

use std::fs;
use std::process::ExitCode;

use report::lab::document::{Command, Document, Point, Points, SweepSetup};
use report::lab::plot::{self, Curve};
use sim::qdisc::{
    Discipline, Mapping, Nic, Placement, RootProtocol, Setup, Start, Switches, simulate,
};
use sim::{Contended, Contest, LockKind, Picos, Platform};

use crate::cli::lab::{Form, SweepRequest, Swept, fitting};
use crate::commands::screen;
use crate::exit::Exit;
use crate::say;

pub(super) fn sweep(request: &SweepRequest) -> ExitCode {
    let points = match &request.swept {
        Swept::Locks(locks) => all(request, locks, lock),
        Swept::Roots(roots) => all(request, roots, root),
    };
    let (title, unit) = match &request.swept {
        Swept::Locks(_) => ("one lock, simulated", "critical sections/s"),
        Swept::Roots(_) => ("one qdisc, simulated", "packets/s"),
    };
    let curves = curves(&points);
    if let Some(path) = &request.svg {
        let title = format!("{title} on {}", request.platform.name);
        if let Err(error) = fs::write(path, plot::svg(&title, &curves, unit)) {
            say!("writing the plot to {}: {error}", path.display());
            return Exit::Usage.into();
        }
    }
    let text = match request.form {
        Form::Json => {
            let setup = SweepSetup {
                platform: &request.platform.name,
                think_ns: request.think,
                hold_ns: request.hold,
                simulated_ns: request.time.get(),
                seed: request.seed,
            };
            let points = Points { points: &points };
            let platform = &request.platform;
            report::lab::json(&Document::simulated(
                Command::Sweep,
                platform,
                setup,
                points,
            ))
        }
        Form::Text => {
            let columns = screen::style().width.saturating_sub(14).min(90);
            let unit = format!("{title} on {}: {unit}", request.platform.name);
            plot::text(&curves, &unit, columns, 20)
        }
    };
    crate::commands::print(&text)
}

fn all<T: Copy>(
    request: &SweepRequest,
    kinds: &[T],
    simulate: impl Fn(&SweepRequest, T, usize) -> (String, f64),
) -> Vec<Point> {
    let pairs = kinds
        .iter()
        .flat_map(|kind| request.cpus.iter().map(move |cpus| (*kind, *cpus)));
    pairs
        .map(|(kind, cpus)| {
            let (curve, per_second) = simulate(request, kind, cpus);
            Point {
                curve,
                cpus,
                per_second,
            }
        })
        .collect()
}

fn curves(points: &[Point]) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for point in points {
        let at = (point.cpus as f64, point.per_second);
        match curves.iter_mut().find(|curve| curve.name == point.curve) {
            Some(curve) => curve.points.push(at),
            None => curves.push(Curve {
                name: point.curve.clone(),
                points: vec![at],
            }),
        }
    }
    curves
}

fn platform(request: &SweepRequest, cpus: usize) -> Platform {
    let mut platform = request.platform.clone();
    platform.shape = fitting(platform.shape, cpus);
    platform
}

fn lock(request: &SweepRequest, lock: LockKind, cpus: usize) -> (String, f64) {
    let contest = Contest {
        platform: platform(request, cpus),
        cpus,
        lock: Contended::Lock(lock),
        think: Picos::from_nanos(request.think),
        hold: Picos::from_nanos(request.hold),
        exponential: true,
        data_lines: 1,
        embedded: false,
        duration: Picos::new(request.time.get() * 1000),
        seed: request.seed,
    };
    (lock.to_string(), contest.run().per_second)
}

/// One transmit queue, as many senders as CPUs; the lock is what kernels had with each root.
fn root(request: &SweepRequest, root: RootProtocol, cpus: usize) -> (String, f64) {
    let duration = Picos::new(request.time.get() * 1000);
    let setup = Setup {
        platform: platform(request, cpus),
        cpus,
        senders: cpus,
        placement: Placement::Pinned,
        start: Start::Together,
        socket_packets: Setup::SOCKET_PACKETS,
        wire_bytes: 84,
        lock: match root {
            RootProtocol::None | RootProtocol::Busylock => LockKind::Ticket,
            RootProtocol::Lockless | RootProtocol::Deferred => LockKind::Qspin,
        },
        root,
        discipline: match root {
            RootProtocol::Lockless => Discipline::PfifoFast,
            _ => Discipline::Fifo,
        },
        limit: 1000,
        txqs: 1,
        multiqueue: false,
        mapping: Mapping::Single,
        batch: match root {
            RootProtocol::Deferred => 64,
            _ => 1,
        },
        nic: Nic::INFINITE,
        switches: Switches::default(),
        duration,
        warm_up: Picos::new(duration.get() / 2),
        seed: request.seed,
    };
    let sent = simulate(&setup).map(|sent| sent.packets_per_second);
    let name = format!("{root:?}").to_lowercase();
    (name, sent.unwrap_or(0.0))
}
