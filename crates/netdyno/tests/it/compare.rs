//! Two sides against each other, and everything put back.

mod alone;
mod kept;
mod server;
mod sides;

use std::fs;

use nix::sys::signal::Signal;
use record::{Comparison, Verdict};

use crate::client::{Client, Ended, Running};
use crate::document;
use crate::process::{eventually, netdyno};

/// External commands: the arithmetic of a comparison without any network.
fn of_numbers(a: &str, b: &str, words: &str) -> Ended {
    Client::wrapped(netdyno(), "compare", words)
        .word("--exec-a")
        .word(a)
        .word("--exec-b")
        .word(b)
        .word("--json")
        .end()
}

fn document(ended: &Ended) -> Comparison {
    assert!(!ended.stdout.is_empty(), "{}", ended.stderr);
    document::comparison(&ended.stdout)
}

/// Name of the one comparison that goes on, once it has made so many trials.
fn after_trials(client: &Running, trials: usize) -> String {
    let folder = client.store().state_home().join("netdyno/comparisons");
    eventually("some trials", || {
        let entry = fs::read_dir(&folder).ok()?.next()?.ok()?;
        let text = fs::read_to_string(entry.path().join("journal.jsonl")).ok()?;
        (text.matches("\"trial\":{").count() >= trials)
            .then(|| entry.file_name().into_string().unwrap())
    })
}

/// What netdyno says with these words about the store of an ended command: code, standard output,
/// standard error.
fn asked(ended: &Ended, words: &[&str]) -> (i32, String, String) {
    let output = netdyno()
        .args(words)
        .env("XDG_STATE_HOME", ended.store.state_home())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        crate::process::code(output.status),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A number near `middle` that differs each time.
fn about(middle: u32) -> String {
    format!("echo number {middle}.$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')")
}

#[test]
fn numbers_of_any_command_are_compared() {
    let ended = of_numbers(&about(100), &about(120), "--pairs 8 --regex (\\d+\\.\\d+)");
    let found = document(&ended);
    assert_eq!((found.verdict, ended.code), (Some(Verdict::Better), 0));
    let estimate = found.metrics[0].estimate.as_ref().unwrap();
    assert!((estimate.value - 1.2).abs() < 0.02, "{estimate:?}");
    assert_eq!(found.trials.len(), 2 + 16);

    let worse = of_numbers(&about(100), &about(90), "--pairs 6 --regex (\\d+\\.\\d+)");
    assert_eq!(worse.code, 7);
    let again = format!("{}; true", about(100));
    let equal = of_numbers(&about(100), &again, "--pairs 8 --regex (\\d+\\.\\d+)");
    assert_eq!(
        (document(&equal).verdict, equal.code),
        (Some(Verdict::Equivalent), 0)
    );
}

#[test]
fn failures_are_recorded_and_too_many_make_it_invalid() {
    // Fails after the pilots, which are counted in a file.
    let once = "n=$(cat $XDG_STATE_HOME/n 2>/dev/null || echo 0); echo $((n+1)) > $XDG_STATE_HOME/n; \
                [ $n -lt 2 ] || { echo broken >&2; exit 1; }; echo 5";
    let ended = of_numbers(once, "echo 5", "--pairs 6 --regex (\\d+)");
    let found = document(&ended);
    assert_eq!(ended.code, 6, "{}", ended.stderr);
    assert!(
        found
            .trials
            .iter()
            .any(|trial| trial.reason.as_deref() == Some("broken"))
    );
    assert!(
        found
            .doubts
            .iter()
            .any(|doubt| doubt.doubt == "failed-trials")
    );
}

#[test]
fn gates_decide_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gates.toml");
    fs::write(&file, "[[gate]]\nmetric = 'number'\nlimit = '20%'\n").unwrap();
    let words = format!("--pairs 8 --regex (\\d+\\.\\d+) --gate {}", file.display());
    // Worse, but within the limit.
    assert_eq!(of_numbers(&about(100), &about(90), &words).code, 0);
    assert_eq!(of_numbers(&about(100), &about(70), &words).code, 7);
}

#[test]
fn an_interrupted_comparison_has_its_verdict_and_is_resumed() {
    let slow = |number: u32| format!("sleep 0.1; echo {number}.$RANDOM");
    let client = Client::wrapped(netdyno(), "compare", "--pairs 9 --regex ([\\d.]+) --json")
        .word("--exec-a")
        .word(&slow(100))
        .word("--exec-b")
        .word(&slow(120))
        .start();
    let id = after_trials(&client, 15);
    client.tell(Signal::SIGINT);
    let ended = client.end();
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    let found = document(&ended);
    assert!(found.metrics[0].estimate.is_some());
    let before = found.trials.iter().filter(|trial| trial.counts()).count();

    let mut again = netdyno();
    again.args(["compare", "--resume", &id]);
    let output = again
        .env("XDG_STATE_HOME", ended.store.state_home())
        .output()
        .unwrap();
    let whole: Comparison = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (
            whole.id,
            whole.trials.iter().filter(|trial| trial.counts()).count()
        ),
        (id, 18)
    );
    assert!(before < 18);
    assert_eq!(whole.verdict, Some(Verdict::Better));
}

const HARMLESS: &str = "net.ipv4.tcp_min_rtt_wlen";

fn harmless() -> String {
    fs::read_to_string("/proc/sys/net/ipv4/tcp_min_rtt_wlen").unwrap()
}

#[test]
fn sysctls_are_put_back_after_success_failure_and_interruption() {
    not_run::needs_root!();
    let before = harmless();
    let look = "cat /proc/sys/net/ipv4/tcp_min_rtt_wlen";
    let sysctl = |value: u32| format!("--pairs 6 --regex (\\d+) --b-sysctl {HARMLESS}={value}");
    let ended = of_numbers(look, look, &sysctl(600));
    assert_eq!(harmless(), before);
    let ratio = document(&ended).metrics[0].estimate.as_ref().unwrap().value;
    let was: f64 = before.trim().parse().unwrap();
    assert!((ratio - 600.0 / was).abs() < 1e-9, "{ratio}");

    let ended = of_numbers("echo 1", "exit 1", &sysctl(600));
    assert!(ended.code != 0, "{}", ended.stdout);
    assert_eq!(harmless(), before);

    let client = Client::wrapped(netdyno(), "compare", &sysctl(601))
        .word("--exec-a")
        .word("echo 1")
        .word("--exec-b")
        .word("sleep 5; echo 1")
        .start();
    eventually("the sysctl is set", || {
        (harmless().trim() == "601").then_some(())
    });
    client.tell(Signal::SIGINT);
    client.end();
    assert_eq!(harmless(), before);

    // Killed: the note stays, and the next start acts on it.
    let client = Client::wrapped(netdyno(), "compare", &sysctl(602))
        .word("--exec-a")
        .word("echo 1")
        .word("--exec-b")
        .word("sleep 5; echo 1")
        .start();
    eventually("the sysctl is set", || {
        (harmless().trim() == "602").then_some(())
    });
    client.tell(Signal::SIGKILL);
    let ended = client.end();
    assert_eq!(harmless().trim(), "602");
    let mut next = netdyno();
    next.args([
        "compare", "--exec-a", "echo 1", "--exec-b", "echo 2", "--pairs", "6", "--regex", "(.)",
    ]);
    let output = next
        .env("XDG_STATE_HOME", ended.store.state_home())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("killed before it put back"), "{said}");
    assert_eq!(harmless(), before);
}
