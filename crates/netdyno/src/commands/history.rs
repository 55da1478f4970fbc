//! `netdyno history` and `netdyno export`.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use record::{Summary, Trend};

use super::{compare, screen};
use crate::cli::{ExportFormat, ExportRequest, Filter, HistoryRequest, Times};
use crate::exit::Exit;
use crate::say;
use crate::store::Store;

/// Lists runs, or shows a metric over time.
pub fn history(request: &HistoryRequest) -> ExitCode {
    print(list(request))
}

/// Writes runs for other programs.
pub fn export(request: &ExportRequest) -> ExitCode {
    print(exported(request))
}

fn list(request: &HistoryRequest) -> Result<String> {
    Ok(match request {
        HistoryRequest::List { filter, json_lines } => {
            let runs = filtered(&store()?, filter)?;
            match json_lines {
                true => report::summaries_json_lines(&runs),
                false => report::history(&runs, screen::style()),
            }
        }
        HistoryRequest::Comparisons(times) => {
            let store = store()?;
            let mut found = Vec::new();
            for id in within(store.begun_comparison_ids()?, times)? {
                match compare::stored(&store, &id) {
                    Ok(comparison) => found.push(comparison),
                    // One broken comparison does not hide the others.
                    Err(sentence) => say!("comparison '{id}': {sentence}"),
                }
            }
            match times.json_lines {
                true => found.iter().map(report::document_line).collect(),
                false => report::comparisons(&found, screen::style()),
            }
        }
        HistoryRequest::Series(times) => {
            let store = store()?;
            let mut found = Vec::new();
            for id in within(store.series_ids()?, times)? {
                match store.series(&id) {
                    Ok(series) => found.push(series),
                    Err(error) => say!("series '{id}': {error:#}"),
                }
            }
            match times.json_lines {
                true => found.iter().map(report::document_line).collect(),
                false => report::all_series(&found, screen::style()),
            }
        }
        HistoryRequest::Remove { ids, filter } => removed(&store()?, ids, filter)?,
        HistoryRequest::Trend {
            metric,
            filter,
            json,
        } => {
            let runs = filtered(&store()?, filter)?;
            let trend = analyze::trend(&runs, metric);
            if let Some(sentence) = mixed(&runs, &trend) {
                say!("{sentence}");
            }
            match json {
                true => report::document(&trend),
                false => report::trend(&trend, screen::style()),
            }
        }
    })
}

/// Removes runs, and says how many.
fn removed(store: &Store, ids: &[String], filter: &Filter) -> Result<String> {
    let mut wanted = Vec::new();
    for id in ids {
        wanted.push(store.find(Some(id))?);
    }
    if ids.is_empty() {
        let runs = filtered(store, filter)?.into_iter().map(|run| run.id);
        wanted.extend(runs.filter(|id| store.is_over(id)));
    }
    for id in &wanted {
        store.remove(id)?;
    }
    Ok(match wanted.as_slice() {
        [only] => format!("run {only} is removed\n"),
        all => format!("{} runs are removed\n", all.len()),
    })
}

/// That a trend is of runs of which one does not follow from the other.
fn mixed(runs: &[Summary], trend: &Trend) -> Option<String> {
    let points: BTreeSet<&str> = trend
        .points
        .iter()
        .map(|point| point.run.as_str())
        .collect();
    let shown = runs.iter().filter(|run| points.contains(run.id.as_str()));
    let kinds: BTreeSet<_> = shown.map(|run| (&run.host, &run.loads)).collect();
    (kinds.len() > 1).then(|| {
        format!(
            "these runs are of {} kinds by host and loads, and a change may be one of kind: \
             --host, --load, --label or --note picks those of one",
            kinds.len()
        )
    })
}

fn exported(request: &ExportRequest) -> Result<String> {
    let store = store()?;
    let runs = match request.ids.as_slice() {
        [] => filtered(&store, &request.filter)?,
        ids => {
            let mut wanted = Vec::new();
            for id in ids {
                wanted.push(store.find(Some(id))?);
            }
            let mut runs = store.summaries()?;
            runs.retain(|run| wanted.contains(&run.id));
            runs
        }
    };
    Ok(match request.format {
        ExportFormat::Csv => report::summaries_csv(&runs),
        ExportFormat::JsonLines => report::summaries_json_lines(&runs),
        ExportFormat::Openmetrics => report::summaries_openmetrics(&runs),
    })
}

pub(super) fn store() -> Result<Store> {
    Store::of_environment().context("neither XDG_STATE_HOME nor HOME says where runs are")
}

/// Those of the names that were begun in that time, by the names' own times.
fn within(mut ids: Vec<String>, times: &Times) -> Result<Vec<String>> {
    let edge = |option, text: &Option<String>| {
        let time = text.as_deref().map(|text| time(option, text)).transpose()?;
        // Names are times without what stands between the digits.
        anyhow::Ok(time.map(|time| {
            time.replace(['-', ':'], "")
                .chars()
                .take(15)
                .collect::<String>()
        }))
    };
    let (since, until) = (
        edge("--since", &times.since)?,
        edge("--until", &times.until)?,
    );
    ids.retain(|id| {
        since
            .as_ref()
            .is_none_or(|since| id.as_str() >= since.as_str())
            && until
                .as_ref()
                .is_none_or(|until| id.as_str() <= until.as_str() || id.starts_with(until))
    });
    if let Some(latest) = times.latest {
        ids.drain(..ids.len().saturating_sub(latest));
    }
    Ok(ids)
}

fn filtered(store: &Store, filter: &Filter) -> Result<Vec<Summary>> {
    let since = filter
        .since
        .as_deref()
        .map(|text| time("--since", text))
        .transpose()?;
    let until = filter
        .until
        .as_deref()
        .map(|text| time("--until", text))
        .transpose()?;
    let mut runs = store.summaries()?;
    runs.retain(|run| {
        let is = |wanted: &Option<String>, has: Option<&str>| {
            wanted.is_none() || wanted.as_deref() == has
        };
        is(&filter.host, Some(&run.host))
            && is(&filter.label, run.label.as_deref())
            && filter.load.as_ref().is_none_or(|name| {
                run.loads.iter().any(|load| load.starts_with(name.as_str()))
            })
            && filter.note.as_ref().is_none_or(|text| {
                run.note.as_ref().is_some_and(|note| note.contains(text.as_str()))
            })
            && since.as_ref().is_none_or(|since| run.started.as_str() >= since.as_str())
            // A day's name is before all of its times: the day belongs to it.
            && until.as_ref().is_none_or(|until| {
                run.started.as_str() <= until.as_str() || run.started.starts_with(until.as_str())
            })
    });
    if let Some(latest) = filter.latest {
        runs.drain(..runs.len().saturating_sub(latest));
    }
    Ok(runs)
}

/// A time as run documents write it, or its beginning.
fn time(option: &str, text: &str) -> Result<String> {
    let age = |unit: &str, seconds: i64| {
        let n: i64 = text.strip_suffix(unit)?.parse().ok().filter(|n| *n >= 0)?;
        let span = jiff::SignedDuration::from_secs(n.checked_mul(seconds)?);
        Some(format!("{:.3}", Timestamp::now().checked_sub(span).ok()?))
    };
    let ages = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    if let Some(time) = ages.into_iter().find_map(|(unit, of)| age(unit, of)) {
        return Ok(time);
    }
    // The beginning of such a time: digits where it has digits.
    let shape = "0000-00-00T00:00:00.000Z";
    let fits = (4..=shape.len()).contains(&text.len())
        && text.chars().zip(shape.chars()).all(|(c, like)| match like {
            '0' => c.is_ascii_digit(),
            like => c == like,
        });
    if !fits {
        bail!(
            "{option}: '{text}' is neither a time such as 2026-11-30T12:00 (UTC) nor an age such as 7d, 36h or 5m"
        );
    }
    Ok(text.to_owned())
}

/// Writes a text, or says why there is none.
pub(super) fn print(text: Result<String>) -> ExitCode {
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            say!("{error:#}");
            return Exit::Usage.into();
        }
    };
    let mut output = io::stdout().lock();
    match output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say!("writing the result to standard output: {error}");
            Exit::Missing.into()
        }
        _ => Exit::Done.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_ages() {
        for good in [
            "2026",
            "2026-11",
            "2026-11-30",
            "2026-11-30T12:00",
            "2026-11-30T12:00:00.000Z",
        ] {
            assert_eq!(time("--since", good).unwrap(), good);
        }
        assert_eq!(time("--since", "7d").unwrap().len(), 24);
        assert!(time("--since", "5m").unwrap() > time("--since", "1h").unwrap());
        assert!(time("--since", "36h").unwrap() > time("--since", "37h").unwrap());
        for bad in ["yesterday", "26", "2026/11/30", "-3d", "2026-11-30 12:00"] {
            let error = time("--since", bad).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("--since: '{bad}' is neither")),
                "{error}"
            );
        }
    }
}
