//! The same counters as other programs read them. Each program reads between two of our readings:
//! counters only grow, so its figure must lie between ours, however busy the machine is.

use std::process::Command;

use super::*;

/// Ours before, the program's output, ours after.
fn between(interface: Option<&str>, program: &str, words: &[&str]) -> (Rows, String, Rows) {
    let read = |sampler: &mut Sampler| observe(sampler).rows;
    let before = read(&mut Sampler::new(interface));
    let output = Command::new(program).args(words).output().unwrap();
    let after = read(&mut Sampler::new(interface));
    assert!(output.status.success(), "{program}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    (before, text, after)
}

/// Whether the program's figure lies between ours; how many figures were compared is returned.
#[derive(Default)]
struct Judge(usize);

impl Judge {
    fn see(&mut self, what: &str, before: Option<u64>, theirs: u64, after: Option<u64>) {
        let (Some(before), Some(after)) = (before, after) else {
            panic!("{what}: {theirs} by the program, {before:?} and {after:?} by us");
        };
        assert!(
            (before..=after).contains(&theirs),
            "{what}: {theirs} is not between {before} and {after}"
        );
        self.0 += 1;
    }
}

#[test]
fn as_vmstat_counts() {
    not_run::needs_program!("vmstat");
    let (before, text, after) = between(None, "vmstat", &["-s"]);
    let mut judge = Judge::default();
    for line in text.lines() {
        let Some((value, name)) = line.trim().split_once(' ') else {
            continue;
        };
        let Ok(value) = value.parse::<u64>() else {
            continue;
        };
        let ticks = |name: &str| {
            // One tick of /proc/stat is 10 ms; CPUs are added up.
            let of = |rows: &Rows| rows.sum("cpu", name).map(|ns| ns / 10_000_000);
            (of(&before), of(&after))
        };
        let host = |name: &str| {
            let of = |rows: &Rows| rows.get("host", "all", name);
            (of(&before), of(&after))
        };
        let (lower, upper) = match name {
            "system cpu ticks" => ticks("system_ns"),
            "nice user cpu ticks" => ticks("nice_ns"),
            "softirq cpu ticks" | "softirq" => ticks("softirq_ns"),
            "stolen cpu ticks" => ticks("steal_ns"),
            "interrupts" => host("interrupts"),
            "CPU context switches" => host("context_switches"),
            "forks" => host("forks"),
            _ => continue,
        };
        // The kernel sums the CPUs with a tick's fraction that the single lines have lost.
        let slack = if name.ends_with("ticks") { 16 } else { 0 };
        let upper = upper.map(|upper| upper + slack);
        judge.see(name, lower, value, upper);
    }
    assert!(judge.0 >= 4, "{text}");
}

#[test]
fn as_mpstat_counts() {
    not_run::needs_program!("mpstat");
    // Without an interval: averages since the machine was started.
    let (before, text, after) = between(None, "mpstat", &["-P", "ALL"]);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).skip(1);
    let head: Vec<&str> = lines.next().unwrap().split_ascii_whitespace().collect();
    let mut compared = 0;
    for line in lines {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let at = |name: &str| {
            let from_end = head.len() - head.iter().position(|word| *word == name).unwrap();
            words[words.len() - from_end]
        };
        let Ok(cpu) = at("CPU").parse::<u32>() else {
            continue;
        };
        for (theirs, ours) in [
            ("%sys", "system_ns"),
            ("%soft", "softirq_ns"),
            ("%idle", "idle_ns"),
        ] {
            let share = |rows: &Rows| {
                let of = |name| rows.get("cpu", &format!("cpu{cpu}"), name).unwrap();
                let all: u64 = [
                    "user_ns",
                    "nice_ns",
                    "system_ns",
                    "idle_ns",
                    "iowait_ns",
                    "irq_ns",
                    "softirq_ns",
                    "steal_ns",
                ]
                .map(of)
                .iter()
                .sum();
                100.0 * of(ours) as f64 / all as f64
            };
            let (a, b) = (share(&before), share(&after));
            let value: f64 = at(theirs).replace(',', ".").parse().unwrap();
            // Two digits after the point.
            let fits = (a.min(b) - 0.02..=a.max(b) + 0.02).contains(&value);
            assert!(
                fits,
                "cpu{cpu} {theirs}: {value} is not between {a} and {b}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 3, "{text}");
}

#[test]
fn as_nstat_counts() {
    not_run::needs_program!("nstat");
    // Absolute values, zeros too, and no file of its own.
    let (before, text, after) = between(None, "nstat", &["-a", "-s", "-z"]);
    let mut judge = Judge::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_ascii_whitespace();
        let (Some(key), Some(Ok(value))) = (words.next(), words.next().map(str::parse)) else {
            continue;
        };
        // `TcpExtTCPLoss`, `Ip6InReceives`, `UdpRcvbufErrors`.
        let known = before.iter().find(|row| {
            ["snmp", "netstat", "snmp6"].contains(&row.source)
                && key.strip_prefix(row.label) == Some(row.name)
                && !Rows::is_gauge(row.source, row.name)
        });
        let Some(row) = known else { continue };
        let of = |rows: &Rows| rows.get(row.source, row.label, row.name);
        judge.see(key, of(&before), value, of(&after));
    }
    assert!(judge.0 >= 100, "only {} of {text}", judge.0);
}

#[test]
fn as_tc_counts() {
    not_run::needs_program!("tc");
    let (before, text, after) = between(None, "tc", &["-s", "qdisc", "show"]);
    let mut judge = Judge::default();
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2) {
        let words: Vec<&str> = pair[0].split_ascii_whitespace().collect();
        let (["qdisc", kind, handle, "dev", device, place, ..], Some(sent)) =
            (words.as_slice(), pair[1].trim().strip_prefix("Sent "))
        else {
            continue;
        };
        let place = match (*place, words.get(6)) {
            ("parent", Some(parent)) => format!("parent {parent}"),
            (place, _) => place.to_owned(),
        };
        let label = format!("{device} {kind} {handle} {place}");
        let numbers = sent.split(|c: char| !c.is_ascii_digit());
        let numbers: Vec<u64> = numbers.filter_map(|word| word.parse().ok()).collect();
        let names = ["bytes", "packets", "drops", "overlimits", "requeues"];
        for (name, value) in names.into_iter().zip(numbers) {
            let of = |rows: &Rows| rows.get("qdisc", &label, name);
            judge.see(&format!("{label} {name}"), of(&before), value, of(&after));
        }
    }
    assert!(judge.0 >= 5, "{text}");
}

#[test]
fn as_ethtool_counts() {
    not_run::needs_program!("ethtool");
    let before = observe(&mut Sampler::new(None)).rows;
    let with_counters = before
        .labels("interface")
        .find(|name| sys::ethtool::statistic_names(name).is_ok_and(|names| !names.is_empty()))
        .map(str::to_owned);
    let Some(interface) = with_counters else {
        return not_run::test(not_run::here!(), "no interface's driver has counters");
    };
    let (before, text, after) = between(Some(&interface), "ethtool", &["-S", &interface]);
    let mut judge = Judge::default();
    for (key, value) in text.lines().filter_map(|line| line.rsplit_once(':')) {
        let (key, Ok(value)) = (key.trim(), value.trim().parse()) else {
            continue;
        };
        let of = |rows: &Rows| match source::driver::of_queue(key) {
            Some(of) => rows.get("queue", &format!("{interface} {}", of.queue), &of.name),
            None => rows.get("driver", &interface, key),
        };
        judge.see(key, of(&before), value, of(&after));
    }
    assert!(judge.0 > 0, "{text}");
}
