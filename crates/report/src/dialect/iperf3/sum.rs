//! Several streams of one direction as one.

use super::{Counts, Datagrams, PathSample, StreamInterval};

/// Their part of an interval; the first one's time. Of the path only retransmits add up.
pub(super) fn interval<'a>(
    streams: impl Iterator<Item = &'a StreamInterval> + Clone,
) -> StreamInterval {
    let first = streams.clone().next().cloned().unwrap_or_default();
    let paths = streams.clone().map(|stream| stream.path);
    let retransmits = paths.map(|path| path.map(|path| path.retransmits));
    let datagrams = streams.clone().filter_map(|stream| stream.datagrams);
    let jitters = datagrams.clone().map(|datagrams| datagrams.jitter_seconds);
    StreamInterval {
        bytes: streams.map(|stream| stream.bytes).sum(),
        path: retransmits
            .sum::<Option<u64>>()
            .filter(|_| first.path.is_some())
            .map(|retransmits| PathSample {
                retransmits,
                ..PathSample::default()
            }),
        datagrams: first.datagrams.map(|_| Datagrams {
            packets: datagrams.clone().map(|datagrams| datagrams.packets).sum(),
            lost: datagrams.map(|datagrams| datagrams.lost).sum(),
            jitter_seconds: mean(jitters),
        }),
        ..first
    }
}

/// What one end counted of them all; none if it is known of none.
pub(super) fn counts(streams: impl Iterator<Item = Option<Counts>> + Clone) -> Option<Counts> {
    let known = streams.flatten();
    let first = known.clone().next()?;
    Some(Counts {
        seconds: first.seconds,
        bytes: known.clone().map(|counts| counts.bytes).sum(),
        retransmits: known.clone().map(|counts| counts.retransmits).sum(),
        packets: known.clone().map(|counts| counts.packets).sum(),
        lost: known.clone().map(|counts| counts.lost).sum(),
        out_of_order: known.clone().map(|counts| counts.out_of_order).sum(),
        jitter_seconds: mean(known.map(|counts| counts.jitter_seconds)),
    })
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    super::number::ratio(sum, count)
}
