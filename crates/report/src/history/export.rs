//! Stored runs for other programs.

use std::fmt::Write;

use record::Summary;

/// A row a run, a column a metric that any of them has.
pub fn csv(runs: &[Summary]) -> String {
    let metrics = metrics(runs);
    let mut text = String::from("id,started,status,host,loads,label,note");
    for metric in &metrics {
        text += ",";
        text += &metric.replace('-', "_");
    }
    text += "\n";
    for run in runs {
        let fields = [
            run.id.as_str(),
            &run.started,
            super::status(run.status),
            &run.host,
            &run.loads.join(" + "),
            run.label.as_deref().unwrap_or_default(),
            run.note.as_deref().unwrap_or_default(),
        ];
        let fields: Vec<String> = fields.into_iter().map(quoted).collect();
        text += &fields.join(",");
        for metric in &metrics {
            text += ",";
            if let Some(value) = run.values.get(*metric) {
                let _ = write!(text, "{value}");
            }
        }
        text += "\n";
    }
    text
}

/// RFC 4180: quotes where they are needed.
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

/// A JSON summary a line.
pub fn json_lines(runs: &[Summary]) -> String {
    runs.iter().map(crate::json::line).collect()
}

/// Names of all metrics that any run has, in order.
fn metrics(runs: &[Summary]) -> Vec<&str> {
    let mut names: Vec<&str> = runs
        .iter()
        .flat_map(|run| run.values.keys())
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Metric, name of the family in base units, its unit, and what a value is multiplied by
/// (OpenMetrics 1.0: seconds, bytes and ratios).
const FAMILIES: [(&str, &str, &str, f64); 20] = [
    (
        "throughput",
        "netdyno_throughput_bytes_per_second",
        "bytes_per_second",
        0.125,
    ),
    ("packets", "netdyno_datagrams_per_second", "", 1.0),
    ("transactions", "netdyno_transactions_per_second", "", 1.0),
    (
        "latency-p50",
        "netdyno_latency_p50_seconds",
        "seconds",
        1e-9,
    ),
    (
        "latency-p99",
        "netdyno_latency_p99_seconds",
        "seconds",
        1e-9,
    ),
    ("idle-p50", "netdyno_idle_p50_seconds", "seconds", 1e-9),
    ("idle-p99", "netdyno_idle_p99_seconds", "seconds", 1e-9),
    ("loaded-p50", "netdyno_loaded_p50_seconds", "seconds", 1e-9),
    ("loaded-p99", "netdyno_loaded_p99_seconds", "seconds", 1e-9),
    (
        "added-latency",
        "netdyno_added_latency_seconds",
        "seconds",
        1e-3,
    ),
    (
        "cpu-client",
        "netdyno_client_cpu_seconds_per_byte",
        "",
        1e-9,
    ),
    (
        "cpu-server",
        "netdyno_server_cpu_seconds_per_byte",
        "",
        1e-9,
    ),
    (
        "interrupts-client",
        "netdyno_client_interrupts_per_second",
        "",
        1.0,
    ),
    (
        "interrupts-server",
        "netdyno_server_interrupts_per_second",
        "",
        1.0,
    ),
    (
        "switches-client",
        "netdyno_client_context_switches_per_second",
        "",
        1.0,
    ),
    (
        "switches-server",
        "netdyno_server_context_switches_per_second",
        "",
        1.0,
    ),
    (
        "softirq-client",
        "netdyno_client_softirq_cpu_ratio",
        "ratio",
        1.0,
    ),
    ("fairness", "netdyno_fairness_ratio", "ratio", 1.0),
    ("loss", "netdyno_loss_ratio", "ratio", 1.0),
    (
        "retransmits",
        "netdyno_retransmitted_segments_per_second",
        "",
        1.0,
    ),
];

/// OpenMetrics text: a family a metric, a sample a run with its time.
pub fn openmetrics(runs: &[Summary]) -> String {
    let mut text = String::new();
    for metric in metrics(runs) {
        let Some((_, family, unit, factor)) = FAMILIES.iter().find(|family| family.0 == metric)
        else {
            continue;
        };
        let _ = writeln!(text, "# TYPE {family} gauge");
        if !unit.is_empty() {
            let _ = writeln!(text, "# UNIT {family} {unit}");
        }
        let _ = writeln!(text, "# HELP {family} {metric} of a netdyno run");
        for run in runs {
            if let Some(value) = run.values.get(metric) {
                let _ = writeln!(text, "{family}{{{}}} {}", labels(run), value * factor);
            }
        }
    }
    text + "# EOF\n"
}

fn labels(run: &Summary) -> String {
    let loads = run.loads.join(" + ");
    let mut labels = vec![
        ("run", run.id.as_str()),
        ("started", run.started.as_str()),
        ("host", run.host.as_str()),
        ("loads", loads.as_str()),
        ("status", super::status(run.status)),
    ];
    labels.extend(run.label.as_deref().map(|label| ("label", label)));
    let escaped = |text: &str| {
        text.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n")
    };
    let labels: Vec<String> = labels
        .into_iter()
        .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
        .collect();
    labels.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Status;

    fn run(id: &str, note: Option<&str>, values: &[(&str, f64)]) -> Summary {
        Summary {
            id: id.to_owned(),
            started: "2026-11-30T12:00:00.000Z".to_owned(),
            status: Status::Ok,
            host: "testbed".to_owned(),
            loads: vec!["stream x4".to_owned()],
            label: Some("a \"b\"".to_owned()),
            note: note.map(str::to_owned),
            values: values
                .iter()
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect(),
        }
    }

    #[test]
    fn csv_has_a_column_for_every_metric_and_nothing_for_the_unknown() {
        let runs = [
            run("a", Some("x, y"), &[("throughput", 8e9)]),
            run("b", None, &[("latency-p50", 1500.0)]),
        ];
        let expected = "id,started,status,host,loads,label,note,latency_p50,throughput\n\
             a,2026-11-30T12:00:00.000Z,ok,testbed,stream x4,\"a \"\"b\"\"\",\"x, y\",,8000000000\n\
             b,2026-11-30T12:00:00.000Z,ok,testbed,stream x4,\"a \"\"b\"\"\",,1500,\n";
        assert_eq!(csv(&runs), expected);
    }

    #[test]
    fn openmetrics_are_families_with_an_end() {
        let text = openmetrics(&[run("a", None, &[("throughput", 8e9)])]);
        let expected = "# TYPE netdyno_throughput_bytes_per_second gauge\n\
             # UNIT netdyno_throughput_bytes_per_second bytes_per_second\n\
             # HELP netdyno_throughput_bytes_per_second throughput of a netdyno run\n\
             netdyno_throughput_bytes_per_second{run=\"a\",started=\"2026-11-30T12:00:00.000Z\",host=\"testbed\",loads=\"stream x4\",status=\"ok\",label=\"a \\\"b\\\"\"} 1000000000\n\
             # EOF\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn every_metric_has_a_family() {
        for metric in analyze::metric::Metric::names() {
            assert!(FAMILIES.iter().any(|family| family.0 == metric), "{metric}");
        }
    }
}
