//! Where lost datagrams were lost.

use record::{Cause, End, Evidence, Finding, LossAddress, Run};

use super::way::Way;
use super::{finding, percent, row};

/// Loss below this share of what was sent is weather.
const MATTERS: f64 = 0.001;

/// A place, its cause, its count, whose row it is, what happened there, what to do.
type Place = (
    &'static str,
    Cause,
    fn(&LossAddress) -> Option<u64>,
    bool,
    &'static str,
    &'static str,
);

const PLACES: [Place; 8] = [
    (
        "sender_socket",
        Cause::SendBuffer,
        |of| of.sender_socket,
        true,
        "its socket did not take",
        "send slower (rate=) or give the sender a larger buffer (sndbuf=)",
    ),
    (
        "sender_qdisc",
        Cause::QdiscDrop,
        |of| of.sender_qdisc,
        true,
        "its qdisc dropped",
        "offer less than the link carries (rate=), or lengthen the qdisc's limit",
    ),
    (
        "sender_interface",
        Cause::InterfaceDrop,
        |of| of.sender_interface,
        true,
        "its interface dropped",
        "see the driver's own counters (ethtool -S): ring too short, link down, carrier errors",
    ),
    (
        "path",
        Cause::PathLoss,
        |of| of.path,
        true,
        "the path between both interfaces lost",
        "look at the devices between both interfaces: their queues, shapers and error counters",
    ),
    (
        "receiver_interface",
        Cause::InterfaceDrop,
        |of| of.receiver_interface,
        false,
        "its interface dropped",
        "lengthen the receive ring (ethtool -G), or spread it over more queues",
    ),
    (
        "receiver_softnet",
        Cause::SoftnetDrop,
        |of| of.receiver_softnet,
        false,
        "its backlog (softnet) was full for",
        "raise net.core.netdev_max_backlog, or spread the receive path over more CPUs",
    ),
    (
        "receiver_socket",
        Cause::ReceiverSocketDrop,
        |of| of.receiver_socket,
        false,
        "its socket's buffer was full for",
        "give the receiver a larger buffer (rcvbuf=; net.core.rmem_max caps it) or more CPU",
    ),
    (
        "unaccounted",
        Cause::Unaccounted,
        |of| Some(of.unaccounted),
        false,
        "no counter has",
        "no counter of either end has them: look at the devices in between",
    ),
];

/// What to do where the receiver's counters are missing.
const UNTOLD: &str = "let the receiver's host tell of its drops: run netdyno there, or netstat -su";

/// Whether the receiver's host told no place of its own.
fn is_untold(of: &LossAddress) -> bool {
    let places = [
        of.receiver_interface,
        of.receiver_softnet,
        of.receiver_socket,
    ];
    places.iter().all(Option::is_none)
}

pub(super) fn findings(run: &Run, way: &Way) -> Vec<Finding> {
    let loss = way
        .load
        .loss
        .iter()
        .find(|loss| loss.receiver == way.receiver());
    let Some(loss) = loss.filter(|loss| loss.lost_share.is_some_and(|share| share >= MATTERS))
    else {
        return Vec::new();
    };
    let found = PLACES
        .iter()
        .filter_map(|(place, cause, count, at_sender, what, advice)| {
            let lost = count(&loss.address).filter(|lost| *lost > 0)?;
            let share = lost as f64 / loss.lost as f64;
            let end = match at_sender {
                true => way.sender,
                false => way.receiver(),
            };
            let end = (!matches!(cause, Cause::PathLoss | Cause::Unaccounted)).then_some(end);
            let mut evidence = vec![row(
                end,
                &format!("loss.address.{place}"),
                lost as f64,
                "datagrams",
                format!(
                    "{what} {lost} of the {} lost datagrams ({})",
                    loss.lost,
                    percent(share)
                ),
            )];
            evidence.push(row(
                way.receiver(),
                "loss.lost_share",
                loss.lost_share.unwrap_or(0.0),
                "share",
                format!(
                    "{} of what was sent was lost",
                    percent(loss.lost_share.unwrap_or(0.0))
                ),
            ));
            evidence.extend(beside(run, way, *cause));
            let untold = *cause == Cause::Unaccounted && is_untold(&loss.address);
            let (sure, advice) = match untold {
                true => {
                    evidence.push(row(
                        way.receiver(),
                        "hosts_observed",
                        0.0,
                        "",
                        "its interface, backlog and socket were not told of".to_owned(),
                    ));
                    (0.5, UNTOLD)
                }
                false => (0.9, *advice),
            };
            Some(finding(*cause, way.name(), (share, sure), evidence, advice))
        });
    found.collect()
}

/// Whether it says where datagrams were lost.
pub(super) fn is_of_loss(finding: &Finding) -> bool {
    let mut rows = finding.evidence.iter();
    rows.any(|row| row.row == "loss.lost_share")
}

/// A further row that makes the place plausible.
fn beside(run: &Run, way: &Way, cause: Cause) -> Option<Evidence> {
    match cause {
        Cause::ReceiverSocketDrop => {
            let granted = match way.receiver() {
                End::Client => &way.load.granted.client,
                End::Server => &way.load.granted.server,
            };
            let buffer = granted.as_ref()?.rcvbuf_bytes?;
            let says = format!("receive buffer {}", units::Bytes::new(buffer));
            Some(row(
                way.receiver(),
                "granted.rcvbuf",
                buffer as f64,
                "bytes",
                says,
            ))
        }
        Cause::QdiscDrop => super::queue::backlog(run, way.sender),
        _ => None,
    }
}
