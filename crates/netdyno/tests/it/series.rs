//! Several runs, and the history of all.

use std::fs;

use nix::sys::signal::Signal;
use record::{Merged, Series, Status, Summary};

use crate::client::Client;
use crate::process::{eventually, netdyno};

#[test]
fn a_sweep_runs_every_cell_and_the_history_has_them() {
    not_run::needs_namespaces!();
    let ended =
        Client::new("--load rr -t 100ms --json --label trial --sweep request=1,100 --repeat 2")
            .end();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let series: Series = serde_json::from_str(&ended.stdout).unwrap();
    let settings: Vec<_> = series
        .cells
        .iter()
        .map(|cell| cell.settings.join(" "))
        .collect();
    assert_eq!(settings, ["request=1", "request=100"]);
    assert!(series.cells.iter().all(|cell| cell.runs.len() == 2));
    let state = ended.store.state_home();
    let folder = state.join("netdyno/series").join(&series.id);
    assert!(folder.join("request=100.json").is_file());

    let command = |words: &[&str]| {
        let output = netdyno()
            .args(words)
            .env("XDG_STATE_HOME", state)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{words:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let listed = command(&["history", "--label", "trial", "--json-lines"]);
    let listed: Vec<Summary> = listed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(listed.len(), 4);
    assert_eq!(command(&["history", "--label", "other"]), "no stored run\n");
    assert!(command(&["history", "trend", "transactions"]).contains("fewer than 20 runs"));
    assert_eq!(command(&["export"]).lines().count(), 5);
    assert!(command(&["export", "--format", "openmetrics"]).ends_with("# EOF\n"));

    let (first, second) = (listed[0].id.as_str(), listed[1].id.as_str());
    let merged: Merged =
        serde_json::from_str(&command(&["merge", first, second, "--json"])).unwrap();
    let samples = |id: &str| {
        let text =
            fs::read_to_string(state.join("netdyno/runs").join(id).join("run.json")).unwrap();
        let run: record::Run = serde_json::from_str(&text).unwrap();
        run.loads[0].latency.unwrap().samples
    };
    assert_eq!(
        merged.loads[0].response.samples,
        samples(first) + samples(second)
    );
}

/// Whole runs without a probe were said to have ended too early.
#[test]
fn runs_that_measured_no_latency_are_not_merged_for_that_reason() {
    not_run::needs_namespaces!();
    let ended = Client::new("-t 200ms -b 10M --no-probe --json --repeat 2").end();
    let series: Series = serde_json::from_str(&ended.stdout).unwrap();
    let runs = series.cells[0].runs.iter();
    let mut merge = netdyno();
    merge
        .arg("merge")
        .args(runs.filter_map(|run| run.run.as_ref()));
    merge.env("XDG_STATE_HOME", ended.store.state_home());
    let output = merge.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("--no-probe"), "{errors}");
}

#[test]
fn a_sweep_that_is_killed_leaves_what_was_measured() {
    not_run::needs_namespaces!();
    for signal in [Signal::SIGKILL, Signal::SIGINT] {
        let words = "--load rr -t 100ms --no-probe --json --sweep request=1,100,200 --repeat 40";
        let client = Client::new(words).start();
        let folder = client.store().state_home().join("netdyno/series");
        let id = eventually("two runs", || {
            let name = fs::read_dir(&folder).ok()?.next()?.ok()?.file_name();
            let text = fs::read_to_string(folder.join(&name).join("series.json")).ok()?;
            let series: Series = serde_json::from_str(&text).ok()?;
            (series.cells[0].runs.len() >= 2).then(|| name.into_string().unwrap())
        });
        client.tell(signal);
        let ended = client.end();
        let shown = |words: &[&str]| {
            let mut command = netdyno();
            command.args(words);
            let output = command
                .env("XDG_STATE_HOME", ended.store.state_home())
                .output()
                .unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let series: Series = serde_json::from_str(&shown(&["show", &id, "--json"])).unwrap();
        assert_eq!(series.status, Status::Interrupted);
        assert!(series.cells[0].runs.len() >= 2);
        let listed = shown(&["history", "series"]);
        assert!(
            listed.contains(&id) && listed.contains("interrupted"),
            "{listed}"
        );
    }
}

#[test]
fn repetition_until_the_mean_is_known() {
    not_run::needs_namespaces!();
    let ended = Client::new("-b 10M -t 200ms --no-probe --json --until 50% --repeat 8").end();
    let series: Series = serde_json::from_str(&ended.stdout).unwrap();
    let cell = &series.cells[0];
    assert!((5..=8).contains(&cell.runs.len()), "{}", cell.runs.len());
    assert!(cell.settled.is_some());
}
