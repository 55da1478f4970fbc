//! One sentence from clap's page.

use std::error::Error as _;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// What is wrong, and what is accepted where clap knows.
pub(super) fn of(error: &Error) -> String {
    match error.kind() {
        ErrorKind::ValueValidation => bad_value(error),
        ErrorKind::MissingSubcommand | ErrorKind::InvalidSubcommand => bad_command(error),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Some("it needs a command or an argument: its help lists them".to_owned())
        }
        _ => None,
    }
    .unwrap_or_else(|| first_paragraph(error))
}

/// `--time: 'soon' is not a time: …`. The parsers' own sentences say what is accepted.
fn bad_value(error: &Error) -> Option<String> {
    let reason = error.source()?.to_string();
    let argument = text(error, ContextKind::InvalidArg)?;
    let value = text(error, ContextKind::InvalidValue)?;
    let option = argument
        .split(' ')
        .next()
        .filter(|name| name.starts_with('-'));
    let names_value = reason.contains(&format!("'{value}'")) || reason.starts_with(value);
    Some(match option {
        None => reason,
        Some(option) if names_value => format!("{option}: {reason}"),
        Some(option) => format!("{option} '{value}': {reason}"),
    })
}

fn bad_command(error: &Error) -> Option<String> {
    let known = super::command();
    let names: Vec<_> = known.get_subcommands().map(|c| c.get_name()).collect();
    let names = names.join(", ");
    if error.kind() == ErrorKind::MissingSubcommand {
        return Some(format!("a command is missing: the commands are {names}"));
    }
    let typed = text(error, ContextKind::InvalidSubcommand)?;
    Some(format!(
        "'{typed}' is not a command: the commands are {names}"
    ))
}

/// clap's message without its label and usage, on one line, with the option that it suggests.
fn first_paragraph(error: &Error) -> String {
    let page = error.render().to_string();
    let paragraph = page.split("\n\n").next().unwrap_or_default();
    let words: Vec<_> = paragraph.split_whitespace().collect();
    let line = words.join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    let similar = [ContextKind::SuggestedArg, ContextKind::SuggestedValue]
        .into_iter()
        .find_map(|kind| text(error, kind));
    match similar {
        Some(similar) => format!("{line}, did you mean '{similar}'?"),
        None => line.to_owned(),
    }
}

fn text(error: &Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        ContextValue::Strings(texts) => texts.first().map(String::as_str),
        _ => None,
    }
}
