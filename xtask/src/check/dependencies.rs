//! Every direct dependency has its line, with the reason, in docs/dependencies.md, and is used.

use std::collections::BTreeSet;

use super::Fault;
use super::tokens::{Kind, tokens};
use super::tree::Tree;
use crate::cargo::Package;

const PAGE: &str = "docs/dependencies.md";
const MANIFEST: &str = "Cargo.toml";

/// Dependencies without a line, lines without a dependency, lines without a reason, versions in
/// the workspace's table that nobody asks for, and dependencies that no source names.
pub fn faults(members: &[Package], tree: &Tree) -> Vec<Fault> {
    let Some((_, page)) = tree.texts().find(|(path, _)| *path == PAGE) else {
        return vec![Fault::new(PAGE, "is missing")];
    };
    let used: BTreeSet<&str> = members
        .iter()
        .flat_map(|member| &member.dependencies)
        .filter(|dependency| dependency.path.is_none())
        .map(|dependency| dependency.name.as_str())
        .collect();
    let manifest = tree.texts().find(|(path, _)| *path == MANIFEST);
    let idle = manifest.into_iter().flat_map(|(_, manifest)| {
        shared(manifest)
            .filter(|(_, name)| !used.contains(name))
            .map(|(line, name)| Fault::at_line(MANIFEST, line, format!("no package uses {name}")))
    });
    let rows = rows(page);
    let unexplained = used
        .iter()
        .filter(|name| !rows.iter().any(|row| row.name == **name))
        .map(|name| Fault::new(PAGE, format!("has no line for {name}")));
    let of_rows = rows.iter().filter_map(|row| {
        if !used.contains(row.name) {
            Some(Fault::at_line(
                PAGE,
                row.line,
                format!("{} is not used", row.name),
            ))
        } else if row.reason.is_empty() {
            Some(Fault::at_line(
                PAGE,
                row.line,
                format!("{} has no reason", row.name),
            ))
        } else {
            None
        }
    });
    let unnamed = members.iter().flat_map(|member| unnamed(member, tree));
    unexplained
        .chain(of_rows)
        .chain(idle)
        .chain(unnamed)
        .collect()
}

/// What a package asks for and none of its sources names.
fn unnamed(member: &Package, tree: &Tree) -> Vec<Fault> {
    let folder = format!("{}/", member.folder());
    let words: BTreeSet<&str> = tree
        .rust()
        .filter(|(path, _)| path.starts_with(&folder))
        .flat_map(|(_, text)| tokens(text))
        .filter(|token| token.kind == Kind::Word)
        .map(|token| token.text)
        .collect();
    member
        .dependencies
        .iter()
        .filter(|dependency| !words.contains(dependency.name.replace('-', "_").as_str()))
        .map(|dependency| {
            Fault::new(
                format!("{folder}Cargo.toml"),
                format!("asks for {}, which no source names", dependency.name),
            )
        })
        .collect()
}

struct Row<'a> {
    line: usize,
    name: &'a str,
    reason: &'a str,
}

/// Line and name of what `[workspace.dependencies]` takes from outside.
fn shared(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    manifest
        .lines()
        .enumerate()
        .skip_while(|(_, line)| *line != "[workspace.dependencies]")
        .skip(1)
        .take_while(|(_, line)| !line.starts_with('['))
        .filter(|(_, line)| !line.contains("path ="))
        .filter_map(|(index, line)| Some((index + 1, line.split_once(" = ")?.0)))
}

/// Lines of a table whose first cell is a name in backticks.
fn rows(page: &str) -> Vec<Row<'_>> {
    page.lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
            let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
            Some(Row {
                line: index + 1,
                name,
                reason: cells.next().unwrap_or_default(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::Dependency;

    #[test]
    fn page_and_manifests_are_in_step() {
        let dependency = |name: &str, own: bool| Dependency {
            name: name.to_owned(),
            kind: None,
            path: own.then(|| "somewhere".into()),
        };
        let member = Package {
            name: "a".to_owned(),
            manifest_path: "crates/a/Cargo.toml".into(),
            dependencies: vec![
                dependency("serde", false),
                dependency("libc", false),
                dependency("toml", false),
                dependency("units", true),
            ],
            ..Package::default()
        };
        let page = "# x\n| crate | reason |\n|---|---|\n| `serde` | data |\n| `gone` | was |\n| `toml` | |\n";
        let manifest = "[workspace.dependencies]\nunits = { path = \"x\" }\nserde = \"1\"\n\
            idle = \"1\"\n\n[profile.release]\ndebug = 1\n";
        let source = "use serde::de;\nuse toml::Value;\n// units\nconst A: i32 = libc::EOF;";
        let tree = Tree::of(&[
            (PAGE, page),
            (MANIFEST, manifest),
            ("crates/a/src/lib.rs", source),
            ("crates/b/src/lib.rs", "use units::Bytes;"),
        ]);
        let found: Vec<_> = faults(&[member], &tree)
            .iter()
            .map(Fault::to_string)
            .collect();
        assert_eq!(
            found,
            [
                "docs/dependencies.md: has no line for libc",
                "docs/dependencies.md:5: gone is not used",
                "docs/dependencies.md:6: toml has no reason",
                "Cargo.toml:4: no package uses idle",
                "crates/a/Cargo.toml: asks for units, which no source names",
            ]
        );
    }
}
