//! What limited the run, and what weakens its figures.

use record::{Evidence, Finding, Run};

use crate::prose::wrap;
use crate::quantity::percent;
use crate::style::{Paint, Style};

/// Findings that a report shows; `netdyno explain` prints all of them.
const TOP: usize = 3;

/// The first findings: the cause, what proves it, what to do.
pub(super) fn findings(run: &Run, style: Style) -> String {
    let width = style.prose_width();
    let mut text = String::new();
    for finding in run.findings.iter().take(TOP) {
        text.push_str(&format!("  {}\n", headline(finding, style)));
        let proof = finding.evidence.iter().map(evidence);
        let proof = proof.reduce(|all, next| match all.len() + "; ".len() + next.len() + 4 {
            fits if fits <= width => format!("{all}; {next}"),
            _ => all,
        });
        for line in proof.iter().chain([&finding.advice]) {
            text.push_str(&format!("    {}\n", wrap(line, 4, 6, width)));
        }
    }
    headed("findings", text, style)
}

/// The cause, how much it explains and how sure that is.
pub(crate) fn headline(finding: &Finding, style: Style) -> String {
    let name = style.paint(Paint::Head, finding.cause.name());
    let load = finding.load.as_ref().map(|load| format!(" of {load}"));
    format!(
        "{name}{}: explains {}, {} sure",
        load.unwrap_or_default(),
        percent(Some(finding.explains)),
        percent(Some(finding.confidence)),
    )
}

/// A row in words, with the end that it is from.
pub(crate) fn evidence(evidence: &Evidence) -> String {
    match evidence.end {
        Some(end) => format!("{}: {}", end.name(), evidence.says),
        None => evidence.says.clone(),
    }
}

pub(super) fn doubts(run: &Run, style: Style) -> String {
    let mut text = String::new();
    for doubt in &run.doubts {
        let at = "  ".len() + doubt.doubt.len() + " ".len();
        let sentence = format!("({}): {}", doubt.about, doubt.evidence);
        let name = style.paint(Paint::Doubt, &doubt.doubt);
        text.push_str(&format!(
            "  {name} {}\n",
            wrap(&sentence, at, 4, style.prose_width())
        ));
    }
    headed("doubts", text, style)
}

fn headed(head: &str, text: String, style: Style) -> String {
    match text.is_empty() {
        true => text,
        false => format!("{}\n{text}", style.paint(Paint::Head, head)),
    }
}
