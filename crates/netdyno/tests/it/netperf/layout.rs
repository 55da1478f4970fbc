//! What our client prints for a command line, held against what netperf 2.7.0 prints, both at the
//! same netserver: the same lines to the last blank, but for the figures and for the end of the
//! banner, which names what a netperf was built with.

use std::fs;

use plan::Family;
use tempfile::TempDir;

use super::{Netserver, Said, Whose, addresses};
use crate::differences;
use crate::hosts::{Hosts, hosts};

/// A test with a number of bytes or transactions that takes no time.
const TESTS: [(&str, &str, &str); 8] = [
    ("TCP_STREAM", "-l -1000000", "-m 10000"),
    ("TCP_MAERTS", "-l -1000000", "-m ,10000"),
    ("TCP_SENDFILE", "-l 1", "-m 10000"),
    ("UDP_STREAM", "-l -20000", "-m 1000"),
    ("TCP_RR", "-l -50", "-r 10,20"),
    ("UDP_RR", "-l -50", "-r 10,20"),
    ("TCP_CRR", "-l -50", "-r 10,20"),
    ("TCP_CC", "-l -50", ""),
];

/// Options of every test, global and of the test.
const FORMS: [(&str, &str); 9] = [
    ("", ""),
    ("-P 0", ""),
    ("-v 0", ""),
    ("-P 0 -v 0", ""),
    ("-v 2", ""),
    ("-f g", ""),
    ("", "-o"),
    ("", "-k"),
    ("", "-O"),
];

/// Those that need a second, since they measure the CPUs or tell of the test while it runs.
const LASTING: [(&str, &str); 6] = [
    ("-c -C", ""),
    ("-c", ""),
    ("-C", ""),
    ("-c -C -v 0", ""),
    ("-D 0.3", ""),
    ("-D 0.3 -P 0 -v 0", ""),
];

/// Command lines that are looked at alone.
const SINGLE: &[&str] = &[
    "-t TCP_RR -l 1 -i 3,3 -I 95,0.01",
    "-t UDP_STREAM -l 1 -c -C -i 3,3 -I 99,0.01 -- -m 1000",
    "-t TCP_STREAM -l 1 -r -i 3,3 -I 99,0.01",
    "-t TCP_CC -l -50 -I 99,5",
    "-t TCP_CC -l 1 -D 0.3",
    "-t TCP_CC -l 1 -D 0.3 -f g",
    "-t OMNI -l -1000000 -- -m 10000",
    "-t OMNI -l -50 -- -m 1000,1000",
    "-t OMNI -l -50 -- -c -m 1000",
    "-t OMNI -l -50 -- -c -m 1000,1000",
    "-t OMNI -l -50 -- -d 0",
    "-t TCP_MSS",
    "-t TCP_MSS -v 0",
    "-t TCP_MSS -I 99,5",
    "-t REM_CPU -v 2",
    "-t TCP_RR -l -50 -B brand -P 0",
    "-t TCP_RR -l -50 -- -K nonesuch",
    "-t TCP_RR -l -50 -- -m",
    "-t TCP_STREAM -l -50000 -f u -- -o THROUGHPUT,REMOTE_SEND_THROUGHPUT",
];

/// Units of every letter, and of one without a meaning.
const UNITS: &str = "GMKgmkbBxuz";

/// What a selector file holds: a line is a block, of which there are no more than four.
const SELECTORS: &str = "THROUGHPUT,THROUGHPUT_UNITS\n\nELAPSED_TIME,nonesuch,PROTOCOL\n\
                         REQUEST_SIZE\nRESPONSE_SIZE\n";

#[test]
fn lines_are_netperfs() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    let mut lines = Vec::new();
    for (test, length, options) in TESTS {
        // The classic tests have no omni forms, and know no such option.
        let omni = !matches!(test, "TCP_SENDFILE" | "TCP_CC");
        for (global, of_test) in FORMS {
            if omni || of_test.is_empty() {
                lines.push(format!(
                    "-t {test} {length} {global} -- {options} {of_test}"
                ));
            }
        }
        // Tests of connections wait for netserver's own end of them; of files netperf tells now and
        // then, or not at all.
        if !matches!(test, "TCP_CRR" | "TCP_CC" | "TCP_SENDFILE") {
            for (global, of_test) in LASTING {
                lines.push(format!("-t {test} -l 1 {global} -- {options} {of_test}"));
            }
        }
    }
    for unit in UNITS.chars() {
        for (test, length, options) in TESTS {
            if test != "TCP_SENDFILE" {
                lines.push(format!("-t {test} {length} -f {unit} -- {options}"));
            }
        }
    }
    for form in ["-o", "-O", "-k"] {
        lines.push(format!("-t TCP_RR -l -50 -- {form} selectors"));
    }
    lines.extend(SINGLE.iter().map(|line| (*line).to_owned()));
    hosts("", Family::V4, move |hosts| {
        let _server = Netserver::start(hosts, Whose::Theirs, "");
        differences::none(lines, 16, |line| difference(hosts, line));
    });
}

fn difference(hosts: &Hosts<'_>, line: &str) -> Option<String> {
    let folder = TempDir::with_prefix("netdyno-it-").unwrap();
    fs::write(folder.path().join("selectors"), SELECTORS).unwrap();
    let [ours, theirs] = [Whose::Ours, Whose::Theirs].map(|whose| {
        let mut command = whose.command("netperf");
        command.args(["-H", &addresses(hosts).to_string()]);
        // netperf's file to send lies where it is called.
        command.current_dir(folder.path());
        Said::by({
            command.args(line.split_whitespace());
            command
        })
    });
    let (a, b) = (masked(&ours.output), masked(&theirs.output));
    (a != b || ours.code != theirs.code).then(|| {
        format!(
            "netperf {line}\n--- ours ({:?}) {}\n{}--- netperf's ({:?}) {}\n{}",
            ours.code,
            ours.errors,
            show(&a),
            theirs.code,
            theirs.errors,
            show(&b)
        )
    })
}

fn show(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}$\n")).collect()
}

/// Lines with figures masked. Interim lines are as many as the time allows.
fn masked(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let banner = line.contains(" from ") && line.contains(" port ");
        let masked = match banner {
            true => banner_of(line),
            false => mask(line),
        };
        if !(masked.starts_with("Interim") && lines.last() == Some(&masked)) {
            lines.push(masked);
        }
    }
    lines
}

/// Without what a netperf says it was built with.
fn banner_of(line: &str) -> String {
    [" : demo", " : histogram", " : interval", " : first burst 0"]
        .iter()
        .fold(line.to_owned(), |line, built| line.replace(built, ""))
}

/// Figures become `#` with their number of decimals, those with an exponent without it: `%.4g`
/// prints no trailing zeros. A figure's width takes from the blanks around it, so that of those only
/// their being there is kept.
fn mask(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars().peekable();
    let mut figures = false;
    while let Some(c) = chars.next() {
        let begins = c.is_ascii_digit()
            && !out.ends_with(|last: char| last.is_ascii_alphanumeric() || "^_".contains(last));
        if !begins {
            out.push(c);
            continue;
        }
        let mut figure = String::from(c);
        while let Some(more) = chars.next_if(|c| c.is_ascii_digit() || *c == '.') {
            figure.push(more);
        }
        if chars.peek() == Some(&'^') {
            out += &figure;
            continue;
        }
        figures = true;
        if out.ends_with('-') {
            out.pop();
        }
        let decimals = match chars.peek() {
            Some('e') => 0,
            _ => figure.split_once('.').map_or(0, |(_, part)| part.len()),
        };
        out += &format!("#{decimals}");
    }
    if !figures {
        return out;
    }
    let mut squeezed = String::new();
    for c in out.chars() {
        if !(c == ' ' && squeezed.ends_with(' ')) {
            squeezed.push(c);
        }
    }
    squeezed.trim_start().to_owned()
}

#[test]
fn figures_are_masked_and_words_are_not() {
    assert_eq!(mask("131072  16384   1.01   "), "#0 #0 #2 ");
    assert_eq!(mask("bytes  10^6bits/sec  "), "bytes  10^6bits/sec  ");
    assert_eq!(mask("P99_LATENCY=-1.25"), "P99_LATENCY=#2");
    assert_ne!(mask("1.00  "), mask("1.00"));
}

#[test]
fn an_exponents_figure_ends_where_its_zeros_begin() {
    assert_eq!(mask("1.23e+09  5.00"), mask("1.234e+09  5.00"));
    assert_eq!(mask("3e+09"), mask("3.001e+09"));
    assert_ne!(mask("1.2e+09"), mask("1.2"));
}
