//! A simulated host has the rows of a live one, but no run around them.

use record::{Cause, End, Finding, HostObserved};

use super::host::Host;
use super::{WORTH, finding, lock, percent, row};

/// What limited senders that had `cpus` CPUs for themselves, what explains most first.
pub fn findings(seen: &HostObserved, cpus: f64) -> Vec<Finding> {
    let Some(seconds) = seen.seconds.filter(|seconds| *seconds > 0.0) else {
        return Vec::new();
    };
    let host = Host {
        end: End::Client,
        seen,
        seconds,
    };
    let mut findings = Vec::from_iter(
        [lock::of_root(&host, cpus), dropped(&host)]
            .into_iter()
            .flatten(),
    );
    findings.retain(|finding| finding.explains >= WORTH);
    findings.sort_by(|a, b| b.explains.total_cmp(&a.explains));
    findings
}

/// Packets that the qdisc did not take: what their senders did was in vain.
fn dropped(host: &Host) -> Option<Finding> {
    let (drops, sent) = (host.sum("qdisc", "drops"), host.sum("qdisc", "packets"));
    let share = drops as f64 / drops.saturating_add(sent).max(1) as f64;
    let says = format!(
        "the qdisc dropped {drops} packets, {} of them",
        percent(share)
    );
    let evidence = vec![row(host.end, "qdisc.drops", drops as f64, "packets", says)];
    (drops > 0).then(|| {
        finding(
            Cause::QdiscDrop,
            None,
            (share, 0.85),
            evidence,
            "fewer senders, or a root protocol that takes more packets a second (--root)",
        )
    })
}
