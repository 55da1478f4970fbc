//! Which package may depend on which: docs/architecture.md's picture as a table.

use super::Fault;
use crate::cargo::{Dependency, Package};

/// What a package may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Values in, values out.
    Pure,
    /// Files, sockets, threads, the kernel.
    System,
    /// Around the product: tasks, benches, fuzzing, test conventions.
    Tool,
}

/// A package, its side, and the packages of this workspace that it may use.
struct Layer {
    name: &'static str,
    side: Side,
    may_use: &'static [&'static str],
}

const LAYERS: [Layer; 18] = [
    layer("units", Side::Pure, &[]),
    layer("stats", Side::Pure, &["units"]),
    layer("plan", Side::Pure, &["units"]),
    layer("record", Side::Pure, &["units", "stats", "plan"]),
    layer("proto", Side::Pure, &["units", "plan", "record"]),
    layer("analyze", Side::Pure, &["units", "stats", "plan", "record"]),
    layer("sim", Side::Pure, &["units", "stats"]),
    layer("locks", Side::Pure, &[]),
    layer(
        "report",
        Side::Pure,
        &["units", "stats", "plan", "record", "analyze", "sim"],
    ),
    layer("sys", Side::System, &["units", "record"]),
    layer("observe", Side::System, &["units", "plan", "record", "sys"]),
    layer("testbed", Side::System, &["units", "plan", "record", "sys"]),
    layer(
        "engine",
        Side::System,
        &[
            "units", "stats", "plan", "record", "proto", "sys", "observe",
        ],
    ),
    layer(
        "netdyno",
        Side::System,
        &[
            "units", "stats", "plan", "record", "proto", "analyze", "report", "sim", "locks",
            "sys", "observe", "testbed", "engine",
        ],
    ),
    layer("not-run", Side::Tool, &[]),
    layer("bare", Side::Tool, &["sys", "units"]),
    layer("fuzz", Side::Tool, &["units", "plan", "record", "proto"]),
    layer("xtask", Side::Tool, &["stats", "analyze", "not-run"]),
];

/// Crates from outside that a pure crate may use: none of them touches the system.
const PURE_FROM_OUTSIDE: [&str; 7] = [
    "hdrhistogram",
    "schemars",
    "serde",
    "serde_json",
    "statrs",
    "thiserror",
    "toml",
];

/// Crates from outside that only some packages may use.
const FENCED: [(&str, &[&str]); 2] = [
    // Libraries give errors that a caller can tell apart.
    ("anyhow", &["netdyno", "bare", "xtask"]),
    ("clap", &["netdyno"]),
];

const fn layer(name: &'static str, side: Side, may_use: &'static [&'static str]) -> Layer {
    Layer {
        name,
        side,
        may_use,
    }
}

/// Whether a package is pure by the table.
pub fn is_pure(name: &str) -> bool {
    find(name).is_some_and(|layer| layer.side == Side::Pure)
}

/// Holds every package of the workspace against the table.
pub fn faults(members: &[Package]) -> Vec<Fault> {
    members.iter().flat_map(of_package).collect()
}

fn of_package(package: &Package) -> Vec<Fault> {
    let place = format!("{}'s Cargo.toml", package.name);
    let Some(layer) = find(&package.name) else {
        return vec![Fault::new(
            place,
            "is not in the table of layers: add it there and to docs/architecture.md",
        )];
    };
    package
        .dependencies
        .iter()
        .filter_map(|dependency| objection(layer, dependency))
        .map(|sentence| Fault::new(place.clone(), sentence))
        .collect()
}

fn objection(layer: &Layer, dependency: &Dependency) -> Option<String> {
    let name = dependency.name.as_str();
    let for_tests = dependency.kind.as_deref() == Some("dev");
    if dependency.path.is_some() {
        let allowed = layer.may_use.contains(&name) || for_tests && serves_tests(layer, name);
        return (!allowed).then(|| {
            format!(
                "depends on {name}; {} may use only: {}",
                layer.name,
                list(layer.may_use)
            )
        });
    }
    if for_tests {
        return None;
    }
    if layer.side == Side::Pure && !PURE_FROM_OUTSIDE.contains(&name) {
        return Some(format!(
            "depends on {name}; a pure crate may use from outside only: {}",
            list(&PURE_FROM_OUTSIDE)
        ));
    }
    FENCED
        .iter()
        .find(|(fenced, users)| *fenced == name && !users.contains(&layer.name))
        .map(|(_, users)| format!("depends on {name}, which is for {} only", list(users)))
}

/// Tests may also use `not-run`, and any pure crate: that cannot let the system in.
fn serves_tests(layer: &Layer, name: &str) -> bool {
    name == "not-run" || is_pure(name) || name == layer.name
}

fn find(name: &str) -> Option<&'static Layer> {
    LAYERS.iter().find(|layer| layer.name == name)
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[(&str, Option<&str>, bool)]) -> Package {
        Package {
            name: name.to_owned(),
            dependencies: dependencies
                .iter()
                .map(|(name, kind, own)| Dependency {
                    name: (*name).to_owned(),
                    kind: kind.map(str::to_owned),
                    path: own.then(|| "somewhere".into()),
                })
                .collect(),
            ..Package::default()
        }
    }

    fn sentences(package: Package) -> Vec<String> {
        faults(&[package]).iter().map(Fault::to_string).collect()
    }

    #[test]
    fn arrows_never_point_from_pure_to_system() {
        for layer in &LAYERS {
            for used in layer.may_use {
                let used = find(used).expect("the table names packages of the table");
                let fine = used.side == Side::Pure || layer.side != Side::Pure;
                assert!(fine, "{} -> {}", layer.name, used.name);
            }
        }
    }

    #[test]
    fn the_table_has_no_cycle() {
        // Each package uses only packages above its own line.
        for (at, layer) in LAYERS.iter().enumerate() {
            for used in layer.may_use {
                let position = LAYERS.iter().position(|other| other.name == *used);
                assert!(position < Some(at), "{} -> {used}", layer.name);
            }
        }
    }

    #[test]
    fn kept() {
        let engine = package("engine", &[("sys", None, true), ("libc", None, false)]);
        assert_eq!(sentences(engine), Vec::<String>::new());
        let report = package(
            "report",
            &[
                ("record", None, true),
                ("serde", None, false),
                ("proptest", Some("dev"), false),
                ("not-run", Some("dev"), true),
            ],
        );
        assert_eq!(sentences(report), Vec::<String>::new());
    }

    #[test]
    fn broken() {
        for (package, words) in [
            (package("plan", &[("sys", None, true)]), "depends on sys"),
            (
                package("plan", &[("sys", Some("dev"), true)]),
                "depends on sys",
            ),
            (
                package("plan", &[("record", None, true)]),
                "depends on record",
            ),
            (
                package("stats", &[("libc", None, false)]),
                "depends on libc",
            ),
            (
                package("units", &[("not-run", None, true)]),
                "depends on not-run",
            ),
            (
                package("engine", &[("anyhow", None, false)]),
                "depends on anyhow",
            ),
            (
                package("engine", &[("testbed", None, true)]),
                "depends on testbed",
            ),
            (package("new", &[]), "not in the table"),
        ] {
            let found = sentences(package);
            assert_eq!(found.len(), 1, "{words}: {found:?}");
            assert!(found[0].contains(words), "{found:?}");
        }
    }
}
