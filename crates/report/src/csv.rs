//! CSV (RFC 4180, lines ended by a newline alone): a head, one row for each interval, end and load
//! that the end takes part in, and one row of kind `total` for each load. What is not known is
//! empty.

use plan::{Kind, Transport};
use record::{End, Interval, IntervalLoad, Latency, LoadResult, Phase, Run};

/// The columns, in their order. New ones are added at the end.
const HEAD: [&str; 22] = [
    "row",
    "load",
    "kind",
    "end",
    "phase",
    "from_s",
    "to_s",
    "received_bytes",
    "received_messages",
    "received_bits_per_second",
    "sent_bytes",
    "sent_messages",
    "transactions",
    "transactions_per_second",
    "retransmits",
    "rtt_us",
    "cwnd_segments",
    "lost",
    "jitter_ns",
    "latency_samples",
    "latency_p50_ns",
    "latency_p99_ns",
];

/// The run as a table.
pub fn csv(run: &Run) -> String {
    let mut text = HEAD.join(",") + "\n";
    let mut write = |fields: [String; HEAD.len()]| {
        text.push_str(&fields.map(quoted).join(","));
        text.push('\n');
    };
    for interval in &run.intervals {
        for (load, result) in interval.loads.iter().zip(&run.loads) {
            let kind = result.kind;
            if interval.end.receives(kind) || interval.end.sends(kind) {
                write(of_interval(interval, load, kind));
            }
        }
    }
    for load in &run.loads {
        write(total(load));
    }
    text
}

fn of_interval(interval: &Interval, load: &IntervalLoad, kind: Kind) -> [String; HEAD.len()] {
    let seconds = (interval.to_ns - interval.from_ns) as f64 / 1e9;
    let receives = interval.end.receives(kind);
    let sends = interval.end.sends(kind);
    let asks = kind.is_exchange() && receives;
    let counters = load.counters;
    let written = match kind.transport() {
        Transport::Tcp if !kind.is_exchange() => load.acked_bytes,
        _ => Some(counters.written_bytes),
    };
    let phase = match interval.phase {
        Phase::Idle => "idle",
        Phase::Omit => "omit",
        Phase::Measure => "measure",
    };
    let [samples, p50, p99] = latency(load.latency);
    [
        "interval".to_owned(),
        load.name.clone(),
        kind.name().to_owned(),
        interval.end.name().to_owned(),
        phase.to_owned(),
        (interval.from_ns as f64 / 1e9).to_string(),
        (interval.to_ns as f64 / 1e9).to_string(),
        field(receives.then_some(counters.received_bytes)),
        field(receives.then_some(counters.received_messages)),
        float(load.received_bits_per_second),
        field(written.filter(|_| sends)),
        field(sends.then_some(counters.written_messages)),
        field(asks.then_some(counters.transactions)),
        float(asks.then(|| counters.transactions as f64 / seconds)),
        field(load.retransmits),
        field(load.rtt_us),
        field(load.cwnd_segments),
        field(load.lost),
        field(load.jitter_ns),
        samples,
        p50,
        p99,
    ]
}

/// `from_s` and `to_s` are 0 and the measured length; both ends' figures stand in one row.
fn total(load: &LoadResult) -> [String; HEAD.len()] {
    let sum = |figures: Vec<Option<u64>>| figures.into_iter().flatten().reduce(u64::saturating_add);
    let retransmits = load.directions.iter().map(|way| way.retransmits).collect();
    let lost = load.loss.iter().map(|loss| Some(loss.lost)).collect();
    let jitter = load.loss.iter().filter_map(|loss| loss.jitter_ns).max();
    let tcp = load
        .tcp
        .iter()
        .flat_map(|tcp| [(End::Client, &tcp.client), (End::Server, &tcp.server)]);
    let senders = tcp
        .filter(|(end, _)| end.sends(load.kind))
        .filter_map(|(_, tcp)| tcp.as_ref());
    let [samples, p50, p99] = latency(load.latency);
    let sockets: Vec<_> = senders.collect();
    let one = match sockets[..] {
        [only] => Some(only),
        _ => None,
    };
    [
        "total".to_owned(),
        load.name.clone(),
        load.kind.name().to_owned(),
        String::new(),
        "measure".to_owned(),
        field(load.received.map(|_| 0)),
        float(load.received.map(|tally| tally.seconds)),
        field(load.received.map(|tally| tally.bytes)),
        field(load.received.map(|tally| tally.messages)),
        float(load.received.and_then(|tally| tally.bits_per_second)),
        field(load.sent.map(|tally| tally.bytes)),
        field(load.sent.map(|tally| tally.messages)),
        field(load.transactions),
        float(load.transactions_per_second),
        field(sum(retransmits)),
        field(one.and_then(|tcp| tcp.rtt_us)),
        field(one.and_then(|tcp| tcp.cwnd_segments)),
        field(sum(lost)),
        field(jitter),
        samples,
        p50,
        p99,
    ]
}

fn latency(latency: Option<Latency>) -> [String; 3] {
    let of = |figure: fn(Latency) -> Option<u64>| field(latency.and_then(figure));
    [
        field(latency.map(|latency| latency.samples)),
        of(|l| l.p50_ns),
        of(|l| l.p99_ns),
    ]
}

fn field<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn float(value: Option<f64>) -> String {
    field(value.filter(|value| value.is_finite()))
}

/// In quotes where the text needs them.
fn quoted(text: String) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_need_it() {
        assert_eq!(quoted("stream".to_owned()), "stream");
        assert_eq!(quoted("a,b".to_owned()), "\"a,b\"");
        assert_eq!(quoted("say \"go\"".to_owned()), "\"say \"\"go\"\"\"");
    }
}
