//! What `tc` is told, so that a device sends at the link's rate and through the link's qdisc.

use plan::Link;
use units::{BitRate, Bytes, Nanos};

use crate::TestbedError;
use crate::wire::{FRAME_HEADER, mtu};

/// The words of one call of tc.
pub(crate) type Words = Vec<String>;

/// The calls of tc for the interface `device`, in order; none when nothing is to be shaped.
pub(crate) fn commands(link: &Link, device: &str) -> Result<Vec<Words>, TestbedError> {
    let asked: Words = link
        .qdisc
        .iter()
        .flat_map(|words| words.split_ascii_whitespace())
        .map(str::to_owned)
        .collect();
    let Some(rate) = link.rate else {
        return Ok(match asked.is_empty() {
            true => Vec::new(),
            false => vec![root(device, &[], asked)],
        });
    };
    let bucket = Bucket::of(rate, link);
    match asked.first().map(String::as_str) {
        None => Ok(vec![root(device, &[], bucket.tbf())]),
        Some("tbf") => bucket
            .complete(asked)
            .map(|tbf| vec![root(device, &[], tbf)]),
        Some("htb") => Ok(bucket.htb(device, asked)),
        // The qdisc decides what goes next, the bucket above it when.
        Some(_) => Ok(vec![
            root(device, &["handle", "1:"], bucket.tbf()),
            child(device, "1:1", asked),
        ]),
    }
}

/// A token bucket and the queue before it.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    rate: BitRate,
    /// Bytes that may leave at once.
    burst: u64,
    /// Bytes that may wait.
    limit: u64,
    /// The largest frame, bytes.
    frame: u64,
}

/// How long the shaper's timer may be late before the link loses rate: more than it is on a
/// machine that is not overloaded.
const SLACK: Nanos = Nanos::from_millis(2);
/// How long the largest packet may take. Together with the slack, a tenth of a second carries at
/// most 2.5 % too much, which is less than the headers' share.
const PACKET: Nanos = Nanos::new(500_000);
/// The largest packet that a socket builds for later segmentation (GSO_LEGACY_MAX_SIZE).
const LARGEST_PACKET: u64 = 65_536;
/// A buffer as in the old rule for routers, for 50 ms of the path's round trip beside the delay
/// that the link adds.
const BUFFER: Nanos = Nanos::from_millis(50);
/// Frames that fit in the shortest buffer.
const FEWEST: u64 = 16;
/// The kernel's sizes have 32 bits (struct tc_tbf_qopt).
const LARGEST: u64 = 1 << 30;

/// How many segments the sockets may put into one packet for later segmentation (GSO); none
/// leaves it to them. The bucket must hold a whole packet, so on a slow link large ones would make
/// it coarse. Fewer than need be would cost rate: a socket that paces itself wakes up once for
/// each packet.
pub(crate) fn segments(link: &Link) -> Option<u32> {
    let rate = link.rate.filter(|_| link.offload != Some(true))?;
    let segments = (bytes(rate, PACKET) / frame(link)).max(1);
    (segments * frame(link) < LARGEST_PACKET).then_some(segments as u32)
}

fn frame(link: &Link) -> u64 {
    u64::from(mtu(link)) + FRAME_HEADER
}

impl Bucket {
    fn of(rate: BitRate, link: &Link) -> Self {
        let frame = frame(link);
        let largest_packet =
            segments(link).map_or(LARGEST_PACKET.max(frame), |n| u64::from(n) * frame);
        let round_trip = link.delay.map_or(Nanos::ZERO, |delay| delay + delay);
        Self {
            rate,
            burst: (largest_packet + bytes(rate, SLACK)).min(LARGEST),
            limit: bytes(rate, BUFFER + round_trip).clamp(FEWEST * frame, LARGEST),
            frame,
        }
    }

    fn tbf(self) -> Words {
        words(&["tbf", "rate"], [format!("{}bit", self.rate.get())])
            .into_iter()
            .chain(["burst".into(), self.burst.to_string()])
            .chain(["limit".into(), self.limit.to_string()])
            .collect()
    }

    /// The user's tbf, with the rate, and with what it needs and the user does not say.
    fn complete(self, mut asked: Words) -> Result<Words, TestbedError> {
        let says = |names: &[&str]| asked.iter().any(|word| names.contains(&word.as_str()));
        if says(&["rate"]) {
            return Err(TestbedError::Contradiction(
                "the link's rate stands in its qdisc and as rate=: say it once".into(),
            ));
        }
        let (burst, limit) = (
            says(&["burst", "buffer", "maxburst"]),
            says(&["limit", "latency"]),
        );
        asked.extend(["rate".into(), format!("{}bit", self.rate.get())]);
        if !burst {
            asked.extend(["burst".into(), self.burst.to_string()]);
        }
        if !limit {
            asked.extend(["limit".into(), self.limit.to_string()]);
        }
        Ok(asked)
    }

    /// The user's htb with one class of the rate, into which everything goes.
    fn htb(self, device: &str, mut asked: Words) -> Vec<Words> {
        let default = asked
            .iter()
            .position(|word| word == "default")
            .and_then(|at| asked.get(at + 1).cloned());
        let class = default.unwrap_or_else(|| {
            asked.extend(["default".into(), "1".into()]);
            "1".into()
        });
        let class = format!("1:{class}");
        let (rate, burst) = (format!("{}bit", self.rate.get()), self.burst.to_string());
        let add = [
            "class", "add", "dev", device, "parent", "1:", "classid", &class,
        ];
        let shape = ["htb", "rate", &rate, "burst", &burst, "cburst", &burst];
        let mut class_words = words(&add, shape.map(str::to_owned));
        // Of no effect with one class, but without it the kernel's log fills with advice on r2q.
        class_words.extend(["quantum".into(), self.frame.max(1000).to_string()]);
        vec![
            root(device, &["handle", "1:"], asked),
            class_words,
            child(
                device,
                &class,
                words(&["bfifo", "limit"], [self.limit.to_string()]),
            ),
        ]
    }
}

fn root(device: &str, more: &[&str], qdisc: Words) -> Words {
    let place = [&["qdisc", "replace", "dev", device, "root"], more].concat();
    words(&place, qdisc)
}

fn child(device: &str, parent: &str, qdisc: Words) -> Words {
    words(&["qdisc", "add", "dev", device, "parent", parent], qdisc)
}

fn words(first: &[&str], then: impl IntoIterator<Item = String>) -> Words {
    first
        .iter()
        .map(|word| (*word).to_owned())
        .chain(then)
        .collect()
}

/// What goes at `rate` in `time`.
fn bytes(rate: BitRate, time: Nanos) -> u64 {
    let bytes = u128::from(rate.bytes_per_second()) * u128::from(time.get()) / 1_000_000_000;
    Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX)).get()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(link: &Link) -> Vec<String> {
        let commands = commands(link, "dev0").unwrap();
        commands.iter().map(|words| words.join(" ")).collect()
    }

    fn link(rate: Option<u64>, qdisc: Option<&str>) -> Link {
        Link {
            rate: rate.map(BitRate::new),
            qdisc: qdisc.map(str::to_owned),
            ..Link::default()
        }
    }

    #[test]
    fn a_plain_link_needs_no_tc() {
        assert!(lines(&link(None, None)).is_empty());
    }

    #[test]
    fn a_qdisc_is_the_root_in_the_users_words() {
        assert_eq!(
            lines(&link(None, Some("htb r2q 1000  default 3"))),
            ["qdisc replace dev dev0 root htb r2q 1000 default 3"]
        );
    }

    #[test]
    fn a_rate_is_a_token_bucket_of_a_packet_and_two_milliseconds() {
        assert_eq!(
            lines(&link(Some(100_000_000), None)),
            ["qdisc replace dev dev0 root tbf rate 100000000bit burst 31056 limit 625000"]
        );
        // Slow: one frame still passes, and some fit into the queue.
        assert_eq!(
            lines(&link(Some(64_000), None)),
            ["qdisc replace dev dev0 root tbf rate 64000bit burst 1530 limit 24224"]
        );
        // Fast: large packets for segmentation pass whole.
        assert_eq!(
            lines(&link(Some(1_000_000_000), None)),
            ["qdisc replace dev dev0 root tbf rate 1000000000bit burst 312074 limit 6250000"]
        );
        let fast = lines(&link(Some(1_000_000_000_000_000), None));
        assert!(
            fast[0].ends_with("burst 1073741824 limit 1073741824"),
            "{fast:?}"
        );
    }

    #[test]
    fn packets_are_smaller_on_slow_links_unless_offload_is_asked_for() {
        let at = |rate| segments(&link(Some(rate), None));
        assert_eq!(at(1_000_000), Some(1));
        assert_eq!(at(100_000_000), Some(4));
        assert_eq!(at(1_000_000_000), Some(41));
        assert_eq!(at(2_000_000_000), None);
        assert_eq!(segments(&link(None, Some("htb"))), None);
        let asked = Link {
            offload: Some(true),
            ..link(Some(100_000_000), None)
        };
        assert_eq!(segments(&asked), None);
        assert!(lines(&asked)[0].contains("burst 90536 "), "{asked:?}");
    }

    #[test]
    fn a_delay_makes_the_buffer_longer() {
        let delayed = Link {
            delay: Some(Nanos::from_millis(25)),
            ..link(Some(8_000_000), None)
        };
        assert!(
            lines(&delayed)[0].ends_with("limit 100000"),
            "{:?}",
            lines(&delayed)
        );
    }

    #[test]
    fn the_rate_goes_into_the_users_tbf_with_what_is_missing() {
        assert_eq!(
            lines(&link(Some(25_000_000), Some("tbf burst 2kb limit 6kb"))),
            ["qdisc replace dev dev0 root tbf burst 2kb limit 6kb rate 25000000bit"]
        );
        assert_eq!(
            lines(&link(Some(8_000_000), Some("tbf latency 5ms"))),
            ["qdisc replace dev dev0 root tbf latency 5ms rate 8000000bit burst 3514"]
        );
        let twice = commands(
            &link(Some(1), Some("tbf rate 1mbit burst 2kb limit 6kb")),
            "dev0",
        );
        assert!(twice.unwrap_err().is_usage());
    }

    #[test]
    fn the_rate_is_the_users_htb_default_class() {
        assert_eq!(
            lines(&link(Some(8_000_000), Some("htb r2q 1000 default 3"))),
            [
                "qdisc replace dev dev0 root handle 1: htb r2q 1000 default 3",
                "class add dev dev0 parent 1: classid 1:3 htb rate 8000000bit burst 3514 \
                 cburst 3514 quantum 1514",
                "qdisc add dev dev0 parent 1:3 bfifo limit 50000",
            ]
        );
        assert!(lines(&link(Some(8_000_000), Some("htb")))[0].ends_with("htb default 1"));
    }

    #[test]
    fn another_qdisc_stands_below_the_bucket() {
        assert_eq!(
            lines(&link(Some(8_000_000), Some("pfifo limit 10"))),
            [
                "qdisc replace dev dev0 root handle 1: tbf rate 8000000bit burst 3514 limit 50000",
                "qdisc add dev dev0 parent 1:1 pfifo limit 10",
            ]
        );
    }
}
