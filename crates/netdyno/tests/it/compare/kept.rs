//! What is kept of comparisons and series, and shown again.

use super::*;

#[test]
fn a_comparison_is_shown_again_and_listed() {
    let ended = Client::wrapped(netdyno(), "compare", "--pairs 6 --regex (\\d+)")
        .word("--exec-a")
        .word("echo 10")
        .word("--exec-b")
        .word("echo 12")
        .end();
    let (_, listed, _) = asked(&ended, &["history", "comparisons", "--json-lines"]);
    let found = document::comparison(&listed);
    let id = found.id.as_str();
    assert_eq!(asked(&ended, &["show", id]).1, ended.stdout);
    let (_, whole, _) = asked(&ended, &["show", id, "--json"]);
    assert_eq!(document::comparison(&whole), found);
    let (_, table, _) = asked(&ended, &["history", "comparisons"]);
    assert!(table.contains(id) && table.contains("better"), "{table}");
    let since = ["history", "comparisons", "--since", "2100"];
    assert_eq!(asked(&ended, &since).1, "no stored comparison\n");

    for words in [
        ["explain", id].as_slice(),
        &["diff", id, id],
        &["export", id],
        &["merge", id],
        &["show", id, "--csv"],
    ] {
        let (code, output, said) = asked(&ended, words);
        assert_eq!((code, output.as_str()), (2, ""), "{words:?}");
        assert!(said.contains(&format!("'{id}' is a comparison")), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn a_killed_comparison_has_the_answer_of_its_pairs_and_is_resumed() {
    let client = Client::wrapped(netdyno(), "compare", "--pairs 12 --regex (\\d+)")
        .word("--exec-a")
        .word("sleep 0.05; echo 10")
        .word("--exec-b")
        .word("sleep 0.05; echo 12")
        .start();
    let id = after_trials(&client, 6);
    client.tell(Signal::SIGKILL);
    let ended = client.end();
    let show = |words: &[&str]| {
        let (code, output, said) = asked(&ended, words);
        assert_eq!(code, 0, "{said}");
        document::comparison(&output)
    };
    let found = show(&["show", &id, "--json"]);
    assert_eq!(found.status, record::Status::Interrupted);
    assert!(found.metrics[0].estimate.as_ref().unwrap().n >= 2);
    // The beginning of its name is enough.
    let (code, whole, _) = asked(&ended, &["compare", "--resume", &id[..15]]);
    assert_eq!(code, 0, "{whole}");
    assert!(whole.contains("B is better than A"), "{whole}");
    let found = show(&["show", &id, "--json"]);
    assert_eq!(found.status, record::Status::Ok);
    let numbers: Vec<_> = found.trials.iter().map(|trial| trial.block).collect();
    assert_eq!(numbers.iter().flatten().count(), 24 - 8, "{numbers:?}");
}

#[test]
fn a_series_is_shown_again_and_listed() {
    not_run::needs_namespaces!();
    let ended = Client::new("--load rr -t 100ms --no-probe --quiet --sweep request=1,100").end();
    let (_, listed, _) = asked(&ended, &["history", "series", "--json-lines"]);
    let found: record::Series = serde_json::from_str(&listed).unwrap();
    assert_eq!(asked(&ended, &["show", &found.id]).1, ended.stdout);
    let (_, table, _) = asked(&ended, &["history", "series"]);
    assert!(
        table.contains(&found.id) && table.contains("request"),
        "{table}"
    );
    let (code, _, said) = asked(&ended, &["explain", &found.id]);
    assert_eq!(code, 2);
    assert!(said.contains("is a series of runs"), "{said}");
}
