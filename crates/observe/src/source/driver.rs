//! Names of drivers' counters. Every driver has its own way to say "received packets of queue 3";
//! here they become one.

/// A counter of one queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfQueue {
    /// `rx-3`, as /sys names it.
    pub queue: String,
    /// `packets`, `bytes`, or what the driver says.
    pub name: String,
}

/// What of a queue `name` counts; none for a counter of the whole device.
///
/// `rx_queue_3_packets` (ixgbe, ice, veth), `rx3_packets` (mlx5, virtio), `tx-3.packets` (i40e),
/// `queue_3_tx_cnt` (ena), `rx_packets[3]` (gve), `[3]: rx_ucast_packets` (bnxt),
/// `rvec_3_rx_pkts` (nfp), `ch3_poll`, which is of both directions and so of the device.
pub(crate) fn of_queue(name: &str) -> Option<OfQueue> {
    let words = words(name);
    let mut direction = None;
    let mut queue = None;
    let mut rest = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let marked = before.is_some_and(|word| MARKS.contains(&word.text));
        let number = word.text.parse::<u16>().ok();
        match number {
            Some(number) if queue.is_none() && (marked || word.is_index) => queue = Some(number),
            _ if matches!(word.text, "rx" | "tx") => {
                // The second one tells nothing new: `tx-3.tx_packets`.
                direction = direction.or(Some(word.text));
            }
            _ if MARKS.contains(&word.text) => (),
            _ => rest.push(usual(word.text)),
        }
    }
    let (direction, queue) = (direction?, queue?);
    (!rest.is_empty()).then(|| OfQueue {
        queue: format!("{direction}-{queue}"),
        name: rest.join("_"),
    })
}

/// Words that stand before a queue's number.
const MARKS: [&str; 6] = ["queue", "q", "ring", "rvec", "rxq", "txq"];

fn usual(word: &str) -> &str {
    match word {
        "pkts" | "pkt" | "cnt" | "packet" => "packets",
        "octets" | "byte" => "bytes",
        "drops" | "drop" => "dropped",
        other => other,
    }
}

struct Word<'a> {
    text: &'a str,
    /// A number that stands in brackets, or right behind `rx`, `tx`, `rx-`, `tx-`.
    is_index: bool,
}

fn words(name: &str) -> Vec<Word<'_>> {
    let is_break = |c: char| matches!(c, '_' | '.' | '-' | ':' | ' ' | '[' | ']');
    let mut words = Vec::new();
    let mut at = 0;
    for part in name.split(is_break) {
        let before = name[..at].chars().next_back();
        let glued = part
            .strip_prefix("rx")
            .or_else(|| part.strip_prefix("tx"))
            .filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
        match glued {
            Some(number) => {
                let (text, is_index) = (&part[..2], false);
                words.push(Word { text, is_index });
                let (text, is_index) = (number, true);
                words.push(Word { text, is_index });
            }
            None if part.is_empty() => (),
            None => {
                let dashed = before == Some('-')
                    && matches!(
                        words.last(),
                        Some(Word {
                            text: "rx" | "tx",
                            ..
                        })
                    );
                words.push(Word {
                    text: part,
                    is_index: before == Some('[') || dashed,
                });
            }
        }
        at += part.len() + 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_ways_become_one() {
        for (name, queue, counter) in [
            ("rx_queue_3_packets", "rx-3", "packets"),
            ("tx_queue_0_bytes", "tx-0", "bytes"),
            ("rx3_packets", "rx-3", "packets"),
            ("tx12_xdp_tx_drops", "tx-12", "xdp_dropped"),
            ("tx-3.packets", "tx-3", "packets"),
            ("rx-3.rx_bytes", "rx-3", "bytes"),
            ("queue_3_tx_cnt", "tx-3", "packets"),
            ("queue_1_rx_bytes", "rx-1", "bytes"),
            ("rx_packets[3]", "rx-3", "packets"),
            ("[2]: tx_ucast_packets", "tx-2", "ucast_packets"),
            ("rvec_5_rx_pkts", "rx-5", "packets"),
            ("rx_queue_0_xdp_packets", "rx-0", "xdp_packets"),
            ("rx0_kicks", "rx-0", "kicks"),
        ] {
            let found = of_queue(name);
            let expected = OfQueue {
                queue: queue.into(),
                name: counter.into(),
            };
            assert_eq!(found, Some(expected), "{name}");
        }
    }

    #[test]
    fn counters_of_the_device_are_of_no_queue() {
        for name in [
            "rx_packets",
            "tx_bytes",
            "rx_64_byte_packets",
            "ch3_poll",
            "rx_kicks",
            "peer_ifindex",
            "tx_timeout_count",
            "rx_1024_to_max",
            "",
            "[3]",
        ] {
            assert_eq!(of_queue(name), None, "{name}");
        }
    }
}
