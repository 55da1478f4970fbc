//! How well findings name the causes that were put in: the cases of netdyno's own tests, as a
//! confusion matrix.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};

use crate::cargo::cargo;
use crate::shell;

/// Runs every case, one at a time, and prints which cause came first. True when each was the one
/// put in.
pub fn run() -> Result<bool> {
    let folder = tempfile::tempdir().context("making a folder for the score")?;
    let path = folder.path().join("score");
    let mut command = cargo();
    command.args([
        "nextest",
        "run",
        "--package",
        "netdyno",
        "--test",
        "it",
        "explain::",
    ]);
    command.args(["--no-fail-fast", "--test-threads", "1"]);
    command.env("NETDYNO_SCORE", &path);
    // A case whose test fails has told its score before.
    shell::run(&mut command)?;
    let text = fs::read_to_string(&path).context("no case told its score")?;
    let cases: Vec<Case> = text.lines().filter_map(Case::read).collect();
    print!("\n{}", matrix(&cases));
    for case in cases.iter().filter(|case| !case.is_right()) {
        println!(
            "{}: {} put in, {} came first",
            case.name, case.put_in, case.found
        );
    }
    Ok(cases.iter().all(Case::is_right))
}

/// What was put in and what came first.
struct Case<'a> {
    put_in: &'a str,
    found: &'a str,
    name: &'a str,
}

impl<'a> Case<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let mut words = line.splitn(3, '\t');
        Some(Self {
            put_in: words.next()?,
            found: words.next()?,
            name: words.next()?,
        })
    }

    fn is_right(&self) -> bool {
        self.put_in == self.found
    }
}

/// A row for each cause that was put in, a column for each that came first.
fn matrix(cases: &[Case]) -> String {
    let put_in: BTreeSet<&str> = cases.iter().map(|case| case.put_in).collect();
    let found: BTreeSet<&str> = cases.iter().map(|case| case.found).collect();
    let width = put_in
        .iter()
        .chain(&found)
        .map(|name| name.len())
        .max()
        .unwrap_or(0);
    let mut text = format!("{:width$}  came first\n{:width$}", "put in", "");
    for number in 1..=found.len() {
        text.push_str(&format!(" {number:>3}"));
    }
    text.push('\n');
    for row in &put_in {
        text.push_str(&format!("{row:width$}"));
        for column in &found {
            let count = cases
                .iter()
                .filter(|case| (case.put_in, case.found) == (row, column));
            let shown = match count.count() {
                0 => ".".to_owned(),
                count => count.to_string(),
            };
            text.push_str(&format!(" {shown:>3}"));
        }
        text.push('\n');
    }
    for (number, name) in (1..).zip(&found) {
        text.push_str(&format!("{number:>3} {name}\n"));
    }
    let right = cases.iter().filter(|case| case.is_right()).count();
    text + &format!("{right} of {} right\n", cases.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_stands_beside_the_diagonal() {
        let lines = [
            "pacing\tpacing\ta",
            "pacing\tlink-rate\tb",
            "clock\tclock\tc",
        ];
        let cases: Vec<Case> = lines.iter().filter_map(|line| Case::read(line)).collect();
        let table = "put in   came first\n          1   2   3\nclock     1   .   .\n\
                     pacing    .   1   1\n  1 clock\n  2 link-rate\n  3 pacing\n2 of 3 right\n";
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squeezed(&matrix(&cases)), squeezed(table));
    }
}
