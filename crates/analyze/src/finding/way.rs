//! One direction of one bulk load, with the rows of both ends.

use plan::{Load, Transport};
use record::{End, LoadResult, Run, Tally, TcpSummary};
use units::BitRate;

/// From a sender to a receiver.
pub(super) struct Way<'a> {
    pub load: &'a LoadResult,
    pub asked: &'a Load,
    pub sender: End,
    /// What the receiver told; of TCP whose receiver told nothing what was sent, which has to come.
    pub received: Tally,
    pub sent: Option<Tally>,
    /// Segments retransmitted in the measured time.
    pub retransmits: Option<u64>,
    /// Warm-up, s: the sockets' own clocks run in it too.
    pub omitted: f64,
}

/// All directions of the bulk loads of which is known what was received.
pub(super) fn ways(run: &Run) -> Vec<Way<'_>> {
    let loads = run.loads.iter().zip(&run.plan.loads);
    let ways = loads.flat_map(|(load, asked)| {
        load.directions.iter().filter_map(move |direction| {
            let sent = || {
                let tcp = load.kind.transport() == Transport::Tcp;
                direction.sent.filter(|_| tcp)
            };
            Some(Way {
                load,
                asked,
                sender: direction.sender,
                received: direction
                    .received
                    .or_else(sent)
                    .filter(|tally| tally.seconds > 0.0)?,
                sent: direction.sent,
                retransmits: direction.retransmits,
                omitted: run.plan.timing.omit.as_secs_f64(),
            })
        })
    });
    ways.collect()
}

impl Way<'_> {
    pub fn receiver(&self) -> End {
        self.sender.other()
    }

    pub fn is_tcp(&self) -> bool {
        self.load.kind.transport() == Transport::Tcp
    }

    /// Whether the load says how large the receiver's buffer is.
    pub fn has_chosen_window(&self) -> bool {
        self.asked.socket.rcvbuf.is_some()
    }

    pub fn name(&self) -> Option<&str> {
        Some(self.load.name.as_str())
    }

    /// What the receiver got, bits per second.
    pub fn rate(&self) -> f64 {
        self.received.bits_per_second.unwrap_or(0.0)
    }

    /// What our own pacing was to offer, all flows, bits per second.
    pub fn rate_asked(&self) -> Option<f64> {
        let granted = match self.sender {
            End::Client => &self.load.granted.client,
            End::Server => &self.load.granted.server,
        };
        let granted = granted
            .as_ref()
            .and_then(|granted| granted.rate_bits_per_second);
        let rate = granted.or(self.asked.rate.map(BitRate::get))?;
        Some(rate as f64 * f64::from(self.load.flows))
    }

    /// What the kernel's pacing was to let through, all flows, bits per second.
    pub fn pace_asked(&self) -> Option<f64> {
        Some(self.asked.pace?.get() as f64 * f64::from(self.load.flows))
    }

    /// What the sender's sockets say; none for UDP.
    pub fn tcp(&self) -> Option<&TcpSummary> {
        let both = self.load.tcp.as_ref()?;
        match self.sender {
            End::Client => both.client.as_ref(),
            End::Server => both.server.as_ref(),
        }
    }

    /// Loss of datagrams on this way, of those sent.
    pub fn lost_share(&self) -> f64 {
        let loss = self
            .load
            .loss
            .iter()
            .find(|loss| loss.receiver == self.receiver());
        loss.and_then(|loss| loss.lost_share).unwrap_or(0.0)
    }
}
