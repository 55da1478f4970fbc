//! Loads that got what was asked for: the limit was the asking.

use record::{Cause, Finding};
use units::BitRate;

use super::way::Way;
use super::{finding, percent, row};

/// Share of what was asked that counts as all of it: headers and edges take the rest.
const GOT: f64 = 0.95;

pub(super) fn findings(way: &Way) -> Vec<Finding> {
    let paced = pacing(way);
    let offered = application(way);
    paced.into_iter().chain(offered).collect()
}

/// SO_MAX_PACING_RATE is of what TCP sends, headers and all.
fn pacing(way: &Way) -> Option<Finding> {
    let asked = way.pace_asked()?;
    let share = way.rate() / asked;
    let says = format!(
        "{} of the {} that the kernel was asked to pace to",
        percent(share),
        speed(asked)
    );
    (share >= GOT - 0.05).then(|| {
        finding(
            Cause::Pacing,
            way.name(),
            (1.0, 0.95),
            vec![row(
                way.receiver(),
                "received.bits_per_second",
                way.rate(),
                "bit/s",
                says,
            )],
            "ask for a higher pace to find the next limit",
        )
    })
}

/// A stream that is given its data at a rate. Datagrams at a rate are offered whatever happens to
/// them, so getting them all is no limit.
fn application(way: &Way) -> Option<Finding> {
    let asked = way.rate_asked().filter(|_| way.is_tcp())?;
    let share = way.rate() / asked;
    let mut evidence = vec![row(
        way.receiver(),
        "received.bits_per_second",
        way.rate(),
        "bit/s",
        format!(
            "{} of the {} that the application wrote at",
            percent(share),
            speed(asked)
        ),
    )];
    if let Some(idle) = way.idle() {
        evidence.push(row(
            way.sender,
            "tcp.busy",
            1.0 - idle,
            "share",
            format!(
                "its sockets had nothing to send for {} of the time",
                percent(idle)
            ),
        ));
    }
    (share >= GOT).then(|| {
        finding(
            Cause::Application,
            way.name(),
            (1.0, 0.95),
            evidence,
            "write faster (rate=, size=) to find the next limit",
        )
    })
}

pub(super) fn speed(bits_per_second: f64) -> BitRate {
    BitRate::new(bits_per_second.round().max(0.0) as u64)
}
