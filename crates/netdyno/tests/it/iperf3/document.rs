//! The document has what iperf3's own has, by name and type.

use plan::Family;
use serde_json::Value;

use super::{Said, Served, Whose};
use crate::hosts::hosts;

/// Paths and types of all that is in a value; places of an array are one path.
fn shape(value: &Value, path: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                shape(value, &format!("{path}.{key}"), into);
            }
        }
        Value::Array(values) => {
            for value in values {
                shape(value, &format!("{path}[]"), into);
            }
        }
        Value::Bool(_) => into.push(format!("{path}: boolean")),
        Value::Number(_) => into.push(format!("{path}: number")),
        Value::String(_) => into.push(format!("{path}: text")),
        Value::Null => into.push(format!("{path}: null")),
    }
}

fn shapes(value: &Value) -> Vec<String> {
    let mut shapes = Vec::new();
    shape(value, "", &mut shapes);
    shapes.sort();
    shapes.dedup();
    shapes
}

#[test]
fn every_key_of_3_12_is_there() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Theirs, 6600, "");
        for words in [
            "-t 1 -b 10M",
            "-t 1 -b 10M -R -P 2",
            "-t 1 -b 10M --bidir",
            "-u -t 1 -b 1M -l 1000",
            "-u -t 1 -b 1M -l 1000 -R",
            "-u -t 1 -b 1M -l 1000 --bidir",
            "-n 100K -T title --extra-data more --get-server-output",
        ] {
            let [ours, theirs] = [Whose::Ours, Whose::Theirs]
                .map(|whose| shapes(&Said::asking(whose, served.at, words).well(words)));
            let missing: Vec<&String> = theirs.iter().filter(|key| !ours.contains(key)).collect();
            assert!(missing.is_empty(), "{words}: {missing:?}");
        }
    });
}

/// A connection makes its buffers larger at once, and a peer's first answer the segments: iperf3
/// tells of neither.
#[test]
fn buffers_and_segments_are_those_that_3_12_tells() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        let cases = [
            "-n 100K",
            "-n 100K -R",
            "-n 100K -w 100K",
            "-n 100K -M 1000 -R",
            "-u -n 10K -b 10M",
            "-u -n 10K -b 10M -w 100K -R",
        ];
        // The end that is looked at, and the other one.
        let told = |client: Whose, server: Whose, port: u16, words: &str, key: &str| {
            let server_words = if key == "server_output_json" {
                "-J"
            } else {
                ""
            };
            let served = Served::start(hosts, server, port, server_words);
            let words = format!("{words} --get-server-output");
            let document = Said::asking(client, served.at, &words).well(&words);
            let document = document.get(key).cloned().unwrap_or(document);
            let keys = ["sock_bufsize", "sndbuf_actual", "rcvbuf_actual"];
            let start = &document["start"];
            let segment = [&start["tcp_mss"], &start["tcp_mss_default"]];
            let segment = segment.map(|size| size.as_u64());
            let sizes = keys.map(|key| start[key].as_u64());
            (sizes, segment, start["test_start"]["blksize"].as_u64())
        };
        for (port, words) in (6610..).step_by(4).zip(cases) {
            use Whose::{Ours, Theirs};
            let theirs = told(Theirs, Theirs, port, words, "");
            assert_eq!(told(Ours, Theirs, port + 1, words, ""), theirs, "{words}");
            let key = "server_output_json";
            let theirs = told(Theirs, Theirs, port + 2, words, key);
            let ours = told(Theirs, Ours, port + 3, words, key);
            // The default segment of a server of 3.12 is 0.
            assert_eq!((ours.0, ours.2), (theirs.0, theirs.2), "server {words}");
        }
    });
}
