//! One sentence from clap's page.

use std::error::Error as _;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// What is wrong, and what is accepted where clap knows; `typed` is the command that was typed.
pub(super) fn of(error: &Error, typed: &Command) -> String {
    match error.kind() {
        ErrorKind::ValueValidation => bad_value(error),
        ErrorKind::MissingSubcommand | ErrorKind::InvalidSubcommand => bad_command(error, typed),
        ErrorKind::UnknownArgument => below_zero(error),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Some("it needs a command or an argument: its help lists them".to_owned())
        }
        _ => None,
    }
    .unwrap_or_else(|| first_paragraph(error))
}

/// `--time: 'soon' is not a time: …`. The parsers' own sentences say what is accepted.
fn bad_value(error: &Error) -> Option<String> {
    let source = error.source()?;
    let number = no_number(source).map(str::to_owned);
    let reason = number.unwrap_or_else(|| source.to_string());
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

/// What the standard library says of a number, in the words of a user.
fn no_number(error: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    if let Some(error) = error.downcast_ref::<ParseIntError>() {
        return Some(match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "the number is too large",
            _ => "it is no whole number from 0 up",
        });
    }
    error.is::<ParseFloatError>().then_some("it is no number")
}

/// A negative number after an option that takes none looks like an option to clap.
fn below_zero(error: &Error) -> Option<String> {
    let typed = text(error, ContextKind::InvalidArg)?;
    typed.parse::<f64>().ok()?;
    Some(format!(
        "'{typed}' is below 0, which no option before it takes"
    ))
}

fn bad_command(error: &Error, typed: &Command) -> Option<String> {
    let names: Vec<_> = typed.get_subcommands().map(Command::get_name).collect();
    let names = names.join(", ");
    if error.kind() == ErrorKind::MissingSubcommand {
        return Some(format!("a command is missing: the commands are {names}"));
    }
    let word = text(error, ContextKind::InvalidSubcommand)?;
    Some(match typed.get_name() {
        "netdyno" => format!("'{word}' is not a command: the commands are {names}"),
        within => format!("'{word}' is not a command of '{within}': its commands are {names}"),
    })
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
