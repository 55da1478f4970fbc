//! `netdyno diff`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::screen;
use crate::cli::DiffRequest;
use crate::exit::Exit;
use crate::say;
use crate::store::Store;

/// Shows what differs between two stored runs.
pub fn diff(request: &DiffRequest) -> ExitCode {
    let text = match text(request) {
        Ok(text) => text,
        Err(error) => {
            say!("{error:#}");
            return Exit::Usage.into();
        }
    };
    let mut output = std::io::stdout();
    let written = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            say!("writing the result to standard output: {error}");
            Exit::Missing.into()
        }
        _ => Exit::Done.into(),
    }
}

fn text(request: &DiffRequest) -> Result<String> {
    let store =
        Store::of_environment().context("neither XDG_STATE_HOME nor HOME says where runs are")?;
    let a = store.document(&store.find(Some(&request.a))?)?;
    let b = store.document(&store.find(request.b.as_deref())?)?;
    let differences = analyze::differences(&a.hosts, &b.hosts);
    Ok(report::difference(&a, &b, &differences, screen::style()))
}
