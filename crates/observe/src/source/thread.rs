//! One thread of ours: /proc/self/task/TID/{stat,schedstat,sched}.

use record::Rows;

/// The name between the parentheses of `stat`, which may hold anything.
pub(crate) fn name(stat: &str) -> Option<&str> {
    let (from, to) = (stat.find('(')?, stat.rfind(')')?);
    stat.get(from + 1..to)
}

/// proc(5): times in ticks, and the CPU it last ran on.
pub(crate) fn stat(label: &str, text: &str, rows: &mut Rows) {
    let Some((_, rest)) = text.rsplit_once(')') else {
        return;
    };
    // The first of these is field 3 of the manual.
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    for (name, value) in [
        (
            "user_ns",
            field(14).map(|ticks| ticks * crate::cpu::TICK_NS),
        ),
        (
            "system_ns",
            field(15).map(|ticks| ticks * crate::cpu::TICK_NS),
        ),
        ("cpu", field(39)),
    ] {
        if let Some(value) = value {
            rows.set("thread", label, name, value);
        }
    }
}

/// Documentation/scheduler/sched-stats.rst: time on a CPU, time in the run queue, time slices.
pub(crate) fn schedstat(label: &str, text: &str, rows: &mut Rows) {
    let names = ["run_ns", "wait_ns", "slices"];
    for (name, word) in names.into_iter().zip(text.split_ascii_whitespace()) {
        if let Ok(value) = word.parse() {
            rows.set("thread", label, name, value);
        }
    }
}

/// kernel/sched/debug.c.
pub(crate) fn sched(label: &str, text: &str, rows: &mut Rows) {
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let name = match key.trim_end() {
            "se.nr_migrations" => "migrations",
            "nr_voluntary_switches" => "voluntary_switches",
            "nr_involuntary_switches" => "involuntary_switches",
            _ => continue,
        };
        if let Ok(value) = value.trim().parse() {
            rows.set("thread", label, name, value);
        }
    }
}
