//! The contention lab from outside: documents, files, refusals.

use std::fs;
use std::process::Output;

use serde_json::Value;

use crate::process::netdyno;

fn lab(words: &str) -> Output {
    let words = words.split_whitespace();
    netdyno().arg("lab").args(words).output().unwrap()
}

fn document(words: &str) -> Value {
    let out = lab(&format!("{words} --json"));
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let document = crate::document::lab(&String::from_utf8(out.stdout).unwrap());
    assert_eq!(document["schema"], "netdyno.lab/1");
    document
}

#[test]
fn bad_parameters_get_one_sentence_and_code_2() {
    for (words, part) in [
        ("spinlock --cpus 0", "--cpus: 0 is none"),
        ("spinlock --cpus -1", "'-1' is no number of CPUs"),
        ("spinlock --cpus 513", "513 is too many"),
        ("spinlock --lock mutex", "there is no lock 'mutex'"),
        ("spinlock --think -5", "-5 is no time"),
        ("spinlock --cost hit=-1", "-1 is no time"),
        ("spinlock --cost warp=1", "nothing is called 'warp'"),
        ("spinlock --platform vax", "there is no platform 'vax'"),
        ("spinlock --params no-such-file", "no-such-file"),
        ("spinlock --real --lock cna", "only simulated"),
        ("qdisc --queues 9", "--queues: 9 for 8 CPUs"),
        ("qdisc --root any", "'any' is none of"),
        ("qdisc --senders 0", "--senders: 0 is none"),
        ("qdisc --qdisc pfifo_fast", "goes with the lockless root"),
        ("qdisc --bql", "--line-rate"),
        ("sweep --cpus 5..2", "is no range"),
        ("timers --pace 0", "is not more than 0"),
        ("timers --pace 1e300", "1e300 is too much; give at most"),
        ("spinlock --think 1e300", "1e300 is too long"),
        ("spinlock --cost hit=0", "0 ns is no time for an access"),
        (
            "timers --burst 1 --pace 1e13 --flows 1",
            "less than 1 ns apart; give at most 1e9",
        ),
        ("hol --ring 0", "--ring: 0 is none"),
        ("reporter --waiting sleep", "'sleep' is none of"),
        ("reporter --cpus 3", "--cpus: 3 is too many"),
        ("reporter --cpus -1", "'-1' is below 0"),
        ("reporter --params no-such-file", "no-such-file"),
        ("reporter --records 0", "is not more than 0"),
        ("reproduce E13", "there is no experiment 'E13'"),
        (
            "reproduce E12 --sensitivity --points -1",
            "'-1' is no number",
        ),
        ("spinlock --order sideways", "'sideways' is none of"),
        ("spinlock --combine all", "'all' is none of"),
        ("spinlock --shared-core 2000", "2000 is too much"),
        ("spinlock --lines 65", "65 is too many"),
        ("spinlock --time 1ns", "is not between"),
        ("spinlock --real --threads 0", "--threads: 0 is none"),
        ("spinlock --cost hit", "is not NAME=NANOSECONDS"),
        ("qdisc --switch magic", "'magic' is none of"),
        ("qdisc --batch 0", "--batch: 0 is none"),
        ("qdisc --message 70000", "do not fit a datagram"),
        ("qdisc --mapping best", "'best' is none of"),
        ("sweep --lock mutex", "there is no lock 'mutex'"),
        ("sweep --think -1", "-1 is no time"),
        ("timers --migration none", "'none' is none of"),
        ("timers --flows 0", "--flows: 0 is none"),
        ("hol --gso 0", "--gso: 0 is none"),
        ("hol --rate 0", "--rate: give at least 1k"),
        ("qdisc --line-rate 0", "--line-rate: give at least 1k"),
        (
            "qdisc --qdisc tbf --tbf-rate 0",
            "--tbf-rate: give at least 1k",
        ),
        ("hol --packet 20", "is not between"),
        ("model --cpus 0", "--cpus: 0 is none"),
        ("calibrate --rounds 0", "--rounds: 0 is none"),
    ] {
        let out = lab(words);
        let stderr = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{words}: {stderr}");
        assert!(out.stdout.is_empty(), "{words}");
        assert_eq!(stderr.matches('\n').count(), 1, "{words}: {stderr}");
        assert!(stderr.contains(part), "{words}: {stderr}");
    }
}

#[test]
fn reproduce_is_an_object_with_experiments() {
    let document = document("reproduce E9 E12");
    let experiments = document["experiments"].as_array().unwrap();
    assert_eq!(experiments.len(), 2);
    for experiment in experiments {
        for key in [
            "id",
            "fitted",
            "predicted",
            "published",
            "criterion",
            "pass",
        ] {
            assert!(!experiment[key].is_null(), "{key}");
        }
    }
    assert_eq!(experiments[0]["pass"], true);
}

/// Every assumed number is moved both ways, and what comes of it stands beside what it was.
#[test]
fn what_a_prediction_depends_on_is_a_document_too() {
    let words = "reproduce E12 --sensitivity --points 8";
    let document = document(words);
    let varied = document["sensitivity"][0]["varied"].as_array().unwrap();
    let named = |what: &str| varied.iter().find(|one| one["what"] == what).unwrap();
    let condvar = |what: &str| {
        let figures = named(what)["predicted"].as_array().unwrap();
        let found = figures
            .iter()
            .find(|one| one["name"] == "CPU, condition variable");
        found.unwrap()["value"].as_f64().unwrap()
    };
    let base = condvar("as it is");
    assert!(condvar("write down") < 0.85 * base && condvar("write up") > 1.15 * base);
    let cube = &document["sensitivity"][0]["hypercube"];
    assert_eq!(
        (&cube["points"], &cube["as_it_is"]),
        (&8.into(), &true.into())
    );
    assert_eq!(cube["parameters"][0]["parameter"], "write");
    let text = String::from_utf8(lab(words).stdout).unwrap();
    assert!(text.contains("8 points of a Latin hypercube"), "{text}");
    assert!(
        text.contains("write up") && text.contains("E12 (simulated)"),
        "{text}"
    );
}

/// A mechanism that is switched off is said in the document and changes the result.
#[test]
fn mechanisms_can_be_switched_off() {
    let words = "spinlock --lock qspin --cpus 6 --time 200us";
    let without = document(words);
    assert_eq!(without["memory"]["store_buffer"], false);
    let with = document(&format!("{words} --store-buffer"));
    assert_eq!(with["memory"]["store_buffer"], true);
    let rate = |document: &Value| document["result"]["per_second"].as_f64().unwrap();
    assert!(rate(&with) > rate(&without));
    let fifo = document(&format!("{words} --order fifo --combine machine"));
    assert_eq!(fifo["memory"]["order"], "fifo");
    assert_ne!(fifo["result"]["trace"], without["result"]["trace"]);
}

#[test]
fn the_same_seed_is_the_same_document_and_rows_are_those_of_a_host() {
    let words = "qdisc --cpus 4 --root busylock --time 1ms";
    let first = document(words);
    assert_eq!(first, document(words));
    assert_ne!(
        first["result"]["trace"],
        document(&format!("{words} --seed 2"))["result"]["trace"]
    );
    assert_eq!(first["provenance"], "simulated");
    let rows: record::Rows = serde_json::from_value(first["rows"].clone()).unwrap();
    assert!(rows.get("lock", "sim0 root lock", "waits").unwrap() > 0);
    assert!(rows.get("qdisc", "sim0 root", "packets").unwrap() > 0);
}

/// Shapes of whole clusters came out larger than what can be simulated.
#[test]
fn every_platform_has_every_number_of_cpus() {
    for platform in [
        "milan",
        "westmere",
        "e5450",
        "haswell-ex",
        "granite",
        "pktgen",
    ] {
        for cpus in [497, 505, 512] {
            let words = format!("spinlock --platform {platform} --cpus {cpus} --time 1us");
            let out = lab(&words);
            assert!(out.status.success(), "{words}: {out:?}");
        }
    }
}

#[test]
fn explain_reads_what_the_lab_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lab.json");
    let words = "qdisc --cpus 8 --lock ticket --root none --time 1ms";
    fs::write(&file, document(words).to_string()).unwrap();
    let explain = |words: &[&str]| {
        let mut command = netdyno();
        command.arg("explain").arg(&file).args(words);
        command.output().unwrap()
    };
    let text = String::from_utf8(explain(&[]).stdout).unwrap();
    assert!(text.starts_with("simulated: lab qdisc of "), "{text}");
    assert!(text.contains("sim0 root lock"), "{text}");
    let findings: Value = serde_json::from_slice(&explain(&["--json"]).stdout).unwrap();
    let causes: Vec<&Value> = findings["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| &finding["cause"])
        .collect();
    assert!(causes.contains(&&Value::from("root-lock")), "{causes:?}");
    // One sender waits for nobody.
    fs::write(
        &file,
        document("qdisc --cpus 1 --senders 1 --time 1ms").to_string(),
    )
    .unwrap();
    let text = String::from_utf8(explain(&[]).stdout).unwrap();
    assert!(!text.contains("root-lock"), "{text}");
    for (contents, part) in [
        ("", "is no document"),
        ("{}", "has no rows"),
        ("{\"rows\": {}}", "is no document"),
    ] {
        fs::write(&file, contents).unwrap();
        let out = explain(&[]);
        let errors = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{contents}: {errors}");
        assert!(
            errors.contains(part) && errors.lines().count() == 1,
            "{errors}"
        );
    }
    fs::remove_file(&file).unwrap();
    assert_eq!(explain(&[]).status.code(), Some(2));
}

/// All its minutes were measured before the file was found not to be writable.
#[test]
fn a_calibration_that_cannot_be_written_measures_nothing() {
    let out = lab("calibrate --output /proc/nowhere/costs.toml");
    let errors = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{errors}");
    assert!(errors.contains("/proc/nowhere/costs.toml"), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
fn every_command_has_a_text_and_a_document() {
    for words in [
        "spinlock --cpus 3 --time 100us",
        "qdisc --cpus 2 --root lockless --platform pktgen --time 200us",
        "qdisc --cpus 2 --qdisc tbf --tbf-rate 100M --time 1ms",
        "qdisc --cpus 2 --line-rate 1G --bql --time 1ms",
        "timers --flows 20 --time 2ms --migration pull",
        "hol --bql --probes 20",
        "reporter",
        "model --cpus 4",
        "sweep --cpus 1..3 --time 100us",
    ] {
        document(words);
        let out = lab(words);
        assert!(out.status.success(), "{words}");
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(text.contains("simulated"), "{words}: {text}");
        assert!(
            !text.contains("NaN") && !text.contains("fault"),
            "{words}: {text}"
        );
    }
}

#[test]
fn a_sweep_writes_its_plot() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plot.svg");
    let words = format!("sweep --cpus 1..4 --time 100us --svg {}", file.display());
    let text = String::from_utf8(lab(&words).stdout).unwrap();
    assert!(text.contains("* ticket") && text.contains("CPUs"), "{text}");
    let svg = fs::read_to_string(&file).unwrap();
    assert_eq!(svg.matches("<polyline").count(), 3);
}

/// A thread more than there are CPUs is marked; two threads lose nothing on any lock.
#[test]
fn real_locks_exclude_and_say_when_the_scheduler_is_measured() {
    let cpus = sys::thread::allowed_cpus().len();
    for lock in ["ticket", "mcs", "clh", "qspin"] {
        let words = format!("spinlock --real --threads 2 --lock {lock} --time 50ms");
        let document = document(&words);
        assert_eq!(document["provenance"], "measured and simulated");
        assert_eq!(document["result"]["measured"]["lost"], 0, "{lock}");
        assert_eq!(
            document["result"]["measured"]["measures_scheduler"],
            cpus < 2
        );
        assert!(
            document["result"]["simulated"]["per_second"]
                .as_f64()
                .unwrap()
                > 0.0
        );
    }
    let many = format!(
        "spinlock --real --threads {} --lock tas --time 50ms",
        cpus + 1
    );
    assert!(
        String::from_utf8(lab(&many).stdout)
            .unwrap()
            .contains("the scheduler was measured")
    );
}

#[test]
fn an_experiment_that_is_named_twice_runs_once() {
    let twice = document("reproduce E9 e9");
    assert_eq!(twice["experiments"].as_array().unwrap().len(), 1);
}

/// The qdisc that refuses messages refused the words of the two ends as well, and no qdisc was
/// measured.
#[test]
fn calibration_measures_what_qdiscs_cost() {
    not_run::needs_root!();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("here.toml");
    let measured = document(&format!("calibrate --rounds 1 --output {}", file.display()));
    let measured = measured.to_string();
    for name in ["HTB, enqueue and dequeue", "send that the qdisc refuses"] {
        assert!(measured.contains(name), "{name}: {measured}");
    }
    assert!(fs::read_to_string(&file).unwrap().contains("[costs.think]"));
}

/// What is measured can be simulated with; a file that was changed cannot.
#[test]
fn calibration_gives_a_file_that_the_lab_reads() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("here.toml");
    let measured = document(&format!("calibrate --no-qdisc --output {}", file.display()));
    assert_eq!(measured["provenance"], "measured");
    let words = format!("spinlock --cpus 2 --time 100us --params {}", file.display());
    let costs = &document(&words)["costs"];
    assert_eq!(costs["atomic"]["tag"], "L");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replace("[costs.atomic]\nvalue = ", "[costs.atomic]\nvalue = 1"),
    )
    .unwrap();
    let refused = lab(&words);
    assert_eq!(refused.status.code(), Some(2));
}

/// All waits were divided among the contended acquisitions alone.
#[test]
fn no_mean_wait_is_longer_than_the_longest() {
    let document = document("qdisc --line-rate 1G --bql --cpus 2 --time 5ms");
    let mut rows = 0;
    let mut left = vec![&document];
    while let Some(value) = left.pop() {
        let figure = |key: &str| value.get(key).and_then(Value::as_f64);
        if let (Some(mean), Some(most)) = (figure("wait_mean_ns"), figure("wait_max_ns")) {
            assert!(mean <= most, "{value}");
            rows += 1;
        }
        left.extend(value.as_array().into_iter().flatten());
        left.extend(
            value
                .as_object()
                .into_iter()
                .flat_map(|object| object.values()),
        );
    }
    assert!(rows > 0);
}
