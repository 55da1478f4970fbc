//! What limited the run. Each rule looks at the document's rows and says what it sees, with the
//! rows as evidence; here the findings are put in order and, where no rule explains the result,
//! that is said too. `docs/findings.md` tells how the causes are told from each other.

mod cpu;
mod datagrams;
mod host;
mod interruption;
mod latency;
mod lock;
mod place;
mod queue;
mod resent;
mod rest;
mod simulated;
mod target;
mod tcp;
mod way;

use record::{Cause, End, Evidence, Finding, Run};

pub use simulated::findings as findings_of_rows;
use way::Way;

/// Below this share of the time, or of the loss, a cause is not worth a line.
const WORTH: f64 = 0.05;
/// Findings that the report of a run shows.
const SHOWN: usize = 3;
/// Share of lost datagrams that a reader must hear of.
const NOTABLE: f64 = 0.01;

/// What limited the run, what explains most first.
pub fn findings(run: &Run) -> Vec<Finding> {
    let ways = way::ways(run);
    if run.loads.iter().all(is_unmoved) {
        // What never began was not limited.
        return Vec::new();
    }
    let mut findings = Vec::new();
    for way in &ways {
        findings.extend(interruption::finding_of(run, way));
        findings.extend(target::findings(way));
        findings.extend(tcp::findings(run, way));
        findings.extend(datagrams::findings(run, way));
        findings.extend(queue::findings(run, way));
    }
    findings.extend(latency::findings(run));
    findings.extend(cpu::findings(run, &ways));
    findings.extend(lock::findings(run, &ways));
    findings.extend(place::findings(run));
    findings.retain(|finding| finding.explains >= WORTH);
    order(&mut findings, &ways);
    only_once(&mut findings);
    let rest = rest::rest(run, &ways, &findings);
    findings.extend(rest);
    findings
}

/// Both ways of a load that goes both ways may show the same.
fn only_once(findings: &mut Vec<Finding>) {
    let mut told: Vec<Finding> = Vec::new();
    for finding in findings.drain(..) {
        let again = |other: &Finding| {
            (other.cause, &other.load, &other.evidence)
                == (finding.cause, &finding.load, &finding.evidence)
        };
        if !told.iter().any(again) {
            told.push(finding);
        }
    }
    *findings = told;
}

/// What explains most comes first; a cause that tells why a CPU was busy comes before that CPU, and a
/// FIFO in which others wait before the link whose rate fills it. While nothing came nothing else
/// mattered. Where datagrams were lost is among those that the report shows.
fn order(findings: &mut [Finding], ways: &[Way]) {
    let of_cpu = findings
        .iter()
        .filter(|finding| matches!(finding.cause, Cause::SenderCpu | Cause::ReceiverCpu));
    let busiest = of_cpu.map(|finding| finding.explains).fold(0.0, f64::max);
    let rank = |finding: &Finding| match finding.cause {
        Cause::HeadOfLine if queue::is_in_fifo(finding) => 1.0 + finding.explains,
        Cause::Interruption => 2.0 + finding.explains,
        Cause::RootLock | Cause::QueueCollision | Cause::SoftirqOneCpu | Cause::CgroupThrottle => {
            finding.explains.max(busiest)
        }
        Cause::ReceiveWindow if is_chosen(finding, ways) => finding.explains.max(busiest),
        _ => weight(finding, ways),
    };
    findings.sort_by(|a, b| {
        rank(b)
            .total_cmp(&rank(a))
            .then(is_specific(b.cause).cmp(&is_specific(a.cause)))
            .then(b.confidence.total_cmp(&a.confidence))
    });
    let lost = findings.iter().position(|finding| {
        datagrams::is_of_loss(finding)
            && way_of(finding, ways).is_some_and(|way| way.lost_share() >= NOTABLE)
    });
    if let Some(at) = lost.filter(|at| *at >= SHOWN) {
        findings[SHOWN - 1..=at].rotate_right(1);
    }
}

/// Whether a window is the user's own choice, which then keeps CPUs busy with small pieces.
fn is_chosen(finding: &Finding, ways: &[Way]) -> bool {
    let mut of_load = ways
        .iter()
        .filter(|way| way.name() == finding.load.as_deref());
    of_load.any(Way::has_chosen_window)
}

/// What a finding explains of the result. A flood without a rate gets as far as its CPU goes; of it
/// the loss is a part.
fn weight(finding: &Finding, ways: &[Way]) -> f64 {
    let flood = way_of(finding, ways)
        .filter(|way| way.rate_asked().is_none() && datagrams::is_of_loss(finding));
    finding.explains * flood.map_or(1.0, Way::lost_share)
}

/// The way on which a load's datagrams were lost.
fn way_of<'a>(finding: &Finding, ways: &'a [Way<'a>]) -> Option<&'a Way<'a>> {
    let of_load = |way: &&Way| !way.is_tcp() && way.name() == finding.load.as_deref();
    let lost = ways.iter().filter(of_load);
    lost.max_by(|a, b| a.lost_share().total_cmp(&b.lost_share()))
}

/// Whether the cause says what can be changed, where others only say what was short.
fn is_specific(cause: Cause) -> bool {
    !matches!(
        cause,
        Cause::SenderCpu | Cause::ReceiverCpu | Cause::CongestionWindow | Cause::Scheduler
    )
}

/// Whether nothing of the load is known to have moved.
fn is_unmoved(load: &record::LoadResult) -> bool {
    let mut ways = load.directions.iter();
    ways.all(|way| way.sent.is_none() && way.received.is_none()) && load.transactions.is_none()
}

/// A finding about `load`, or about the whole run.
fn finding(
    cause: Cause,
    load: Option<&str>,
    (explains, confidence): (f64, f64),
    evidence: Vec<Evidence>,
    advice: &str,
) -> Finding {
    Finding {
        cause,
        load: load.map(str::to_owned),
        confidence,
        explains: explains.clamp(0.0, 1.0),
        evidence,
        advice: advice.to_owned(),
    }
}

/// A row of `end`, or of both ends together.
fn row(end: impl Into<Option<End>>, row: &str, value: f64, unit: &str, says: String) -> Evidence {
    Evidence {
        end: end.into(),
        row: row.to_owned(),
        value: if value.is_finite() { value } else { 0.0 },
        unit: unit.to_owned(),
        says,
    }
}

/// `once`, `3 times`.
fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// `87 %`.
fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent.abs() < 10.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}
