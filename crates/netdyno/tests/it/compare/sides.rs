//! Everything by which a side may differ, and all that is put back.

use std::path::Path;

use super::*;
use crate::process::is_alive;
use crate::server::Server;

/// A comparison of short runs with these words; its code too.
fn of_runs(words: &str, more: &[&str]) -> (Ended, Comparison) {
    let usual = "-t 100ms -O 20ms --pairs 6 --no-probe --quiet --json --load rr";
    let client = Client::wrapped(netdyno(), "compare", &format!("{usual} {words}"));
    let client = more.iter().fold(client, |client, word| client.word(word));
    let ended = client.end();
    let found = document(&ended);
    (ended, found)
}

fn trials_that_count(found: &Comparison) -> usize {
    found.trials.iter().filter(|trial| trial.counts()).count()
}

#[test]
fn two_servers_are_compared() {
    let loopback = "127.0.0.1".parse().unwrap();
    let servers =
        ["--no-netperf --no-iperf2 --no-iperf3"; 2].map(|words| Server::at(loopback, words));
    let [a, b] = servers.each_ref().map(|server| server.address());
    let (_, found) = of_runs(&format!("--a-host {a} --b-host {b}"), &[]);
    assert_eq!(trials_that_count(&found), 12, "{:?}", found.reason);
    for (side, server) in [(&found.sides.a, a), (&found.sides.b, b)] {
        assert!(side.options[0].ends_with(&server.to_string()));
    }
    for server in &servers {
        assert_eq!(
            server.log().matches(" accepted").count(),
            6,
            "{}",
            server.log()
        );
    }
}

#[test]
fn a_side_may_have_a_program_an_environment_and_settings_of_its_own() {
    not_run::needs_namespaces!();
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let wrapper = folder.path().join("wrapper");
    let script = format!("#!/bin/sh\necho $WHO >> {}\nexec \"$@\"\n", seen.display());
    fs::write(&wrapper, script).unwrap();
    let program = crate::process::program().into_string().unwrap();
    let b = format!("WHO='side b' sh {} {program}", wrapper.display());
    let (_, found) = of_runs(
        "--set-b request=100 --set-b link.qdisc=pfifo --set-b net.ipv4.tcp_sack=0 \
         --b-sysctl server:net.ipv4.tcp_fin_timeout=17",
        &["--b", &b],
    );
    assert_eq!(trials_that_count(&found), 12, "{:?}", found.reason);
    assert_eq!(fs::read_to_string(&seen).unwrap(), "side b\n".repeat(6));
    let differs = |what: &str| {
        let mut all = found.environment.iter();
        let found = all.find(|difference| difference.what == what);
        found.map(|found| (found.a.clone().unwrap(), found.b.clone().unwrap()))
    };
    let text = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
    for end in ["client", "server"] {
        let sack = format!("{end}: sysctl.net.ipv4.tcp_sack");
        assert_eq!(differs(&sack), text("1", "0"));
        let qdisc = differs(&format!("{end}: qdisc.root")).unwrap();
        assert_eq!(qdisc.1, "pfifo limit 1000");
    }
    assert_eq!(differs("client: sysctl.net.ipv4.tcp_fin_timeout"), None);
    assert_eq!(
        differs("server: sysctl.net.ipv4.tcp_fin_timeout"),
        text("60", "17")
    );
}

#[test]
fn what_is_no_netdyno_is_told() {
    let (ended, found) = of_runs("--b /bin/true", &[]);
    assert_eq!(ended.code, 6);
    let reason = found.reason.unwrap();
    assert!(
        reason.ends_with("it printed no document of a run: is it a netdyno?"),
        "{reason}"
    );
}

#[test]
fn numbers_are_found_by_path_and_less_may_be_better() {
    let json = |low: u32| format!("echo '{{\"end\":[{{\"ms\":\"{low}\"}}]}}'");
    let client = Client::wrapped(netdyno(), "compare", "--pairs 6 --json --lower-is-better");
    let ended = client
        .word("--json-path=end[0].ms")
        .word("--unit=ms")
        .word("--exec-a")
        .word(&json(10))
        .word("--exec-b")
        .word(&json(12))
        .end();
    let found = document(&ended);
    assert_eq!((ended.code, found.verdict), (7, Some(Verdict::Worse)));
    assert_eq!(found.metrics[0].unit, "ms");
}

#[test]
fn no_pair_begins_that_would_end_too_late() {
    let ended = Client::wrapped(
        netdyno(),
        "compare",
        "--max-time 1500ms --pairs 1000 --json",
    )
    .word("--regex=(\\d+)")
    .word("--exec-a")
    .word("sleep 0.1; echo 1")
    .word("--exec-b")
    .word("sleep 0.11; echo 1")
    .end();
    let found = document(&ended);
    let trials = trials_that_count(&found);
    assert!((2..1000).contains(&trials), "{trials}");
    assert_eq!(found.design.max_time_ns, Some(1_500_000_000));
    assert!(found.reason.unwrap().starts_with("the time is up"));
}

/// Setup and teardown of each run of B, in a file.
fn with_marks(marks: &Path, setup: &str, words: &str) -> Client {
    let mark = |word: &str| format!("echo {word} >> {}", marks.display());
    Client::wrapped(
        netdyno(),
        "compare",
        &format!("--pairs 6 --regex (\\d+) --json {words}"),
    )
    .word("--exec-a")
    .word("echo 1")
    .word("--b-setup")
    .word(&format!("{}; {setup}", mark("up")))
    .word("--b-teardown")
    .word(&mark("down"))
    .word("--exec-b")
}

#[test]
fn setup_and_teardown_stand_around_every_run() {
    let folder = tempfile::tempdir().unwrap();
    let marks = folder.path().join("marks");
    let read = || fs::read_to_string(&marks).unwrap_or_default();
    // What a setup leaves in the background holds nothing up.
    let pid = folder.path().join("pid");
    let left = format!("sleep 1000 & echo $! >> {}", pid.display());
    let ended = with_marks(&marks, &left, "").word("echo 2").end();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(read(), "up\ndown\n".repeat(7));
    for pid in fs::read_to_string(pid).unwrap().lines() {
        let pid: u32 = pid.parse().unwrap();
        assert!(is_alive(pid));
        crate::process::tell(pid, Signal::SIGKILL);
    }

    fs::remove_file(&marks).unwrap();
    let ended = with_marks(&marks, "echo broken >&2; exit 3", "")
        .word("echo 2")
        .end();
    assert!(
        ended.stderr.contains("ended with exit status: 3: broken"),
        "{}",
        ended.stderr
    );
    assert_eq!(read(), "up\ndown\n");

    // ^C while it is set up, by a single process, so that nothing is being forked just then: the run is not made, and what was set up is torn down.
    fs::remove_file(&marks).unwrap();
    let client = with_marks(&marks, "exec sleep 1000", "")
        .word("echo 2")
        .start();
    eventually("the setup", || (read() == "up\n").then_some(()));
    client.tell(Signal::SIGINT);
    let ended = client.end();
    assert_eq!(
        (ended.code, read().as_str()),
        (130, "up\ndown\n"),
        "{}",
        ended.stderr
    );

    // Killed: torn down by whatever starts next, a run too.
    fs::remove_file(&marks).unwrap();
    let client = with_marks(&marks, "", "").word("exec sleep 1000").start();
    eventually("the setup", || (read() == "up\n").then_some(()));
    client.tell(Signal::SIGKILL);
    let ended = client.end();
    assert_eq!(read(), "up\n");
    let (_, _, said) = asked(&ended, &["run", "127.0.0.1:1", "--quiet"]);
    assert!(
        said.contains("killed before it put back its teardown"),
        "{said}"
    );
    assert_eq!(read(), "up\ndown\n");
    let (_, _, said) = asked(&ended, &["run", "127.0.0.1:1", "--quiet"]);
    assert!(!said.contains("killed"), "{said}");
}

/// In a network namespace of its own, whose qdisc stands at the end of standard output.
#[test]
fn a_qdisc_is_put_back_after_success_failure_and_interruption() {
    not_run::needs_root!();
    let compare = |b: &str| {
        let mut command = std::process::Command::new("unshare");
        command.args(["-n", "sh", "-c"]);
        command.arg("ip link set lo up; \"$@\" --json; code=$?; tc qdisc show dev lo; exit $code");
        command.arg("sh").arg(crate::process::program());
        let ended = Client::wrapped(command, "compare", "--pairs 6 --quiet --regex (\\d+)p")
            .word("--exec-a")
            .word("echo 1000p")
            .word("--b-setup=tc qdisc add dev lo root pfifo limit 77")
            .word("--b-teardown=tc qdisc del dev lo root")
            .word("--exec-b")
            .word(b)
            .end();
        let qdisc = ended.stdout.lines().last().unwrap().to_owned();
        assert!(qdisc.contains("noqueue"), "{qdisc}");
        let end = ended.stdout.rfind("qdisc noqueue").unwrap();
        (ended.code, ended.stdout[..end].to_owned(), ended.stderr)
    };
    let (code, found, _) = compare("tc qdisc show dev lo");
    let found = document::comparison(&found);
    assert_eq!((code, found.verdict), (7, Some(Verdict::Worse)));
    let ratio = found.metrics[0].estimate.as_ref().unwrap().value;
    assert!((ratio - 0.077).abs() < 1e-9, "{ratio}");

    let (code, found, said) = compare("exit 1");
    assert_eq!((code, found.as_str()), (5, ""), "{said}");
    let (code, found, _) = compare("kill -INT $PPID; exec sleep 100");
    let status = document::comparison(&found).status;
    assert_eq!((code, status), (130, record::Status::Interrupted));
}

#[test]
fn a_sysctl_that_cannot_be_set_is_told_before_anything_is_run() {
    let words = "--pairs 6 --regex (.) --exec-a ls --exec-b ls --b-sysctl";
    let compare = |command| Client::wrapped(command, "compare", words);
    let ended = compare(netdyno()).word("net.ipv4.no_such=1").end();
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("this kernel has no sysctl net.ipv4.no_such")
    );
    not_run::needs_root!();
    not_run::needs_program!("setpriv");
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=65534", "--clear-groups", "--no-new-privs"]);
    // The store and the program may be where only root may look.
    let folder = tempfile::tempdir().unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(folder.path(), open).unwrap();
    let program = folder.path().join("netdyno");
    fs::copy(crate::process::program(), &program).unwrap();
    command.arg(&program);
    let state = folder.path().join("state").display().to_string();
    let client = compare(command).word(&format!("{HARMLESS}=600"));
    let ended = client.env("XDG_STATE_HOME", &state).end();
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("cannot be set: Permission denied"),
        "{}",
        ended.stderr
    );
}

#[test]
fn sysctls_of_a_testbed_stay_in_it() {
    not_run::needs_namespaces!();
    let before = harmless();
    let look = || fs::read_to_string("/proc/sys/net/ipv4/tcp_sack").unwrap();
    let sack = look();
    let (_, found) = of_runs("--b-sysctl net.ipv4.tcp_sack=0", &[]);
    assert_eq!(trials_that_count(&found), 12, "{:?}", found.reason);
    assert_eq!((look(), harmless()), (sack, before));
}
