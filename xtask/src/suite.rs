//! `cargo xtask test`: everything that CI runs.

use std::path::Path;

use anyhow::{Context, Result};

use crate::cargo::{self, Metadata, cargo};
use crate::notes::Notes;
use crate::step::{Outcome, Steps};
use crate::tally::Tally;
use crate::{check, program, shell};

/// Names the release binary to the tests that drive it.
const BINARY: &str = "NETDYNO_BIN";

/// Runs all steps. Whether none failed.
pub fn run() -> Result<bool> {
    let target = Metadata::of_workspace()?.target_directory;
    std::fs::create_dir_all(&target)
        .with_context(|| format!("cannot make {}", target.display()))?;
    let notes_file = target.join("not-run.txt");
    if notes_file.exists() {
        std::fs::remove_file(&notes_file)
            .with_context(|| format!("cannot remove {}", notes_file.display()))?;
    }

    let mut steps = Steps::default();
    let mut tally = Tally::default();
    steps.step("install", program::install);
    steps.step("format", format);
    steps.step("lints", lints);
    steps.step("check", || {
        Ok(Outcome::from_success(check::run()?, "a rule is broken"))
    });
    steps.step("release build", release_build);
    steps.step("tests", || tests(&target, &notes_file, &mut tally));
    steps.step("documentation", || documentation(&notes_file, &mut tally));

    let notes = Notes::read(&notes_file)?;
    println!("\n== summary\n{steps}\n");
    println!("not run: {}", notes.len());
    for line in notes.lines() {
        println!("{line}");
    }
    // A test that could not run has passed by the runner's word only.
    let passed = tally.passed.saturating_sub(notes.tests.len());
    let skipped = tally.ignored + notes.tests.len();
    println!("passed at the second try only: {}", tally.second_try);
    println!(
        "tests: {passed} passed, {} failed, {skipped} skipped",
        tally.failed
    );
    Ok(steps.success())
}

fn format() -> Result<Outcome> {
    if !cargo::has("fmt") {
        return Ok(Outcome::NotRun("this toolchain has no rustfmt".to_owned()));
    }
    let success =
        shell::run(cargo().args(["fmt", "--all", "--check", "--", "--color", shell::colour()]))?;
    Ok(Outcome::from_success(success, "cargo fmt changes it"))
}

fn lints() -> Result<Outcome> {
    if !cargo::has("clippy") {
        return Ok(Outcome::NotRun("this toolchain has no clippy".to_owned()));
    }
    let success = shell::run(
        cargo()
            .args([
                "clippy",
                "--workspace",
                "--all-targets",
                "--keep-going",
                "--quiet",
            ])
            .args(["--", "-D", "warnings"]),
    )?;
    Ok(Outcome::from_success(success, "warnings above"))
}

fn release_build() -> Result<Outcome> {
    let success =
        shell::run(cargo().args(["build", "--release", "--package", "netdyno", "--quiet"]))?;
    Ok(Outcome::from_success(success, "the errors above"))
}

fn tests(target: &Path, notes_file: &Path, tally: &mut Tally) -> Result<Outcome> {
    let mut command = cargo();
    if cargo::has("nextest") {
        command.args(["nextest", "run", "--workspace", "--no-fail-fast"]);
        // Not all versions leave it away by themselves where the output is no terminal.
        command.args(["--show-progress", "none"]);
        command.args(["--color", shell::colour()]);
    } else {
        command.args(["test", "--workspace", "--no-fail-fast"]);
        command.args(["--lib", "--bins", "--tests", "--examples"]);
        command.args(["--color", shell::colour()]);
        // Tests that measure must not share the machine; the built-in harness knows no groups.
        command.args(["--", "--test-threads", "1"]);
    }
    command.env(BINARY, target.join("release/netdyno"));
    command.env(not_run::FILE, notes_file);
    let mut counted = Tally::default();
    let success = shell::watch(&mut command, |line| {
        if let Some(closing) = Tally::parse(line) {
            counted += closing;
        }
    })?;
    *tally += counted;
    if success && counted.passed + counted.failed == 0 {
        return Ok(Outcome::Failed("the runner ran no test".to_owned()));
    }
    Ok(Outcome::from_success(success, "tests failed"))
}

fn documentation(notes_file: &Path, tally: &mut Tally) -> Result<Outcome> {
    let mut command = cargo();
    command
        .args(["test", "--workspace", "--doc", "--no-fail-fast", "--quiet"])
        .args(["--color", shell::colour()])
        .env(not_run::FILE, notes_file);
    let success = shell::watch(&mut command, |line| {
        if let Some(closing) = Tally::parse(line) {
            *tally += closing;
        }
    })?;
    Ok(Outcome::from_success(success, "an example failed"))
}
