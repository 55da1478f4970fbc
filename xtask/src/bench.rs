//! `cargo xtask bench`: netdyno against a bare loop of system calls and against its rivals, in
//! rounds. A round runs every contender of a contest once, in random order, so that whatever the
//! machine does over minutes meets them all; ratios are taken within rounds.

mod archive;
mod catalogue;
mod command;
mod contest;
mod options;
mod order;
mod place;
mod reading;
mod spread;
mod table;
mod trial;

use std::collections::BTreeMap;
use std::io::IsTerminal;

use anyhow::{Context, Result};

use crate::cargo::{self, Metadata};
use crate::shell;
use command::Programs;
use contest::{Contender, Contest, Round, Verdict};
use options::Options;
use order::Shuffle;
use place::Place;

/// Runs the contests that the words name. Whether all ran and, with `--strict`, met their bars.
pub fn run(words: &[String]) -> Result<bool> {
    let options = Options::parse(words)?;
    let contests = catalogue::named(&options.names)?;
    if options.list {
        for contest in &contests {
            println!("{:<18} {}", contest.name, contest.title);
        }
        return Ok(true);
    }
    let programs = programs(options.build)?;
    let mut shuffle = Shuffle::new(options.seed);
    let mut all_ran = true;
    let mut all_met = true;
    println!(
        "{} rounds, seed {}, {}",
        options.rounds,
        options.seed,
        archive::machine_line()
    );
    for contest in contests {
        let entry = hold(contest, &options, &programs, &mut shuffle)?;
        all_ran &= entry.failures.is_empty();
        all_met &= entry.verdicts.iter().all(Verdict::met);
        println!("\n{entry}");
        let file = archive::keep(&entry, &options, &programs)?;
        println!("  kept in {}", file.display());
    }
    Ok(all_ran && (all_met || !options.strict))
}

/// A contest that was held.
pub struct Entry {
    contest: &'static Contest,
    seconds: u32,
    rounds: Vec<Round>,
    /// Contenders whose program is not installed, or that need a right we lack.
    absent: Vec<(&'static str, String)>,
    /// Contenders that broke.
    failures: Vec<(&'static str, String)>,
    verdicts: Vec<Verdict>,
}

fn hold(
    contest: &'static Contest,
    options: &Options,
    programs: &Programs,
    shuffle: &mut Shuffle,
) -> Result<Entry> {
    let seconds = options.seconds.unwrap_or(contest.seconds);
    let mut entry = Entry {
        contest,
        seconds,
        rounds: Vec::new(),
        absent: Vec::new(),
        failures: Vec::new(),
        verdicts: Vec::new(),
    };
    let place = match Place::make(contest.ground) {
        Ok(place) => place,
        Err(error) => {
            entry.absent = contest
                .contenders
                .iter()
                .map(|contender| (contender.name, format!("{error:#}")))
                .collect();
            return Ok(entry);
        }
    };
    let mut running: Vec<&Contender> = Vec::new();
    for contender in contest.contenders {
        match programs.missing(contender, contest.meter, contest.traced) {
            None => running.push(contender),
            Some(why) => entry.absent.push((contender.name, why)),
        }
    }
    for number in 1..=options.rounds {
        shuffle.shuffle(&mut running);
        let mut samples = BTreeMap::new();
        let order: Vec<_> = running.iter().map(|contender| contender.name).collect();
        for contender in running.clone() {
            progress(&format!(
                "{}: round {number} of {}: {}",
                contest.name, options.rounds, contender.name
            ));
            let setting = trial::Setting {
                place: &place,
                programs,
                seconds,
                pinned: options.pinned,
                meter: contest.meter,
                connections: contest.connections,
                traced: contest.traced,
            };
            match trial::run(contender, &setting) {
                Ok(sample) => {
                    samples.insert(contender.name, sample);
                }
                Err(error) => {
                    entry.failures.push((contender.name, format!("{error:#}")));
                    running.retain(|other| other.name != contender.name);
                }
            }
        }
        entry.rounds.push(Round { order, samples });
    }
    progress("");
    entry.verdicts = contest.verdicts(&entry.rounds);
    Ok(entry)
}

/// A line that the next one replaces, for a person who waits.
fn progress(line: &str) {
    if std::io::stderr().is_terminal() {
        // Back to the first column, and clear to the end (ECMA-48 EL).
        eprint!("\r\u{1b}[K{line}");
    }
}

fn programs(build: bool) -> Result<Programs> {
    if build {
        let mut command = cargo::cargo();
        command.args(["build", "--release", "--quiet"]);
        command.args(["--package", "netdyno", "--package", "bare"]);
        anyhow::ensure!(shell::run(&mut command)?, "the release build failed");
    }
    let target = Metadata::of_workspace()?.target_directory;
    let scratch = target.join("bench");
    std::fs::create_dir_all(&scratch)
        .with_context(|| format!("cannot make {}", scratch.display()))?;
    Ok(Programs::new(&target.join("release"), scratch))
}
