//! `netdyno explain`.

use std::process::ExitCode;

use anyhow::{Context, Result};

use super::screen;
use crate::cli::ExplainRequest;
use crate::exit::Exit;
use crate::say;
use crate::store::Store;

/// Says what limited a stored run.
pub fn explain(request: &ExplainRequest) -> ExitCode {
    match text(request) {
        Ok(text) => super::print(&text),
        Err(error) => {
            say!("{error:#}");
            Exit::Usage.into()
        }
    }
}

fn text(request: &ExplainRequest) -> Result<String> {
    let store =
        Store::of_environment().context("neither XDG_STATE_HOME nor HOME says where runs are")?;
    let id = store.find(request.id.as_deref())?;
    let mut run = store.document(&id)?;
    // What was learnt since it was stored holds for old runs too.
    run.findings = analyze::findings(&run);
    Ok(match request.json {
        true => report::findings_json(&run),
        false => report::explain(&run, screen::style()),
    })
}
