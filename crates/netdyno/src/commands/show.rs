//! `netdyno show`.

use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};

use super::history::store;
use super::screen::{self, Screen};
use super::{compare, sink};
use crate::cli::{Output, ShowRequest};
use crate::exit::Exit;
use crate::say;
use crate::store::{Kept, Store};

/// Shows what is stored as it was.
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
    let store = store()?;
    match store.kept(request.id.as_deref())? {
        Kept::Run(id) => run(&store, &id, request.output),
        Kept::Comparison(id) => {
            let found = compare::stored(&store, &id).map_err(|sentence| anyhow!(sentence))?;
            match request.output {
                Output::Text => Ok(report::comparison(&found, screen::style())),
                Output::Json => Ok(report::document(&found)),
                Output::JsonLines | Output::Csv => {
                    bail!("'{id}' is a comparison, which has a text and a document (--json) only")
                }
            }
        }
        Kept::Series(id) => {
            let found = store.series(&id)?;
            match request.output {
                Output::Text => Ok(report::series(&found, screen::style())),
                Output::Json => Ok(report::document(&found)),
                Output::Csv => Ok(report::series_csv(&found)),
                Output::JsonLines => Ok(report::document_line(&found)),
            }
        }
    }
}

fn run(store: &Store, id: &str, output: Output) -> Result<String> {
    let events = store.events(id)?;
    let mut screen = Screen::new(screen::style(), true);
    Ok(match output {
        Output::JsonLines => report::json_lines(&events),
        output => {
            let lines: String = events.iter().map(|event| screen.take(event)).collect();
            let lines = if output == Output::Text {
                lines
            } else {
                String::new()
            };
            lines + &sink::whole(output, &mut screen, &store.document(id)?)
        }
    })
}
