//! `netdyno show`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cli::{Output, ShowRequest};
use crate::exit::Exit;
use crate::say;
use crate::store::Store;

/// Shows a stored run as it was.
pub fn show(request: &ShowRequest) -> ExitCode {
    match text(request) {
        Ok(text) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            Exit::Done.into()
        }
        Err(error) => {
            say!("{error:#}");
            Exit::Usage.into()
        }
    }
}

fn text(request: &ShowRequest) -> Result<String> {
    let store = Store::of_environment().context("neither XDG_STATE_HOME nor HOME says where runs are")?;
    let id = store.find(request.id.as_deref())?;
    match request.output {
        Output::JsonLines => store.events(&id)?.iter().map(crate::commands::sink::json_line).collect(),
        output => crate::commands::sink::whole(output, &store.document(&id)?),
    }
}
