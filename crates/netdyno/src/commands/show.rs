//! `netdyno show`.

use std::process::ExitCode;

use anyhow::{Context, Result};

use super::screen::{self, Screen};
use super::sink;
use crate::cli::{Output, ShowRequest};
use crate::exit::Exit;
use crate::say;
use crate::store::Store;

/// Shows a stored run as it was.
pub fn show(request: &ShowRequest) -> ExitCode {
    match text(request) {
        Ok(text) => super::print(&text),
        Err(error) => {
            say!("{error:#}");
            Exit::Usage.into()
        }
    }
}

fn text(request: &ShowRequest) -> Result<String> {
    let store =
        Store::of_environment().context("neither XDG_STATE_HOME nor HOME says where runs are")?;
    let id = store.find(request.id.as_deref())?;
    let events = store.events(&id)?;
    let mut screen = Screen::new(screen::style(), true);
    Ok(match request.output {
        Output::JsonLines => report::json_lines(&events),
        output => {
            let lines: String = events.iter().map(|event| screen.take(event)).collect();
            let lines = if output == Output::Text {
                lines
            } else {
                String::new()
            };
            lines + &sink::whole(output, &mut screen, &store.document(&id)?)
        }
    })
}
