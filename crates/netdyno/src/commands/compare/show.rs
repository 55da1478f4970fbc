//! What the user sees of a comparison.

use std::io::{self, Write};

use analyze::schedule::Schedule;
use record::{Comparison, Side};

use super::state::State;
use crate::cli::Comparing;
use crate::commands::screen;
use crate::exit::Exit;
use crate::say;

/// Says what begins.
pub(super) fn start(state: &State) {
    if state.asked.quiet {
        return;
    }
    let pairs = match state.asked.pairs {
        Some(pairs) => format!("up to {pairs} pairs"),
        None => "as many pairs as the scatter asks for, at most 60".to_owned(),
    };
    let done = match state.trials.len() {
        0 => String::new(),
        n => format!(", {n} trials are done"),
    };
    say!("comparison {}: {pairs}{done}", state.id);
}

/// The line on a terminal.
pub(super) fn progress(state: &State, schedule: &Schedule, side: Side, block: Option<u32>) {
    let Some(width) = sys::terminal::columns(&io::stderr()).filter(|_| !state.asked.quiet) else {
        return;
    };
    let what = match (block, schedule.planned()) {
        (None, _) => "pilot".to_owned(),
        (Some(block), None) => format!("pair {}", block + 1),
        (Some(block), Some(most)) => format!("pair {} of at most {most}", block + 1),
    };
    let so_far = match schedule.answer(0).zip(state.asked.primary.first()) {
        Some((found, metric)) if schedule.pairs() > 1 => {
            format!(", {} B/A {:.4}", metric.name, metric.shown(found.value))
        }
        _ => String::new(),
    };
    let line = format!("{what}: {}{so_far}", side.name());
    let line: String = line.chars().take(width.saturating_sub(1)).collect();
    let _ = write!(io::stderr(), "\r\x1b[K{line}");
}

/// Takes the line away.
pub(super) fn end(state: &State) {
    if !state.asked.quiet && sys::terminal::columns(&io::stderr()).is_some() {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

/// Writes the answer; the code to exit with.
pub(super) fn result(asked: &Comparing, document: &Comparison, exit: Exit) -> Exit {
    let text = match asked.json {
        true => report::document(document),
        false => report::comparison(document, screen::style()),
    };
    let mut output = io::stdout().lock();
    let written = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say!("writing the result to standard output: {error}");
            Exit::Missing
        }
        _ => exit,
    }
}
