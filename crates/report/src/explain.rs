//! Everything that the findings of a run say, for `netdyno explain`.

use record::{Finding, Run};

use crate::prose::{command_line, wrap};
use crate::quantity::significant;
use crate::style::{Paint, Style};
use crate::text::{evidence, headline};

/// All findings with all their rows, then what to do about each.
pub fn explain(run: &Run, style: Style) -> String {
    let width = style.prose_width();
    let command = command_line(&run.command);
    let mut text = wrap(
        &format!("run {} of {}: {command}", run.id, run.started),
        0,
        2,
        width,
    );
    text.push('\n');
    if run.findings.is_empty() {
        text.push_str("no findings: the run ended before there was anything to explain\n");
    }
    text.push_str(&found(&run.findings, style));
    for doubt in &run.doubts {
        let sentence = format!(
            "doubt {} ({}): {}",
            doubt.doubt, doubt.about, doubt.evidence
        );
        text.push_str(&format!("\n{}\n", wrap(&sentence, 0, 2, width)));
    }
    text
}

/// Findings of a simulated host; `what` is where they are from.
pub fn explain_simulated(what: &str, findings: &[Finding], style: Style) -> String {
    let mut text = wrap(&format!("simulated: {what}"), 0, 2, style.prose_width());
    text.push('\n');
    if findings.is_empty() {
        text.push_str("no findings: its rows show no waiting for a qdisc's locks and no drops\n");
    }
    text.push_str(&found(findings, style));
    text
}

/// Each with its rows, and what to do.
fn found(findings: &[Finding], style: Style) -> String {
    let width = style.prose_width();
    let mut text = String::new();
    for (number, finding) in findings.iter().enumerate() {
        text.push_str(&format!("\n{}. {}\n", number + 1, headline(finding, style)));
        for row in &finding.evidence {
            let said = wrap(&evidence(row), 5, 5, width);
            let unit = match row.unit.as_str() {
                "" => String::new(),
                unit => format!(" {unit}"),
            };
            let value = significant(Some(row.value), 4);
            text.push_str(&format!("   - {said}\n"));
            let name = style.paint(Paint::Head, &format!("{} = {value}{unit}", row.row));
            text.push_str(&format!("       {name}\n"));
        }
        text.push_str(&format!("   {}\n", wrap(&finding.advice, 3, 3, width)));
    }
    text
}
