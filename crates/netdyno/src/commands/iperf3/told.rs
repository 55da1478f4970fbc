//! Datagrams of the counted time, as the other end tells of them.

use engine::iperf3::StreamOutcome;
use proto::iperf3::{Omitted, Parameters, Protocol, StreamResult};

/// What an end counted of a stream's datagrams after the omitted time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Told {
    /// Sent; or received and lost.
    pub packets: u64,
    /// None where those of the omitted time cannot be told apart.
    pub lost: Option<u64>,
}

impl Told {
    /// Of `theirs`, which is the other end of `stream`. Peers before 3.14 count the omitted time in
    /// and do not say how much of it.
    pub fn of(theirs: &StreamResult, stream: &StreamOutcome, parameters: &Parameters) -> Self {
        let above_zero = |count: i64| count.max(0).cast_unsigned();
        let nothing = parameters.omit.is_zero().then(Omitted::default);
        if let Some(omitted) = theirs.omitted.or(nothing) {
            return Self {
                packets: above_zero(theirs.packets - omitted.packets),
                lost: Some(above_zero(theirs.lost - omitted.lost)),
            };
        }
        let is_lossless = theirs.lost <= 0;
        // Their bytes are of the counted time, and each datagram is a block.
        if parameters.protocol == Protocol::Udp && (is_lossless || !stream.sends) {
            return Self {
                packets: theirs.bytes / parameters.block_size().get().max(1),
                lost: Some(0),
            };
        }
        let own = stream.result.omitted.unwrap_or_default();
        Self {
            packets: above_zero(theirs.packets - own.packets),
            lost: is_lossless.then_some(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::iperf3::StreamId;
    use units::{Bytes, Nanos};

    fn theirs(lost: i64, packets: i64, bytes: u64) -> StreamResult {
        StreamResult {
            id: StreamId::of_index(0),
            bytes,
            retransmits: None,
            jitter_s: 0.0,
            lost,
            packets,
            omitted: None,
            seconds: Some(1.0),
            path: None,
        }
    }

    fn of(theirs: &StreamResult, sends: bool, omit: u64) -> Told {
        let parameters = Parameters {
            omit: Nanos::from_secs(omit),
            block: Some(Bytes::new(1000)),
            ..Parameters::new(Protocol::Udp)
        };
        let own = StreamResult {
            omitted: Some(Omitted {
                lost: 0,
                packets: 70 * i64::from(omit > 0),
            }),
            ..theirs.clone()
        };
        let stream = StreamOutcome {
            number: 5,
            sends,
            result: own,
            out_of_order: 0,
            lost: 0,
            packets: 0,
            total: record::Counters::default(),
            arrived: 0,
            acked: None,
            tcp_info: None,
            congestion: None,
            client_port: 1,
        };
        Told::of(theirs, &stream, &parameters)
    }

    #[test]
    fn a_loss_that_an_old_server_tells_is_shown_where_nothing_was_omitted() {
        let told = of(&theirs(40, 4168, 4_128_000), true, 0);
        assert_eq!((told.lost, told.packets), (Some(40), 4168));
    }

    #[test]
    fn a_loss_among_omitted_ones_is_unknown_at_an_old_server() {
        let told = of(&theirs(4, 230, 150_000), true, 1);
        assert_eq!((told.lost, told.packets), (None, 160));
    }

    #[test]
    fn datagrams_of_an_old_sender_are_those_of_its_bytes() {
        let told = of(&theirs(0, 230, 153_000), false, 1);
        assert_eq!((told.lost, told.packets), (Some(0), 153));
    }
}
