//! `netdyno lab calibrate`: what things cost on this machine.

mod line;
mod path;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::process::ExitCode;

use report::lab::document::{self, Calibration, Reading};
use sim::{Cost, Item, Shape, Tag};

use crate::cli::lab::{CalibrateRequest, Form};
use crate::exit::Exit;
use crate::say;

pub(super) fn calibrate(request: &CalibrateRequest) -> ExitCode {
    let output = request.output.display();
    // A file that cannot be written is said before the minutes of measuring, not after.
    let opened = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&request.output);
    let mut file = match opened {
        Ok(file) => file,
        Err(error) => {
            say!("writing the costs to {output}: {error}");
            return Exit::Usage.into();
        }
    };
    let cpus = sys::thread::allowed_cpus();
    say!("locks, atomics, lines ...");
    let mut readings = line::readings(&cpus);
    if request.qdisc {
        match path::readings(request.rounds, &cpus) {
            Ok(more) => readings.extend(more),
            Err(error) => say!("the cost of qdiscs is left out: {error:#}"),
        }
    }
    let costs = costs(&readings);
    let facts = observe::facts(None);
    let name = facts.cpu_model.unwrap_or_else(|| "this machine".to_owned());
    let notes = notes(&readings, facts.kernel, cpus.len());
    let shape = Shape::flat(cpus.len().clamp(1, sim::CPUS_MAX));
    let text = sim::params::print(&name, shape, &costs, &notes);
    let written = file
        .set_len(0)
        .and_then(|()| file.write_all(text.as_bytes()));
    if let Err(error) = written {
        say!("writing the costs to {output}: {error}");
        return Exit::Usage.into();
    }
    let text = match request.form {
        Form::Json => report::lab::json(&Calibration {
            schema: document::Form::First,
            command: document::Command::Calibrate,
            provenance: document::Provenance::Measured,
            readings,
            file: output.to_string(),
        }),
        Form::Text => {
            let table = report::lab::readings(&readings, super::screen::style());
            format!("{table}written to {output}\n")
        }
    };
    super::print(&text)
}

/// One cost from repetitions; none without any.
fn reading(name: &str, mut values: Vec<f64>) -> Option<Reading> {
    values.retain(|value| value.is_finite());
    Some(Reading {
        name: name.to_owned(),
        median: stats::median(&values)?,
        low: stats::quantile(&values, 0.25)?,
        high: stats::quantile(&values, 0.75)?,
        n: values.len(),
        modes: modes(&values),
    })
}

/// Two groups that are far apart, as lines are that come from two distances.
fn modes(values: &[f64]) -> Option<[(f64, usize); 2]> {
    let two = stats::modes(values).filter(|two| two.high > 1.5 * two.low)?;
    Some([(two.low, two.low_count), (two.high, two.high_count)])
}

/// What the simulator can use of it.
fn costs(readings: &[Reading]) -> Vec<(Item, Cost)> {
    let find = |name: &str| readings.iter().find(|one| one.name == name);
    let mut costs = Vec::new();
    let mut put = |item: Item, reading: Option<&Reading>, source: &str| {
        if let Some(one) = reading {
            let least = |value: f64| value.max(0.0);
            costs.push((
                item,
                Cost {
                    value: least(one.median),
                    low: least(one.low),
                    high: least(one.high),
                    source: source.to_owned(),
                    tag: Tag::L,
                },
            ));
        }
    };
    put(
        Item::Hit,
        find(line::READ),
        "a read of a held line, medians of batches",
    );
    put(
        Item::Atomic,
        find(line::ATOMIC),
        "an atomic on a held line, medians of batches",
    );
    put(
        Item::Relax,
        find(line::PAUSE),
        "a relax instruction, medians of batches",
    );
    let transfer = find(line::TRANSFER);
    put(
        Item::TransferCluster,
        transfer,
        "ping-pong between the CPUs, one way",
    );
    put(
        Item::Think,
        find(path::THINK),
        "a send that the qdisc refuses",
    );
    put(
        Item::Transmit,
        find(path::TRANSMIT),
        "a send without qdisc less a refused one",
    );
    put(
        Item::Enqueue,
        find(path::HALF_FIFO),
        "half of what tbf adds, which never is bypassed",
    );
    put(
        Item::Dequeue,
        find(path::HALF_FIFO),
        "half of what tbf adds, which never is bypassed",
    );
    put(
        Item::Htb,
        find(path::HALF_HTB),
        "half of what HTB adds beyond tbf",
    );
    costs
}

fn notes(readings: &[Reading], kernel: Option<String>, cpus: usize) -> BTreeMap<String, String> {
    let mut notes: BTreeMap<String, String> = readings
        .iter()
        .map(|one| {
            let modes = match one.modes {
                None => String::new(),
                Some([low, high]) => format!(
                    ", possibly bimodal: {:.1} ns {} times, {:.1} ns {} times",
                    low.0, low.1, high.0, high.1
                ),
            };
            let text = format!(
                "{:.2} ns (quartiles {:.2} and {:.2}, n {}){modes}",
                one.median, one.low, one.high, one.n
            );
            (one.name.clone(), text)
        })
        .collect();
    notes.insert("cpus".to_owned(), cpus.to_string());
    notes.insert(
        "kernel".to_owned(),
        kernel.unwrap_or_else(|| "unknown".to_owned()),
    );
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_groups_are_seen_and_one_is_not() {
        let two = [20.0, 21.0, 22.0, 23.0, 107.0, 108.0, 109.0];
        let seen = reading("x", two.to_vec()).unwrap().modes.unwrap();
        assert_eq!(seen, [(21.5, 4), (108.0, 3)]);
        let one: Vec<f64> = (0..20).map(|n| 20.0 + f64::from(n)).collect();
        assert_eq!(reading("x", one).unwrap().modes, None);
        assert_eq!(reading("x", vec![1.0, 100.0]).unwrap().modes, None);
        assert!(reading("x", vec![f64::NAN]).is_none());
    }

    /// Among sixty batches a preemption or two are no uncertainty of the cost.
    #[test]
    fn a_preempted_batch_is_not_the_uncertainty() {
        let mut values: Vec<f64> = (0..58).map(|n| 20.0 + f64::from(n % 3)).collect();
        values.extend([900.0, 4000.0]);
        let reading = reading("x", values).unwrap();
        assert_eq!(
            (reading.low, reading.median, reading.high),
            (20.0, 21.0, 22.0)
        );
    }

    #[test]
    fn a_file_of_what_was_measured_reads_back() {
        let readings = [reading(line::TRANSFER, vec![30.0, 31.0, 32.0]).unwrap()];
        let notes = notes(&readings, None, 2);
        let text = sim::params::print("here", Shape::flat(2), &costs(&readings), &notes);
        let platform = sim::params::parse(&text).unwrap();
        assert_eq!(platform.costs.nanos(Item::TransferCluster), 31.0);
    }
}
