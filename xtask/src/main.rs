//! `cargo xtask …`: what a developer and CI run on this workspace.

mod bench;
mod bpf;
mod cargo;
mod check;
mod compare_score;
mod explain_score;
mod generate;
mod notes;
mod program;
mod shell;
mod sources;
mod step;
mod suite;
mod tally;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask <command>

  test           everything that CI runs: tools, format, lints, check, build, tests
  check          rules of the workspace that no compiler knows
  compare-score [TRIES]  how often comparisons are wrong, and what they find, on simulated machines
  install        the programs that tests and benches drive (Debian, as root)
  bench [NAME…]  netdyno against a bare loop and its rivals: --list, --rounds, --seconds, --strict
  explain-score  causes put into testbeds, and which finding came first
  man [FOLDER]   man pages and completions, into target/man unless told otherwise
  bpf            the programs that netdyno loads into the kernel, from their C sources (needs clang)
  schema         the published JSON Schema of the result, from the types
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all went well; an error is for what could not even be tried.
fn run(words: &[String]) -> Result<bool> {
    let Some((command, rest)) = words.split_first() else {
        bail!("no command given\n\n{USAGE}");
    };
    match (command.as_str(), rest) {
        ("test", []) => suite::run(),
        ("bench", words) => bench::run(words),
        ("check", []) => check::run(),
        ("compare-score", words) => compare_score::run(words),
        ("explain-score", []) => explain_score::run(),
        ("install", []) => program::install().map(|outcome| {
            println!("{outcome}");
            !outcome.is_failure()
        }),
        ("man", []) => generate::man(None),
        ("man", [folder]) => generate::man(Some(folder)),
        ("schema", []) => generate::schema(),
        ("bpf", []) => bpf::run(),
        ("help" | "-h" | "--help", _) => {
            print!("{USAGE}");
            Ok(true)
        }
        (
            "bpf" | "test" | "check" | "explain-score" | "install" | "man" | "schema",
            [extra, ..],
        ) => {
            bail!("'{command}' does not take '{extra}'\n\n{USAGE}")
        }
        _ => bail!("'{command}' is not a command\n\n{USAGE}"),
    }
}
