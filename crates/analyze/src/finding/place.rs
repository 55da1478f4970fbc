//! Where the path was, and whether the clock can be trusted.

use plan::Path;
use record::{Cause, Finding, Run};

use super::{finding, row};

pub(super) fn findings(run: &Run) -> Vec<Finding> {
    local(run).into_iter().chain(clock(run)).collect()
}

/// A host was named, and yet no packet left this one.
fn local(run: &Run) -> Option<Finding> {
    let client = &run.hosts.client.locality;
    let server = &run.hosts.server.as_ref()?.locality;
    let same = client.netns.is_some() && client == server;
    let named = matches!(run.plan.path, Path::Host { .. });
    let says = "both ends share one network stack: no interface, no link took part".to_owned();
    (same && named).then(|| {
        finding(
            Cause::LocalPath,
            None,
            (0.3, 1.0),
            vec![row(
                None,
                "locality.netns",
                client.netns.unwrap_or(0) as f64,
                "",
                says,
            )],
            "name a server on another host, or leave the host out for a testbed with a link",
        )
    })
}

fn clock(run: &Run) -> Option<Finding> {
    let doubt = run
        .doubts
        .iter()
        .find(|doubt| doubt.doubt == "clock-stepped")?;
    Some(finding(
        Cause::Clock,
        None,
        (0.2, 0.7),
        vec![row(
            None,
            "doubts.clock-stepped",
            1.0,
            "",
            doubt.evidence.clone(),
        )],
        "stop what sets the clock during the run, and repeat it",
    ))
}
