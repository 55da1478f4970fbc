//! Two runs side by side: the hosts' differences first, then the figures.

use analyze::Difference;
use record::{Latency, LoadResult, Run};

use crate::quantity::{bytes, nanos, per_second, percent, rate, significant};
use crate::style::{Paint, Style};
use crate::table::Align::{Left, Right};
use crate::table::Table;

/// The whole text.
pub fn difference(a: &Run, b: &Run, differences: &[Difference], style: Style) -> String {
    let mut text = format!("a: {} {}\nb: {} {}\n\n", a.id, words(a), b.id, words(b));
    text.push_str(&style.paint(Paint::Headline, "environment"));
    text.push('\n');
    if differences.is_empty() {
        text.push_str("nothing that is known of the hosts differs\n");
    }
    text.push_str(&environment(differences, style));
    text.push('\n');
    text.push_str(&style.paint(Paint::Headline, "figures"));
    text.push('\n');
    text + &figures(a, b, style)
}

fn words(run: &Run) -> String {
    crate::prose::command_line(&run.command)
}

/// Longer values are cut: this is for eyes, the documents have them whole.
const LONGEST: usize = 36;

fn environment(differences: &[Difference], style: Style) -> String {
    let mut table = Table::new(&[("end", Left), ("fact", Left), ("a", Left), ("b", Left)]).beyond();
    let cut = |value: &Option<String>| match value {
        None => "unknown".to_owned(),
        Some(value) if value.is_empty() => "set".to_owned(),
        Some(value) => crate::quantity::name(value, LONGEST),
    };
    for difference in differences {
        table.row([
            difference.end.name().to_owned(),
            difference.name.clone(),
            cut(&difference.a),
            cut(&difference.b),
        ]);
    }
    table.render(style)
}

fn figures(a: &Run, b: &Run, style: Style) -> String {
    let mut table = Table::new(&[("figure", Left), ("a", Right), ("b", Right), ("b/a", Right)]);
    let mut names: Vec<&str> = a.loads.iter().map(|load| load.name.as_str()).collect();
    for load in &b.loads {
        if !names.contains(&load.name.as_str()) {
            names.push(&load.name);
        }
    }
    for name in names {
        let of = |run: &Run, figure: fn(&LoadResult) -> Option<f64>| {
            figure(run.loads.iter().find(|load| load.name == name)?)
        };
        for (figure, read, show) in LOAD_FIGURES {
            row(
                &mut table,
                &format!("{name} {figure}"),
                of(a, read),
                of(b, read),
                show,
            );
        }
    }
    for (figure, read, show) in RUN_FIGURES {
        row(&mut table, figure, read(a), read(b), show);
    }
    table.render(style)
}

type Figure<T> = (&'static str, fn(&T) -> Option<f64>, fn(f64) -> String);

const LOAD_FIGURES: [Figure<LoadResult>; 6] = [
    ("received", |load| load.received?.bits_per_second, show_rate),
    (
        "transactions",
        |load| load.transactions_per_second,
        show_frequency,
    ),
    ("p50", |load| latency(load, |l| l.p50_ns), show_time),
    ("p99", |load| latency(load, |l| l.p99_ns), show_time),
    (
        "lost",
        |load| load.loss.first()?.lost_share,
        |share| percent(Some(share)),
    ),
    (
        "retransmitted",
        |load| {
            let tcp = load.tcp.as_ref()?;
            let ends = [tcp.client.as_ref(), tcp.server.as_ref()]
                .into_iter()
                .flatten();
            let bytes = ends.filter_map(|end| end.retransmitted_bytes);
            bytes.reduce(u64::saturating_add).map(|bytes| bytes as f64)
        },
        |amount| bytes(Some(amount as u64)),
    ),
];

const RUN_FIGURES: [Figure<Run>; 6] = [
    (
        "latency added",
        |run| Some(run.latency_under_load.as_ref()?.added_ms? * 1e6),
        show_time,
    ),
    (
        "client cpu",
        |run| run.cost.client?.cpu_share,
        |share| percent(Some(share)),
    ),
    (
        "server cpu",
        |run| run.cost.server?.cpu_share,
        |share| percent(Some(share)),
    ),
    (
        "client ns/byte",
        |run| run.cost.client?.ns_per_byte,
        |cost| significant(Some(cost), 4),
    ),
    (
        "server ns/byte",
        |run| run.cost.server?.ns_per_byte,
        |cost| significant(Some(cost), 4),
    ),
    (
        "softirq, server",
        |run| run.cost.server?.host_softirq_seconds,
        |seconds| format!("{seconds:.2} s"),
    ),
];

fn latency(load: &LoadResult, of: fn(&Latency) -> Option<u64>) -> Option<f64> {
    of(load.latency.as_ref()?).map(|ns| ns as f64)
}

fn show_rate(bits: f64) -> String {
    rate(Some(bits))
}

fn show_frequency(frequency: f64) -> String {
    per_second(Some(frequency))
}

fn show_time(ns: f64) -> String {
    match ns < 0.0 {
        true => format!("-{}", nanos(Some(-ns as u64))),
        false => nanos(Some(ns as u64)),
    }
}

fn row(table: &mut Table, name: &str, a: Option<f64>, b: Option<f64>, show: fn(f64) -> String) {
    if a.is_none() && b.is_none() {
        return;
    }
    let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), show);
    let ratio = a.zip(b).filter(|(a, _)| *a > 0.0).map(|(a, b)| b / a);
    table.row([name.to_owned(), shown(a), shown(b), significant(ratio, 4)]);
}
