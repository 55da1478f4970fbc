//! `netdyno run --repeat`, `--until`, `--sweep`.

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use analyze::metric::{self, Metric};
use plan::{Path, runfile};
use record::{Cell, Run, Series, SeriesRun, Status};
use sys::signal::{self, Signals};

use super::child::{self, Ended};
use super::{history, screen};
use crate::cli::{CellRequest, Output, RunRequest, SeriesRequest};
use crate::exit::Exit;
use crate::store::Store;
use crate::{label, say};

/// Makes the runs, shows and keeps what they say together.
pub fn series(request: &RunRequest, command: Vec<String>) -> ExitCode {
    signal::ignore_broken_pipes();
    let Some(asked) = &request.series else {
        return Exit::Bug.into();
    };
    let Some(store) = Store::of_environment() else {
        say!("neither XDG_STATE_HOME nor HOME says where to keep a series");
        return Exit::Missing.into();
    };
    match make(&store, request, asked, command) {
        Ok((series, exit)) => {
            let text = match request.output {
                Output::Text => report::series(&series, screen::style()),
                Output::Csv => report::series_csv(&series),
                Output::Json => report::document(&series),
                // The events are the runs' own, which are kept: this is the one line of the series.
                Output::JsonLines => report::document_line(&series),
            };
            match (history::print(Ok(text)), exit) {
                (written, Exit::Done) => written,
                (_, exit) => exit.into(),
            }
        }
        Err(sentence) => {
            say!("{sentence}");
            Exit::Missing.into()
        }
    }
}

fn make(
    store: &Store,
    request: &RunRequest,
    asked: &SeriesRequest,
    command: Vec<String>,
) -> Result<(Series, Exit), String> {
    let signals = Signals::take().map_err(|error| format!("taking signals: {error}"))?;
    let started = label::now();
    let id = label::run_id(&started);
    let folder = store.series_folder(&id);
    fs::create_dir_all(&folder)
        .map_err(|error| format!("creating {}: {error}", folder.display()))?;
    let first = Metric::usual(&request.plan.loads);
    let mut metrics: Vec<Metric> = Metric::of(first).into_iter().collect();
    metrics.extend(
        Metric::names()
            .filter(|name| *name != first)
            .filter_map(Metric::of),
    );
    let mut series = Series {
        schema: Series::SCHEMA.to_owned(),
        id,
        started,
        command,
        status: Status::Interrupted,
        reason: Some("it goes on, or was killed: what was measured is there".to_owned()),
        until: asked.until,
        metric: first.to_owned(),
        cells: Vec::new(),
    };
    let mut exit = Exit::Done;
    let total = asked.cells.len();
    for (number, cell) in (1..).zip(&asked.cells) {
        let mut runs = Vec::new();
        let mut stop = false;
        let before = series.cells.len();
        for repeat in 1..=asked.repeat {
            if !request.quiet {
                progress(number, total, cell, repeat, asked.repeat);
            }
            let (run, ended) = one(request, cell, &folder, &signals)?;
            stop = ended.interrupted;
            if run.status != Status::Ok && !stop {
                exit = ended.exit();
            }
            runs.push(run);
            let so_far = analyze::series::cell(&cell.settings, &runs, &metrics, asked.until);
            let settled = so_far.settled == Some(true);
            keep(&folder, &so_far)?;
            series.cells.truncate(before);
            series.cells.push(so_far);
            // Whenever it is killed, what was measured is there.
            store
                .keep_series(&series)
                .map_err(|error| format!("{error:#}"))?;
            if stop || settled {
                break;
            }
        }
        if stop {
            exit = Exit::Interrupted;
            break;
        }
    }
    (series.status, series.reason) = match exit {
        Exit::Interrupted => {
            let reason = "interrupted: what was measured is there".to_owned();
            (Status::Interrupted, Some(reason))
        }
        _ => (Status::Ok, None),
    };
    if !request.quiet && sys::terminal::columns(&io::stderr()).is_some() {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    conclude(&mut series);
    store
        .keep_series(&series)
        .map_err(|error| format!("{error:#}"))?;
    if !request.quiet {
        say!("a file for each cell is in {}", folder.display());
    }
    Ok((series, exit))
}

/// A series in which every run failed has failed.
fn conclude(series: &mut Series) {
    let mut runs = series.cells.iter().flat_map(|cell| &cell.runs);
    if series.status == Status::Ok && runs.all(|run| run.status != Status::Ok) {
        let reasons = series.cells.iter().flat_map(|cell| &cell.runs);
        series.status = Status::Failed;
        series.reason = reasons.last().and_then(|run| run.reason.clone());
    }
}

fn one(
    request: &RunRequest,
    cell: &CellRequest,
    folder: &std::path::Path,
    signals: &Signals,
) -> Result<(SeriesRun, Ended), String> {
    let file = folder.join(format!("{}.toml", name(cell)));
    fs::write(&file, runfile::print(&cell.plan))
        .map_err(|error| format!("writing {}: {error}", file.display()))?;
    let mut command = child::netdyno_run(&[], &file)?;
    if request.allow_local && matches!(cell.plan.path, Path::Host { .. }) {
        command.arg("--allow-local");
    }
    for sysctl in &request.sysctls {
        command.args(["--sysctl", &sysctl.to_string()]);
    }
    for (option, text) in [
        ("--label", &request.label.label),
        ("--note", &request.label.note),
    ] {
        if let Some(text) = text {
            command.args([option, text]);
        }
    }
    let ended = child::finish(command, Some(signals))?;
    let run = match serde_json::from_str::<Run>(&ended.output) {
        Ok(run) => SeriesRun {
            run: Some(run.id.clone()),
            status: run.status,
            reason: run.reason.clone(),
            values: metric::values(&run),
        },
        Err(_) => SeriesRun {
            run: None,
            status: Status::Failed,
            reason: Some(ended.reason()),
            values: Default::default(),
        },
    };
    Ok((run, ended))
}

fn keep(folder: &std::path::Path, cell: &Cell) -> Result<(), String> {
    let name = if cell.settings.is_empty() {
        "all".to_owned()
    } else {
        cell.settings.join(",").replace('/', "_")
    };
    let path = folder.join(format!("{name}.json"));
    fs::write(&path, report::document(cell))
        .map_err(|error| format!("writing {}: {error}", path.display()))
}

fn name(cell: &CellRequest) -> String {
    match cell.settings.as_slice() {
        [] => "all".to_owned(),
        settings => settings.join(",").replace('/', "_"),
    }
}

fn progress(number: usize, total: usize, cell: &CellRequest, repeat: u32, most: u32) {
    if let Some(width) = sys::terminal::columns(&io::stderr()) {
        let settings = cell.settings.join(" ");
        let line = format!("cell {number} of {total} {settings}: run {repeat} of at most {most}");
        let line: String = line.chars().take(width.saturating_sub(1)).collect();
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    }
}
