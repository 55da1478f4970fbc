//! What limited the run, and what weakens its figures.

use record::Run;

use crate::prose::wrap;
use crate::quantity::percent;
use crate::style::{Paint, Style};

pub(super) fn findings(run: &Run, style: Style) -> String {
    let mut text = String::new();
    for finding in &run.findings {
        let sure = percent(Some(finding.confidence));
        let sentence = format!("{} ({sure} sure): {}", finding.cause, finding.advice);
        text.push_str(&format!(
            "  {}\n",
            wrap(&sentence, 2, 4, style.prose_width())
        ));
        for evidence in &finding.evidence {
            text.push_str(&format!(
                "    - {}\n",
                wrap(evidence, 6, 6, style.prose_width())
            ));
        }
    }
    headed("findings", text, style)
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
