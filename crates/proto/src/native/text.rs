//! Texts from the peer end up in terminals and documents: they are made harmless first.

use std::collections::BTreeMap;

use record::{EndReport, Facts, Granted, Observation};

use super::Sysctls;

/// The longest text that is kept, in characters.
const LONGEST: usize = 256;

/// The most sysctls, or sentences about what was capped, that are kept of one host or load.
const MOST: usize = 256;

/// The most facts of a host's environment that are kept: each queue and interrupt has a few.
const MOST_OF_ENVIRONMENT: usize = 16_384;

/// Cuts `text` to 256 characters and replaces what a terminal would obey.
pub(super) fn clean(text: &mut String) {
    if text.len() <= LONGEST && !text.chars().any(is_obeyed) {
        return;
    }
    let harmless = |c| {
        if is_obeyed(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    let mut kept: String = text.chars().take(LONGEST).map(harmless).collect();
    if text.chars().nth(LONGEST).is_some() {
        kept.pop();
        kept.push('…');
    }
    *text = kept;
}

/// The same for a text that need not be there.
fn clean_some(text: &mut Option<String>) {
    text.iter_mut().for_each(clean);
}

// A test holds the texts below against the schema of the record: a new one must have its place.

pub(super) fn clean_facts(facts: &mut Facts) {
    clean(&mut facts.netdyno);
    for text in [
        &mut facts.hostname,
        &mut facts.kernel,
        &mut facts.machine,
        &mut facts.cpu_model,
        &mut facts.clocksource,
        &mut facts.virtualization,
        &mut facts.locality.boot_id,
        &mut facts.interface,
        &mut facts.driver,
        &mut facts.qdisc,
    ] {
        clean_some(text);
    }
    clean_sysctls(&mut facts.sysctls);
    clean_map(&mut facts.environment, MOST_OF_ENVIRONMENT);
}

pub(super) fn clean_sysctls(sysctls: &mut Sysctls) {
    clean_map(sysctls, MOST);
}

fn clean_map(map: &mut BTreeMap<String, String>, most: usize) {
    let pairs = std::mem::take(map).into_iter().take(most);
    *map = pairs
        .map(|(mut name, mut value)| {
            clean(&mut name);
            clean(&mut value);
            (name, value)
        })
        .collect();
}

pub(super) fn clean_observation(observation: &mut Observation) {
    observation.rows = std::mem::take(&mut observation.rows).renamed(clean);
    for gone in &mut observation.gone {
        clean(&mut gone.source);
        clean(&mut gone.label);
    }
    observation.unread.truncate(MOST);
    observation.unread.iter_mut().for_each(clean);
}

pub(super) fn clean_granted(granted: &mut Granted) {
    clean_some(&mut granted.congestion_control);
    granted.capped.truncate(MOST);
    granted.capped.iter_mut().for_each(clean);
}

pub(super) fn clean_report(report: &mut EndReport) {
    for load in &mut report.loads {
        clean_some(&mut load.congestion_control);
        clean_some(&mut load.broken_reason);
    }
}

/// Control characters, and the marks that turn the direction or break the line of what follows
/// (Unicode 15, sections 23.2 and 23.3).
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use record::{Edge, Gone, LoadReport, Locality, Rows};
    use schemars::schema_for;
    use serde_json::Value;

    use super::*;

    /// Names of the properties that are free texts, or lists or maps of them.
    fn texts(schema: &Value, found: &mut BTreeSet<String>) {
        let is_text = |of: &Value| {
            let kind = &of["type"];
            let is_string = kind == "string"
                || kind
                    .as_array()
                    .is_some_and(|k| k.contains(&"string".into()));
            is_string && of.get("enum").is_none() && of.get("const").is_none()
        };
        for (name, of) in schema["properties"].as_object().into_iter().flatten() {
            if is_text(of) || is_text(&of["items"]) || is_text(&of["additionalProperties"]) {
                found.insert(name.clone());
            }
        }
        for (_, definition) in schema["$defs"].as_object().into_iter().flatten() {
            texts(definition, found);
        }
    }

    #[test]
    fn these_are_all_texts_that_a_server_sends() {
        let names = |schema: schemars::Schema| {
            let mut found = BTreeSet::new();
            texts(schema.as_value(), &mut found);
            Vec::from_iter(found).join(" ")
        };
        assert_eq!(
            names(schema_for!(Facts)),
            "boot_id clocksource cpu_model driver environment hostname interface kernel machine \
             netdyno qdisc sysctls virtualization"
        );
        assert_eq!(names(schema_for!(Granted)), "capped congestion_control");
        assert_eq!(
            names(schema_for!(EndReport)),
            "broken_reason congestion_control"
        );
        assert_eq!(names(schema_for!(Edge)), "");
        // And the keys of the rows.
        assert_eq!(names(schema_for!(Observation)), "label source unread");
    }

    fn cleaned(text: &str) -> String {
        let mut text = text.to_owned();
        clean(&mut text);
        text
    }

    #[test]
    fn ordinary_texts_stay() {
        for text in ["", "6.12.0-arm64", "Größe 10 µs → 12", &"é".repeat(256)] {
            assert_eq!(cleaned(text), text);
        }
    }

    #[test]
    fn what_a_terminal_obeys_is_replaced() {
        assert_eq!(
            cleaned("\x1b[31mred\n\u{9b}2J"),
            "\u{fffd}[31mred\u{fffd}\u{fffd}2J"
        );
        assert_eq!(cleaned("a\u{202e}b\u{2028}c"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let cut = cleaned(&"x".repeat(257));
        assert_eq!(cut.chars().count(), 256);
        assert!(cut.ends_with("xx…"));
    }

    #[test]
    fn every_text_of_the_facts_is_cleaned_and_sysctls_are_few() {
        let bad = || Some("\x07".to_owned());
        let mut facts = Facts {
            netdyno: "\x07".into(),
            hostname: bad(),
            kernel: bad(),
            machine: bad(),
            cpu_model: bad(),
            clocksource: bad(),
            virtualization: bad(),
            locality: Locality {
                boot_id: bad(),
                netns: None,
            },
            interface: bad(),
            driver: bad(),
            qdisc: bad(),
            sysctls: (0..1000)
                .map(|n| (format!("\x07{n}"), "\x07".into()))
                .collect(),
            environment: [("\x07".into(), "\x07".into())].into(),
            ..Facts::default()
        };
        clean_facts(&mut facts);
        let json = serde_json::to_string(&facts).unwrap();
        assert!(!json.contains("\\u0007"), "{json}");
        assert_eq!(facts.sysctls.len(), MOST);
    }

    #[test]
    fn every_text_of_an_observation_is_cleaned() {
        let mut rows = Rows::default();
        rows.set("\x07", "\x07", "\x07", 1);
        let mut observation = Observation {
            rows,
            gone: vec![Gone {
                source: "\x07".into(),
                label: "\x07".into(),
            }],
            unread: vec!["\x07".into(); 1000],
            ..Observation::default()
        };
        clean_observation(&mut observation);
        let json = serde_json::to_string(&observation).unwrap();
        assert!(!json.contains("\\u0007"), "{json}");
        assert_eq!(observation.unread.len(), MOST);
    }

    #[test]
    fn every_text_of_grants_and_reports_is_cleaned() {
        let mut granted = Granted {
            congestion_control: Some("\x07".into()),
            capped: vec!["\x07".into(); 1000],
            ..Granted::default()
        };
        clean_granted(&mut granted);
        assert_eq!(granted.congestion_control.as_deref(), Some("\u{fffd}"));
        assert_eq!(granted.capped, vec!["\u{fffd}"; MOST]);

        let load = LoadReport {
            congestion_control: Some("\x07".into()),
            broken_reason: Some("\x07".into()),
            ..LoadReport::default()
        };
        let mut report: EndReport = serde_json::from_str(r#"{"end":"server","loads":[]}"#).unwrap();
        report.loads = vec![load.clone(), load];
        clean_report(&mut report);
        assert!(!serde_json::to_string(&report).unwrap().contains("\\u0007"));
    }

    proptest! {
        #[test]
        fn clean_texts_are_harmless_short_and_stay_clean(text in "(?s).{0,300}") {
            let once = cleaned(&text);
            prop_assert!(once.chars().count() <= LONGEST);
            prop_assert!(!once.chars().any(is_obeyed));
            prop_assert_eq!(cleaned(&once), once);
        }
    }
}
