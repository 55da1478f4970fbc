//! TOML to plan.

use toml::{Table, Value};

use crate::error::list;
use crate::{
    Family, Key, Kind, Link, Load, LoadError, Observe, Path, Plan, RunFileError, Timing, value,
};

/// The plan that `text` describes. What is left out is as on the command line: a testbed, one
/// probe (unless `probe = false`), the usual times.
pub fn parse(text: &str) -> Result<Plan, RunFileError> {
    let table: Table = text.parse().map_err(|error| syntax(text, &error))?;
    only(
        &table,
        TOP,
        &["path", "link", "timing", "load", "probe", "observe"],
    )?;
    let path = read_path(&table)?;
    let mut loads = read_loads(&table)?;
    let probe = text_at(&table, "probe").map_or(Ok(true), |text| value::switch(&text));
    match probe.map_err(|reason| wrong(TOP, "probe", reason))? {
        false if loads.iter().any(Load::is_probe) => return Err(RunFileError::ProbeUnwanted),
        true if !loads.is_empty() => loads = Load::with_probe(loads),
        _ => {}
    }
    let timing = read_timing(&table, Timing::for_loads(&loads))?;
    let mut plan = Plan::new(path, timing, loads)?;
    plan.observe = read_observe(&table)?;
    Ok(plan)
}

const TOP: &str = "top of the file";
const PATH: &str = "[path]";
const TIMING: &str = "[timing]";
const OBSERVE: &str = "[observe]";

fn syntax(text: &str, error: &toml::de::Error) -> RunFileError {
    let at = error.span().map_or(0, |span| span.start);
    let before = text.as_bytes().iter().take(at);
    RunFileError::Syntax {
        line: 1 + before.filter(|b| **b == b'\n').count(),
        message: error.message().replace('\n', ", "),
    }
}

fn read_path(top: &Table) -> Result<Path, RunFileError> {
    let table = sub_table(top, "path")?;
    only(&table, PATH, &["host", "port", "family"])?;
    let family = match text_at(&table, "family") {
        None => Family::Any,
        Some(name) => Family::ALL
            .into_iter()
            .find(|family| family.name() == name)
            .ok_or_else(|| wrong(PATH, "family", format!("'{name}' is not any, v4 or v6")))?,
    };
    let port = text_at(&table, "port")
        .map(|text| value::std(&text, "a port (1 to 65535)"))
        .transpose()
        .map_err(|reason| wrong(PATH, "port", reason))?;
    match (text_at(&table, "host"), port) {
        (Some(_), _) if top.contains_key("link") => Err(RunFileError::LinkToHost),
        (Some(host), port) => Ok(Path::Host {
            host,
            port: port.unwrap_or(Path::DEFAULT_PORT),
            family,
        }),
        (None, Some(_)) => Err(wrong(PATH, "port", "only a 'host' has a port".to_owned())),
        (None, None) => Ok(Path::Testbed {
            family,
            link: read_link(top)?,
        }),
    }
}

fn read_link(top: &Table) -> Result<Link, RunFileError> {
    let settings: Vec<_> = sub_table(top, "link")?
        .iter()
        .map(|(key, value)| (key.clone(), text_of(value)))
        .collect();
    Ok(Link::from_settings(&settings)?)
}

fn read_timing(top: &Table, mut timing: Timing) -> Result<Timing, RunFileError> {
    let table = sub_table(top, "timing")?;
    only(&table, TIMING, &["time", "omit", "interval", "idle"])?;
    let time = |key| {
        text_at(&table, key)
            .map(|text| value::own(&text))
            .transpose()
            .map_err(|reason| wrong(TIMING, key, reason))
    };
    timing.duration = time("time")?.or(timing.duration);
    timing.omit = time("omit")?.unwrap_or(timing.omit);
    timing.idle = time("idle")?.unwrap_or(timing.idle);
    if let Some(interval) = time("interval")? {
        timing.interval = Timing::interval_of(interval);
    }
    Ok(timing)
}

fn read_observe(top: &Table) -> Result<Observe, RunFileError> {
    let table = sub_table(top, "observe")?;
    let mut observe = Observe::default();
    let names = observe.switches().map(|(name, _)| name);
    only(&table, OBSERVE, &names)?;
    for name in names {
        let Some(text) = text_at(&table, name) else {
            continue;
        };
        let on = value::switch(&text).map_err(|reason| wrong(OBSERVE, name, reason))?;
        if let Some(switch) = observe.switch(name) {
            *switch = on;
        }
    }
    Ok(observe)
}

fn read_loads(top: &Table) -> Result<Vec<Load>, RunFileError> {
    let shape = || {
        wrong(
            TOP,
            "load",
            "each load begins with a line [[load]]".to_owned(),
        )
    };
    let loads = match top.get("load") {
        None => return Ok(Vec::new()),
        Some(Value::Array(loads)) => loads,
        Some(_) => return Err(shape()),
    };
    (1..)
        .zip(loads)
        .map(|(position, load)| read_load(position, load.as_table().ok_or_else(shape)?))
        .collect()
}

fn read_load(position: usize, table: &Table) -> Result<Load, RunFileError> {
    let in_load = |source| RunFileError::Load { position, source };
    let kind = table.get("kind").ok_or(RunFileError::NoKind { position })?;
    let kind = text_of(kind);
    let kind = Kind::of(&kind).ok_or_else(|| in_load(LoadError::Kind(kind)))?;
    let settings = table
        .iter()
        .filter(|(name, _)| *name != "kind")
        .map(|(name, value)| {
            let key = Key::of(name).ok_or_else(|| LoadError::UnknownKey(name.clone()))?;
            Ok((key, text_of(value)))
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(in_load)?;
    Load::from_settings(kind, &settings).map_err(in_load)
}

/// A table of the file; an absent one is empty.
fn sub_table(top: &Table, name: &'static str) -> Result<Table, RunFileError> {
    match top.get(name) {
        None => Ok(Table::new()),
        Some(Value::Table(table)) => Ok(table.clone()),
        Some(_) => Err(wrong(TOP, name, format!("it begins with a line [{name}]"))),
    }
}

fn only(table: &Table, place: &'static str, keys: &[&str]) -> Result<(), RunFileError> {
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(RunFileError::UnknownKey {
            place,
            key: key.clone(),
            accepted: list(keys),
        }),
    }
}

fn text_at(table: &Table, key: &str) -> Option<String> {
    table.get(key).map(text_of)
}

/// A value as the grammar writes it. What the grammar has no word for (a date, a table) keeps
/// its TOML text, which no key accepts and the error shows.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let texts: Vec<_> = values.iter().map(text_of).collect();
            texts.join(",")
        }
        Value::Boolean(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::Float(number) => number.to_string(),
        other => other.to_string(),
    }
}

fn wrong(place: &'static str, key: &'static str, reason: String) -> RunFileError {
    RunFileError::Value { place, key, reason }
}
