//! `netdyno merge`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use record::{Event, Merged};

use super::{history, screen};
use crate::cli::MergeRequest;
use crate::store::{self, Store};

/// Pools the latency of several runs.
pub fn merge(request: &MergeRequest) -> ExitCode {
    history::print(text(request))
}

fn text(request: &MergeRequest) -> Result<String> {
    let mut streams: Vec<Vec<Event>> = Vec::new();
    for run in &request.runs {
        let events = stream(run)?;
        if let Some(other) = streams.iter().position(|other| id(other) == id(&events))
            && id(&events).is_some()
        {
            let other = &request.runs[other];
            bail!("'{run}' and '{other}' are the same run: its samples would count twice");
        }
        streams.push(events);
    }
    let loads = analyze::series::merge(streams.iter().map(Vec::as_slice));
    if loads.is_empty() {
        bail!(
            "none of these runs has samples of latency: loads of requests have them, bulk loads by the \
             probe (leave --no-probe out), and only runs that were not cut short"
        );
    }
    let merged = Merged {
        schema: Merged::SCHEMA.to_owned(),
        runs: request.runs.clone(),
        loads,
    };
    Ok(match request.json {
        true => report::document(&merged),
        false => report::merged(&merged, screen::style()),
    })
}

fn id(events: &[Event]) -> Option<&str> {
    events.iter().find_map(|event| match event {
        Event::Begin { id, .. } => Some(id.as_str()),
        _ => None,
    })
}

/// The events of a stored run, or of a file from elsewhere.
fn stream(run: &str) -> Result<Vec<Event>> {
    let path = Path::new(run);
    if path.is_dir() {
        return store::read_events(&path.join("events.jsonl"));
    }
    if path.is_file() {
        return store::read_events(path);
    }
    let store: Store = history::store()?;
    let id = store
        .find(Some(run))
        .with_context(|| format!("'{run}' is neither a file nor a run"))?;
    store.events(&id)
}
