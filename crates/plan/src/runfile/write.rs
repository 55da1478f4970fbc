//! Plan to TOML.

use std::fmt::{Result, Write};

use toml::Value;

use crate::{Link, Load, Observe, Path, Plan, Timing};

/// `plan` as a run file, which [`parse`](super::parse) takes back.
pub fn print(plan: &Plan) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_plan(&mut out, plan);
    out
}

fn write_plan(out: &mut String, plan: &Plan) -> Result {
    if !plan.loads.iter().any(Load::is_probe) {
        writeln!(out, "probe = false\n")?;
    }
    write_path(out, &plan.path)?;
    write_timing(out, &plan.timing)?;
    if plan.observe != Observe::default() {
        writeln!(out, "\n[observe]")?;
        for (name, on) in plan.observe.switches() {
            line(out, name, if on { "on" } else { "off" })?;
        }
    }
    for load in &plan.loads {
        writeln!(out, "\n[[load]]")?;
        line(out, "kind", load.kind.name())?;
        for (key, text) in load.settings() {
            line(out, key.name(), &text)?;
        }
    }
    Ok(())
}

fn write_path(out: &mut String, path: &Path) -> Result {
    match path {
        Path::Host { host, port, family } => {
            writeln!(out, "[path]")?;
            line(out, "host", host)?;
            line(out, "port", &port.to_string())?;
            line(out, "family", family.name())?;
        }
        Path::Testbed { family, link } => {
            writeln!(out, "[path]")?;
            line(out, "family", family.name())?;
            if *link != Link::default() {
                writeln!(out, "\n[link]")?;
            }
            for (key, text) in link.settings() {
                line(out, key, &text)?;
            }
        }
    }
    Ok(())
}

fn write_timing(out: &mut String, timing: &Timing) -> Result {
    writeln!(out, "\n[timing]")?;
    if let Some(duration) = timing.duration {
        line(out, "time", &duration.exact())?;
    }
    line(out, "omit", &timing.omit.exact())?;
    line(
        out,
        "interval",
        &timing.interval.unwrap_or_default().exact(),
    )?;
    line(out, "idle", &timing.idle.exact())
}

/// Whole numbers and switches bare, everything else quoted.
fn line(out: &mut String, key: &str, text: &str) -> Result {
    let number = text
        .parse::<i64>()
        .is_ok_and(|number| number.to_string() == text);
    match text {
        "on" => writeln!(out, "{key} = true"),
        "off" => writeln!(out, "{key} = false"),
        _ if number => writeln!(out, "{key} = {text}"),
        _ => writeln!(out, "{key} = {}", Value::from(text)),
    }
}
