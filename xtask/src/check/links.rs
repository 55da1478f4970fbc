//! Links of Markdown files lead to files that exist.

use super::Fault;
use super::tree::Tree;

/// Links to files that are not there.
pub fn faults(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".md")) {
        let mut in_code = false;
        for (index, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            }
            if in_code {
                continue;
            }
            for target in targets(line) {
                let exists = resolve(path, target).is_some_and(|file| tree.has(&file));
                if !exists {
                    faults.push(Fault::at_line(
                        path,
                        index + 1,
                        format!("links to {target}, which is not there"),
                    ));
                }
            }
        }
    }
    faults
}

/// Link targets in a line that are files: `[text](target)`, without addresses and anchors.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', ' ', '#']).next()?;
        let is_file =
            !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:");
        is_file.then_some(target)
    })
}

/// The target from the root; none when it leads out of the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_from_their_file() {
        let text = "[a](result.md) [b](../README.md#top) [c](https://example.com) [d](#here)\n\
            [e](gone.md) [f](../../out.md) [g](schema/)\n```\n[h](code.md)\n```\n";
        let tree = Tree::of(&[
            ("README.md", "[docs](docs/result.md)"),
            ("docs/page.md", text),
            ("docs/result.md", ""),
            ("docs/schema/run.json", ""),
        ]);
        let found: Vec<_> = faults(&tree).iter().map(Fault::to_string).collect();
        assert_eq!(
            found,
            [
                "docs/page.md:2: links to gone.md, which is not there",
                "docs/page.md:2: links to ../../out.md, which is not there",
            ]
        );
    }
}
