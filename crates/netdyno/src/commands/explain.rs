//! `netdyno explain`.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use record::{HostObserved, Rows};
use serde::Deserialize;

use super::screen;
use crate::cli::{ExplainRequest, Explained};
use crate::exit::Exit;
use crate::say;
use crate::store::Store;

/// Says what limited a stored run or a simulated host.
pub fn explain(request: &ExplainRequest) -> ExitCode {
    let text = match &request.of {
        Explained::Run(id) => of_run(id.as_deref(), request.json),
        Explained::Lab(file) => of_lab(file, request.json),
    };
    match text {
        Ok(text) => super::print(&text),
        Err(error) => {
            say!("{error:#}");
            Exit::Usage.into()
        }
    }
}

fn of_run(id: Option<&str>, json: bool) -> Result<String> {
    let store =
        Store::of_environment().context("neither XDG_STATE_HOME nor HOME says where runs are")?;
    let id = store.find(id)?;
    let mut run = store.document(&id)?;
    // What was learnt since it was stored holds for old runs too.
    run.findings = analyze::findings(&run);
    Ok(match json {
        true => report::findings_json(&run),
        false => report::explain(&run, screen::style()),
    })
}

/// What is read of a document of the lab.
#[derive(Deserialize)]
struct Lab {
    schema: String,
    command: String,
    setup: Setup,
    rows: Rows,
}

#[derive(Deserialize)]
struct Setup {
    cpus: u32,
    simulated_ns: f64,
}

fn of_lab(file: &Path, json: bool) -> Result<String> {
    let name = file.display().to_string();
    let text = fs::read_to_string(file).with_context(|| format!("reading {name}"))?;
    let document: serde_json::Value = serde_json::from_str(&text)
        .with_context(|| format!("{name} is no document of 'netdyno lab … --json'"))?;
    if document.get("rows").is_none() {
        bail!("{name} has no rows to explain: 'netdyno lab qdisc --json' prints some");
    }
    let lab: Lab = serde_json::from_value(document)
        .with_context(|| format!("{name} is no document of 'netdyno lab qdisc --json'"))?;
    ensure!(
        lab.schema == "netdyno.lab/1",
        "{name} has the schema '{}', not netdyno.lab/1",
        lab.schema
    );
    let host = HostObserved {
        seconds: Some(lab.setup.simulated_ns / 1e9),
        // The simulator counts from nothing: its longest waits are those of the whole time.
        highest: lab.rows.clone(),
        counted: lab.rows,
        ..HostObserved::default()
    };
    let findings = analyze::findings_of_rows(&host, lab.setup.cpus.into());
    let what = format!("lab {} of {name}", lab.command);
    Ok(match json {
        true => report::simulated_findings_json(&what, &findings),
        false => report::explain_simulated(&what, &findings, screen::style()),
    })
}
