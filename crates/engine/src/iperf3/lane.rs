//! A stream at one end: its socket and what it has counted.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use proto::iperf3::{Cookie, Omitted, Parameters, PathSummary, Protocol, StreamId, StreamResult};
use record::TcpInfo;
use sys::Options;
use units::Nanos;

use super::counts::Counts;
use super::mark::Mark;
use super::{Connected, Datagrams, PathSample, StreamInterval, StreamOutcome};

/// A stream that is connected.
pub(super) struct Lane {
    pub connected: Connected,
    pub socket: Arc<OwnedFd>,
    pub counts: Arc<Counts>,
    protocol: Protocol,
    /// What TCP counts as acknowledged before the first payload.
    acked_before: u64,
    /// Where what counts begins.
    base: Mark,
    /// The edge before.
    last: Mark,
    /// Losses that intervals have shown so far.
    shown_lost: u64,
    path: Path,
}

/// The sender's path over the counted time.
#[derive(Default)]
struct Path {
    summary: PathSummary,
    rtt_sum_us: u64,
    samples: u64,
}

impl Path {
    fn take(&mut self, info: &TcpInfo) {
        let summary = &mut self.summary;
        let rtt = info.tcpi_rtt.unwrap_or(0);
        summary.max_cwnd = summary.max_cwnd.max(cwnd(info));
        summary.max_window = summary.max_window.max(info.tcpi_snd_wnd.unwrap_or(0));
        summary.max_rtt_us = summary.max_rtt_us.max(rtt);
        summary.min_rtt_us = match self.samples {
            0 => rtt,
            _ => summary.min_rtt_us.min(rtt),
        };
        summary.reorder = summary.reorder.max(info.tcpi_reordering.unwrap_or(0));
        self.rtt_sum_us += rtt;
        self.samples += 1;
        summary.mean_rtt_us = self.rtt_sum_us / self.samples;
    }
}

fn since(now: Option<u64>, before: Option<u64>) -> Option<u64> {
    Some(now?.saturating_sub(before?))
}

/// What the output calls the `index`-th stream. iperf3 takes its descriptor: the first free one of a
/// process that has nothing else open, with a file of its own behind it. Scripts look for `[  5]`.
fn number(index: u32) -> i32 {
    const FIRST: i32 = 5;
    const STEP: i32 = 2;
    FIRST + STEP * index.cast_signed()
}

/// The congestion window in bytes.
fn cwnd(info: &TcpInfo) -> u64 {
    info.tcpi_snd_cwnd.unwrap_or(0) * info.tcpi_snd_mss.unwrap_or(0)
}

impl Lane {
    /// The stream that was opened as the `index`-th, at the client's end or the server's.
    pub fn new(
        index: u32,
        socket: OwnedFd,
        remote: SocketAddr,
        sends: bool,
        parameters: &Parameters,
        client: bool,
    ) -> Self {
        let connected = Connected {
            id: StreamId::of_index(index),
            number: number(index),
            sends,
            local: sys::local_address(&socket).unwrap_or(remote),
            remote,
        };
        let acked = sys::tcp_info(&socket).ok();
        let acked = acked.and_then(|info| info.tcpi_bytes_acked).unwrap_or(0);
        // A client's SYN and cookie, which may be acknowledged in a moment.
        let least = if client { 1 + Cookie::LEN as u64 } else { 0 };
        Self {
            acked_before: acked.max(least),
            connected,
            socket: Arc::new(socket),
            counts: Arc::default(),
            protocol: parameters.protocol,
            base: Mark::default(),
            last: Mark::default(),
            shown_lost: 0,
            path: Path::default(),
        }
    }

    /// Counting begins.
    pub fn begin(&mut self, now: Nanos) {
        self.last = self.mark(now);
        self.base = self.last;
        // What was lost before is not shown again.
        self.shown_lost = self.last.arrivals.lost;
        self.path = Path::default();
    }

    /// What was counted so far.
    fn mark(&self, now: Nanos) -> Mark {
        let counters = self.counts.tally.counters(false);
        let (arrivals, jitter_ns) = self.counts.arrivals();
        let sends = self.connected.sends;
        let info = match self.protocol {
            Protocol::Tcp => sys::tcp_info(&*self.socket).ok(),
            Protocol::Udp | Protocol::Sctp => None,
        };
        let acked = info
            .filter(|_| sends)
            .and_then(|info| info.tcpi_bytes_acked);
        Mark {
            at: now,
            bytes: if sends {
                counters.written_bytes
            } else {
                counters.received_bytes
            },
            messages: counters.written_messages,
            arrivals,
            jitter_ns,
            info,
            acked: acked.map(|acked| acked.saturating_sub(self.acked_before)),
        }
    }

    /// What happened since the last call.
    pub fn edge(&mut self, now: Nanos) -> StreamInterval {
        let (mark, before) = (self.mark(now), self.last);
        self.last = mark;
        let sends = self.connected.sends;
        if let Some(info) = mark.info.filter(|_| sends) {
            self.path.take(&info);
        }
        let path = mark.info.filter(|_| sends).map(|info| PathSample {
            retransmits: mark
                .retransmits()
                .unwrap_or(0)
                .saturating_sub(before.retransmits().unwrap_or(0)),
            acked: since(mark.acked, before.acked),
            info,
        });
        let datagrams = (self.protocol == Protocol::Udp).then(|| {
            if sends {
                return Datagrams {
                    packets: mark.messages - before.messages,
                    lost: 0,
                    jitter_s: 0.0,
                };
            }
            // A loss that was shown and came late is taken from those that come.
            let lost = mark.arrivals.lost.saturating_sub(self.shown_lost);
            self.shown_lost += lost;
            Datagrams {
                packets: mark.arrivals.highest - before.arrivals.highest,
                lost,
                jitter_s: mark.jitter_ns as f64 / 1e9,
            }
        });
        StreamInterval {
            number: self.connected.number,
            sends,
            bytes: mark.bytes - before.bytes,
            path,
            datagrams,
        }
    }

    /// What is acknowledged by now of all that was sent up to the last edge.
    pub fn settled(&self) -> Option<u64> {
        let acked = since(self.mark(self.last.at).acked, self.base.acked)?;
        Some(acked.min(self.last.bytes - self.base.bytes))
    }

    /// Bytes of all time.
    pub fn bytes(&self) -> u64 {
        let counters = self.counts.tally.counters(false);
        counters.written_bytes + counters.received_bytes
    }

    /// Bytes that were received.
    pub fn received_bytes(&self) -> u64 {
        self.counts.tally.counters(false).received_bytes
    }

    /// What came of it, up to the last edge, at the client's end or the server's.
    pub fn outcome(&self, client: bool) -> StreamOutcome {
        let (base, last, sends) = (self.base, self.last, self.connected.sends);
        let tcp = self.protocol == Protocol::Tcp;
        let udp = self.protocol == Protocol::Udp;
        let total = self.counts.tally.counters(false);
        let packets = |mark: &Mark| match (udp, sends) {
            (false, _) => 0,
            (true, true) => mark.messages,
            (true, false) => mark.arrivals.highest,
        };
        let retransmits = last.retransmits().unwrap_or(0);
        let retransmits = retransmits.saturating_sub(base.retransmits().unwrap_or(0));
        let seconds = (last.at - base.at).as_secs_f64();
        let result = StreamResult {
            id: self.connected.id,
            bytes: last.bytes - base.bytes,
            retransmits: (sends && tcp && last.info.is_some()).then_some(retransmits),
            jitter_s: if udp && !sends {
                last.jitter_ns as f64 / 1e9
            } else {
                0.0
            },
            lost: last.arrivals.lost.cast_signed(),
            packets: packets(&last).cast_signed(),
            omitted: Some(Omitted {
                lost: base.arrivals.lost.cast_signed(),
                packets: packets(&base).cast_signed(),
            }),
            seconds: Some(seconds),
            path: (sends && tcp && self.path.samples > 0).then_some(self.path.summary),
        };
        StreamOutcome {
            number: self.connected.number,
            sends,
            out_of_order: last.arrivals.out_of_order - base.arrivals.out_of_order,
            // Late ones of the omitted time may come in the counted one.
            lost: last.arrivals.lost.saturating_sub(base.arrivals.lost),
            packets: packets(&last) - packets(&base),
            total,
            arrived: last.arrivals.received,
            acked: since(last.acked, base.acked),
            tcp_info: last.info,
            congestion: tcp
                .then(|| Options::of(&*self.socket).congestion_control().ok())
                .flatten(),
            client_port: if client {
                self.connected.local.port()
            } else {
                self.connected.remote.port()
            },
            result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_numbered_as_scripts_look_for_them() {
        assert_eq!([0, 1, 2].map(number), [5, 7, 9]);
    }
}
