//! One load's result.

use plan::{Load, Transport};
use record::{
    Buckets, Direction, End, GapError, GrantedBothEnds, LoadResult, PacingBothEnds, PacingError,
    Tally,
};

use crate::counted::{per_second, tally};
use crate::fairness::fairness;
use crate::row::rows;
use crate::stream::Stream;
use crate::{loss, tcp};

pub(crate) fn result(stream: &Stream, index: usize, load: &Load) -> LoadResult {
    let asking = stream
        .side(End::Client)
        .closing(index)
        .filter(|_| load.kind.is_exchange());
    let asked = load.kind.is_exchange().then_some(End::Client);
    let asked = asked.and_then(|end| stream.side(end).counted(index, &stream.plan.timing));
    let directions = directions(stream, index, load);
    let (received, sent) = match asked {
        Some(counted) => (
            Some(received(&counted)),
            Some(tally(
                counted.counters.written_bytes,
                counted.counters.written_messages,
                counted.seconds,
            )),
        ),
        None => (
            together(directions.iter().map(|direction| direction.received)),
            together(directions.iter().map(|direction| direction.sent)),
        ),
    };
    let per_flow = rows(stream, index, load);
    LoadResult {
        name: load.name.clone(),
        kind: load.kind,
        flows: load.flows.get(),
        received,
        sent,
        directions,
        transactions_per_second: asked
            .and_then(|asked| per_second(asked.counters.transactions as f64, asked.seconds)),
        transactions: asked.map(|asked| asked.counters.transactions),
        unanswered: asking.and_then(|closing| closing.unanswered),
        latency: asking
            .and_then(|closing| closing.response.as_ref())
            .map(Buckets::latency),
        service_time: asking
            .and_then(|closing| closing.service.as_ref())
            .map(Buckets::latency),
        loss: loss::loss(stream, index, load.kind),
        tcp: tcp::both_ends(stream, index, load.kind),
        granted: GrantedBothEnds {
            client: stream.granted(index, End::Client).cloned(),
            server: stream.granted(index, End::Server).cloned(),
        },
        pacing: pacing(stream, index),
        fairness: fairness(load, &per_flow),
        per_flow,
    }
}

fn received(counted: &crate::counted::Counted) -> Tally {
    tally(
        counted.counters.received_bytes,
        counted.counters.received_messages,
        counted.seconds,
    )
}

/// The directions of a bulk load; none for exchanges.
fn directions(stream: &Stream, index: usize, load: &Load) -> Vec<Direction> {
    let timing = &stream.plan.timing;
    let senders = End::BOTH.into_iter().filter(|end| end.sends(load.kind));
    let direction = |sender: End| {
        let receiver = stream.side(sender.other()).counted(index, timing);
        let written = stream.side(sender).counted(index, timing);
        Direction {
            sender,
            received: receiver.as_ref().map(received),
            sent: written.and_then(|written| {
                // What was written to a TCP socket may never have left it.
                let bytes = match load.kind.transport() {
                    Transport::Tcp => written.acked_bytes?,
                    Transport::Udp => written.counters.written_bytes,
                };
                Some(tally(
                    bytes,
                    written.counters.written_messages,
                    written.seconds,
                ))
            }),
            retransmits: written.and_then(|written| written.retransmits),
        }
    };
    senders
        .filter(|_| !load.kind.is_exchange())
        .map(direction)
        .collect()
}

/// The sum of both directions over the longer of their times; none when one is missing, since the
/// sum is then unknown.
fn together(parts: impl Iterator<Item = Option<Tally>>) -> Option<Tally> {
    let parts: Vec<Tally> = parts.collect::<Option<_>>()?;
    let longest = parts.iter().map(|part| part.seconds).fold(0.0, f64::max);
    let bytes = parts
        .iter()
        .map(|part| part.bytes)
        .fold(0, u64::saturating_add);
    let messages = parts
        .iter()
        .map(|part| part.messages)
        .fold(0, u64::saturating_add);
    (!parts.is_empty()).then(|| tally(bytes, messages, longest))
}

/// How well each end kept the gaps that we paced; none when neither did.
fn pacing(stream: &Stream, index: usize) -> Option<PacingBothEnds> {
    let error = |gap: &GapError| PacingError {
        asked_gap_ns: gap.asked_gap_ns,
        error: gap.errors.latency(),
    };
    let at = |end| {
        stream
            .side(end)
            .closing(index)
            .and_then(|closing| closing.gap.as_ref())
            .map(error)
    };
    let both = PacingBothEnds {
        client: at(End::Client),
        server: at(End::Server),
    };
    (both.client.is_some() || both.server.is_some()).then_some(both)
}
