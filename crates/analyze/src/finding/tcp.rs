//! What TCP's own clocks say: since when its sockets had data, and what they waited for
//! (enum tcp_chrono of include/linux/tcp.h, read by TCP_INFO).

use record::{Cause, End, Finding, Granted, Run};
use units::{Bytes, Nanos};

use super::cpu::is_starved;
use super::target::speed;
use super::way::Way;
use super::{finding, percent, row};

/// Of the measured time and the warm-up, over all flows.
pub(super) struct Waits {
    pub idle: f64,
    pub receive_window: f64,
    pub send_buffer: f64,
    /// Data was there, the peer's window and the buffer allowed more: the congestion window, the
    /// pacing or the CPU did not.
    pub rest: f64,
}

impl Way<'_> {
    pub fn waits(&self) -> Option<Waits> {
        let tcp = self.tcp()?;
        let life = (self.received.seconds + self.omitted) * f64::from(tcp.flows) * 1e6;
        let busy = tcp.busy_us? as f64 / life;
        let receive_window = tcp.rwnd_limited_us.unwrap_or(0) as f64 / life;
        let send_buffer = tcp.sndbuf_limited_us.unwrap_or(0) as f64 / life;
        // The sockets' clocks also run a little before and after the measured time.
        let scale = if busy > 1.0 { 1.0 / busy } else { 1.0 };
        Some(Waits {
            idle: (1.0 - busy).max(0.0),
            receive_window: receive_window * scale,
            send_buffer: send_buffer * scale,
            rest: ((busy - receive_window - send_buffer) * scale).max(0.0),
        })
    }

    pub fn idle(&self) -> Option<f64> {
        Some(self.waits()?.idle)
    }

    fn granted(&self, end: End) -> Option<&Granted> {
        match end {
            End::Client => self.load.granted.client.as_ref(),
            End::Server => self.load.granted.server.as_ref(),
        }
    }
}

/// Share of the time from which on a window or a buffer is what holds a socket.
const HELD: f64 = 0.1;

impl Waits {
    /// Whether the receiver's window or the send buffer held the sockets.
    pub fn are_of_buffers(&self) -> bool {
        self.receive_window >= HELD || self.send_buffer >= HELD
    }
}

pub(super) fn findings(run: &Run, way: &Way) -> Vec<Finding> {
    let Some(waits) = way.waits() else {
        return Vec::new();
    };
    // A reader that gets no CPU closes the window, and a writer that gets none leaves the buffer
    // empty: then the CPU is the cause, and cpu.rs says so.
    // A buffer that was asked for keeps the reader busy with many small reads: it is the cause.
    let late_reader = !way.has_chosen_window() && is_starved(run, way, way.receiver());
    [
        receive_window(run, way, &waits, late_reader),
        send_buffer(way, &waits),
        no_data(run, way, &waits),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn receive_window(run: &Run, way: &Way, waits: &Waits, late_reader: bool) -> Option<Finding> {
    let receiver = way.receiver();
    let share = waits.receive_window;
    let explains = way.held_by(share, waits);
    let mut evidence = vec![row(
        way.sender,
        "tcp.rwnd_limited",
        share,
        "share",
        format!(
            "the receiver's window stopped it for {} of the time{}",
            percent(share),
            way.between(share, explains)
        ),
    )];
    if let Some(buffer) = way
        .granted(receiver)
        .and_then(|granted| granted.rcvbuf_bytes)
    {
        evidence.push(row(
            receiver,
            "granted.rcvbuf",
            buffer as f64,
            "bytes",
            format!("receive buffer {}", Bytes::new(buffer)),
        ));
    }
    evidence.extend(way.round_trip());
    // Of a reader whose host told nothing nobody knows whether it was late.
    let unknown = run.hosts_observed.of(receiver).is_none();
    let confidence = match (late_reader, unknown) {
        (true, _) => 0.4,
        (false, true) => 0.6,
        (false, false) => 0.9,
    };
    let explains = if late_reader { share * 0.5 } else { explains };
    (share >= HELD).then(|| {
        finding(
            Cause::ReceiveWindow,
            way.name(),
            (explains, confidence),
            evidence,
            "raise the receiver's buffer (rcvbuf=, net.ipv4.tcp_rmem) to rate x round trip",
        )
    })
}

fn send_buffer(way: &Way, waits: &Waits) -> Option<Finding> {
    let share = waits.send_buffer;
    let mut evidence = vec![row(
        way.sender,
        "tcp.sndbuf_limited",
        share,
        "share",
        format!(
            "all that the send buffer holds was in flight for {} of the time{}",
            percent(share),
            way.between(share, way.held_by(share, waits))
        ),
    )];
    if let Some(buffer) = way
        .granted(way.sender)
        .and_then(|granted| granted.sndbuf_bytes)
    {
        evidence.push(row(
            way.sender,
            "granted.sndbuf",
            buffer as f64,
            "bytes",
            format!("send buffer {}", Bytes::new(buffer)),
        ));
    }
    evidence.extend(way.round_trip());
    (share >= HELD).then(|| {
        finding(
            Cause::SendBuffer,
            way.name(),
            (way.held_by(share, waits), 0.9),
            evidence,
            "raise the sender's buffer (sndbuf=, net.ipv4.tcp_wmem) to rate x round trip",
        )
    })
}

/// No rate was asked for, yet the sockets had nothing to send.
fn no_data(run: &Run, way: &Way, waits: &Waits) -> Option<Finding> {
    let asked = way.rate_asked().is_some() || way.pace_asked().is_some();
    let starved = is_starved(run, way, way.sender);
    let says = format!(
        "its sockets had nothing to send for {} of the time",
        percent(waits.idle)
    );
    let free = !asked && !starved && waits.idle >= 0.3;
    free.then(|| {
        finding(
            Cause::Application,
            way.name(),
            (waits.idle, 0.6),
            vec![row(way.sender, "tcp.busy", 1.0 - waits.idle, "share", says)],
            "see what keeps the sending thread from writing: scheduling, a stopped process, size=",
        )
    })
}

impl Way<'_> {
    /// A socket that a window or buffer stops again and again waits for the next acknowledgement in
    /// between, or for its pacing: without a loss that time is the window's too.
    fn held_by(&self, share: f64, waits: &Waits) -> f64 {
        let lossless = self.retransmits.is_none_or(|segments| segments == 0);
        let all = waits.receive_window + waits.send_buffer;
        match lossless && all > 0.0 {
            true => share + waits.rest * share / all,
            false => share,
        }
    }

    /// What else the share of a window or buffer holds, where it explains more than it held.
    fn between(&self, share: f64, explains: f64) -> &'static str {
        match explains > share + 0.1 {
            true => ", and without any loss what else it waited for came of that",
            false => "",
        }
    }

    /// What the window and the round trip allow, beside what was reached.
    pub fn round_trip(&self) -> Option<record::Evidence> {
        let rtt_us = self.tcp()?.rtt_us?;
        let says = format!(
            "round trip {}, which at {} holds {}",
            Nanos::new(rtt_us.saturating_mul(1000)),
            speed(self.rate()),
            Bytes::new(
                (self.rate() / 8.0 * rtt_us as f64 / 1e6 / f64::from(self.load.flows)) as u64
            )
        );
        Some(row(self.sender, "tcp.rtt", rtt_us as f64, "us", says))
    }
}
