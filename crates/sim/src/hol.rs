//! Head of line: how long a sparse, urgent packet waits behind bulk that the device has already,
//! with and without byte queue limits.

use serde::Serialize;

use crate::histogram::{Bar, Histogram};
use crate::picos::Picos;
use crate::qdisc::Bql;
use crate::random::Stream;

/// A slow link with bulk flows on it.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Hol {
    /// Bits per second.
    pub rate: u64,
    /// Bytes of a bulk packet on the wire.
    pub packet_bytes: u64,
    /// Descriptors of the transmit ring.
    pub ring: u64,
    /// Descriptors that one bulk packet takes.
    pub descriptors: u64,
    /// Bulk flows.
    pub flows: u64,
    /// Segments that the stack cuts a bulk packet into after the qdisc. Those that the device does
    /// not take any more wait in the requeue slot, which even urgent packets cannot pass.
    pub gso: u64,
    /// Packets that a flow may have below it (TCP small queues).
    pub flow_packets: u64,
    /// Between two looks of the driver at what was sent.
    pub completion_ns: f64,
    /// Whether the driver has byte queue limits.
    pub bql: bool,
    /// Whether the urgent packet passes what waits in the qdisc; never what is in the device.
    pub priority: bool,
    /// Urgent packets.
    pub probes: u64,
    /// The seed.
    pub seed: u64,
}

/// What the urgent packets saw.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Blocked {
    /// The mean wait.
    pub mean_ns: f64,
    /// The longest.
    pub max_ns: u64,
    /// Waits by powers of two.
    pub wait_ns_log2: Vec<Bar>,
    /// Bytes in the device when an urgent packet came, on average.
    pub device_bytes: f64,
    /// The limit of the byte queue limits at the end.
    pub limit_bytes: Option<u64>,
    /// Share of the link's time that it sent bulk.
    pub bulk_share: f64,
}

#[derive(Debug, Clone, Copy)]
struct Queued {
    bytes: u64,
    descriptors: u64,
    urgent: Option<Picos>,
}

const URGENT_BYTES: u64 = 98 + 24;

impl Hol {
    /// Runs it, packet by packet.
    pub fn run(&self) -> Blocked {
        let chance = Stream::new(self.seed, 0);
        let mut state = State::default();
        let completion = Picos::from_nanos(self.completion_ns.max(1.0));
        let mut next_completion = completion;
        // Twenty probes a second, for long enough that the hold time of the limits passes often.
        let gap = Picos::from_millis(50);
        let mut next_probe = Picos::from_millis(5000);
        let waits = Histogram::default();
        let (mut in_device, mut bulk, mut seen) = (0.0, 0.0, 0);
        let mut now = Picos::ZERO;
        while waits.count() < self.probes {
            self.fill(&mut state);
            let free_at = match state.ring.pop_front() {
                Some(packet) => {
                    let takes = Picos::from_nanos(packet.bytes as f64 * 8e9 / self.rate as f64);
                    now += takes;
                    state.sent.push(packet);
                    match packet.urgent {
                        Some(born) => waits.add(now.since(born).get() / 1000),
                        None => {
                            bulk += takes.seconds();
                            state.below -= 1;
                        }
                    }
                    now
                }
                // Nothing may be sent until the driver has looked.
                None => next_completion,
            };
            now = now.max(free_at);
            while next_probe <= now {
                in_device += state.device_bytes() as f64;
                seen += 1;
                state.urgent.push(Urgent {
                    born: next_probe,
                    after: match self.priority {
                        true => 0,
                        false => state.taken + self.waiting(&state),
                    },
                });
                next_probe += chance.around(gap, 0.5);
            }
            if now >= next_completion {
                let bytes = state.sent.iter().map(|packet| packet.bytes).sum();
                state.sent.clear();
                if self.bql {
                    state.bql.complete(bytes, now);
                }
                while next_completion <= now {
                    next_completion += chance.around(completion, 0.3);
                }
            }
        }
        Blocked {
            mean_ns: waits.mean().unwrap_or(0.0),
            max_ns: waits.greatest(),
            wait_ns_log2: waits.bars(),
            device_bytes: in_device / f64::from(seen.max(1)),
            limit_bytes: self.bql.then(|| state.bql.limit()),
            bulk_share: bulk / now.seconds(),
        }
    }

    /// Bulk packets in the qdisc: all that the flows may have below them and the device has not.
    fn waiting(&self, state: &State) -> u64 {
        (self.flows * self.flow_packets).saturating_sub(state.below)
    }

    /// The driver takes what ring and limits allow: urgent packets first if they have priority.
    fn fill(&self, state: &mut State) {
        loop {
            let used: u64 = state.device().map(|packet| packet.descriptors).sum();
            let over = self.bql && state.bql.available() < 0;
            if used + self.descriptors > self.ring || over {
                return;
            }
            let first = state.urgent.first().filter(|_| state.slot == 0);
            let urgent = match first.is_some_and(|first| first.after <= state.taken) {
                true => Some(state.urgent.remove(0).born),
                false => None,
            };
            let bulk = state.slot > 0 || state.below < self.flows * self.flow_packets;
            let packet = match urgent {
                Some(born) => Queued {
                    bytes: URGENT_BYTES,
                    descriptors: 1,
                    urgent: Some(born),
                },
                None if bulk => {
                    if state.slot == 0 {
                        state.slot = self.gso;
                        state.below += self.gso;
                        state.taken += self.gso;
                    }
                    state.slot -= 1;
                    Queued {
                        bytes: self.packet_bytes,
                        descriptors: self.descriptors,
                        urgent: None,
                    }
                }
                None => return,
            };
            if self.bql {
                state.bql.send(packet.bytes);
            }
            state.ring.push_back(packet);
        }
    }
}

/// An urgent packet in the qdisc.
#[derive(Debug)]
struct Urgent {
    born: Picos,
    /// It goes when so many bulk packets have left the qdisc.
    after: u64,
}

#[derive(Debug, Default)]
struct State {
    ring: std::collections::VecDeque<Queued>,
    /// Sent, but the driver has not looked.
    sent: Vec<Queued>,
    urgent: Vec<Urgent>,
    /// Bulk packets below their flows that are not sent yet.
    below: u64,
    /// Segments in the requeue slot.
    slot: u64,
    /// Bulk packets that have left the qdisc.
    taken: u64,
    bql: Bql,
}

impl State {
    fn device(&self) -> impl Iterator<Item = &Queued> {
        self.ring.iter().chain(&self.sent)
    }

    fn device_bytes(&self) -> u64 {
        self.ring.iter().map(|packet| packet.bytes).sum()
    }
}

/// What so many bytes take at a rate: the law of every queue before a link.
pub fn drain_time(bytes: u64, rate: u64) -> Picos {
    Picos::from_nanos(bytes as f64 * 8e9 / rate as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow() -> Hol {
        Hol {
            rate: 100_000_000,
            packet_bytes: 1538,
            ring: 64,
            descriptors: 1,
            gso: 1,
            flows: 20,
            flow_packets: 8,
            completion_ns: 250_000.0,
            bql: false,
            priority: true,
            probes: 200,
            seed: 1,
        }
    }

    #[test]
    fn a_probe_waits_for_the_ring_and_with_limits_for_much_less() {
        let plain = slow().run();
        let ring = drain_time(64 * 1538, 100_000_000).nanos();
        assert!(
            plain.mean_ns > 0.8 * ring && plain.mean_ns < 1.2 * ring,
            "{plain:?}"
        );
        let limited = Hol {
            bql: true,
            ..slow()
        }
        .run();
        assert!(limited.mean_ns < plain.mean_ns / 3.0, "{limited:?}");
        assert!(
            limited.bulk_share > 0.95,
            "the link must stay busy: {limited:?}"
        );
    }

    /// Whoever has no priority waits for all that the flows have below them, device and qdisc.
    #[test]
    fn without_priority_the_qdisc_is_waited_for_too() {
        for bql in [false, true] {
            let last = Hol {
                priority: false,
                bql,
                ..slow()
            }
            .run();
            let all = drain_time(20 * 8 * 1538, 100_000_000).nanos();
            assert!((last.mean_ns / all - 1.0).abs() < 0.1, "{last:?} {all}");
        }
    }

    /// The rest of a packet that byte queue limits cut through holds up whoever is urgent.
    #[test]
    fn the_requeue_slot_cannot_be_passed() {
        let cut = |gso| {
            Hol {
                bql: true,
                gso,
                flow_packets: 2 * gso,
                ..slow()
            }
            .run()
            .mean_ns
        };
        let half = drain_time(44 * 1538, 100_000_000).nanos() / 2.0;
        let more = cut(44) - cut(1);
        assert!((0.5 * half..2.0 * half).contains(&more), "{more} {half}");
    }

    #[test]
    fn the_law_of_bytes_and_rate() {
        // 454.8 KB at 10 Mbit/s.
        assert_eq!(drain_time(454_800, 10_000_000).nanos(), 363.84e6);
    }
}
