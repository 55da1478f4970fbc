//! Every direct dependency has its line, with the reason, in docs/dependencies.md.

use std::collections::BTreeSet;

use super::Fault;
use super::tree::Tree;
use crate::cargo::Package;

const PAGE: &str = "docs/dependencies.md";

/// Dependencies without a line, lines without a dependency, lines without a reason.
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
    unexplained.chain(of_rows).collect()
}

struct Row<'a> {
    line: usize,
    name: &'a str,
    reason: &'a str,
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
            dependencies: vec![
                dependency("serde", false),
                dependency("libc", false),
                dependency("toml", false),
                dependency("units", true),
            ],
            ..Package::default()
        };
        let page = "# x\n| crate | reason |\n|---|---|\n| `serde` | data |\n| `gone` | was |\n| `toml` | |\n";
        let found: Vec<_> = faults(&[member], &Tree::of(&[(PAGE, page)]))
            .iter()
            .map(Fault::to_string)
            .collect();
        assert_eq!(
            found,
            [
                "docs/dependencies.md: has no line for libc",
                "docs/dependencies.md:5: gone is not used",
                "docs/dependencies.md:6: toml has no reason",
            ]
        );
    }
}
