//! Running a command so that a person sees it, and its lines can be read.

use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

/// Runs the command with its output shown. Whether it succeeded.
pub fn run(command: &mut Command) -> Result<bool> {
    announce(command);
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", words(command)))?;
    Ok(status.success())
}

/// Runs the command, shows each line of its output and gives it, without colours, to `read`.
pub fn watch(command: &mut Command, mut read: impl FnMut(&str)) -> Result<bool> {
    announce(command);
    let (output, input) = std::io::pipe().context("cannot make a pipe")?;
    command.stdin(Stdio::null());
    command.stdout(input.try_clone().context("cannot share a pipe")?);
    command.stderr(input);
    let started = command.spawn();
    // The command holds the writing ends; as long as it does, the pipe has no end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = started.with_context(|| format!("cannot start {}", words(command)))?;
    let mut lines = BufReader::new(output);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        // A closed output must not keep the command from being awaited.
        let _ = std::io::stdout().write_all(&line);
        read(&without_colours(
            String::from_utf8_lossy(&line).trim_end_matches('\n'),
        ));
        line.clear();
    }
    Ok(child.wait()?.success())
}

/// What `--color` of cargo and its like should say, since their own output goes into a pipe.
pub fn colour() -> &'static str {
    if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        "always"
    } else {
        "never"
    }
}

fn announce(command: &Command) {
    println!("$ {}", words(command));
}

/// The command as one would type it; a program by its name, not its place.
fn words(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    std::iter::once(name)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Leaves out the escape sequences that set colours (ECMA-48 SGR: ESC [ … m).
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let sequence = part
            .find(|c: char| c.is_ascii_alphabetic())
            .map_or(part.len(), |end| end + 1);
        plain.push_str(&part[sequence..]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_left_out() {
        let line = "\u{1b}[32;1m     Summary\u{1b}[0m [ 0.1s] \u{1b}[1m3\u{1b}[0m tests run";
        assert_eq!(without_colours(line), "     Summary [ 0.1s] 3 tests run");
        assert_eq!(without_colours("plain"), "plain");
    }

    #[test]
    fn both_outputs_are_read_and_failure_is_seen() {
        let mut lines = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; printf three; exit 3"]);
        let success = watch(&mut command, |line| lines.push(line.to_owned())).unwrap();
        assert!(!success);
        assert_eq!(lines, ["one", "two", "three"]);
    }
}
