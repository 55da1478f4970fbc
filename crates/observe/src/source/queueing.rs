//! Qdiscs and classes: messages of rtnetlink, as `tc -s` reads them.

use record::Rows;

/// A qdisc or class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Queueing {
    /// The interface's number.
    pub index: u32,
    pub handle: u32,
    pub parent: u32,
    pub kind: String,
    /// What it counted, by name.
    pub counts: Vec<(&'static str, u64)>,
    /// How it is set, in words of tc.
    pub options: String,
}

/// include/uapi/linux/pkt_sched.h.
const ROOT: u32 = 0xffff_ffff;
const INGRESS: u32 = 0xffff_fff1;

/// TCA_KIND, TCA_OPTIONS, TCA_STATS2 of include/uapi/linux/rtnetlink.h.
const KIND: u16 = 1;
const OPTIONS: u16 = 2;
const STATS: u16 = 7;
/// TCA_STATS_BASIC, TCA_STATS_QUEUE, TCA_STATS_PKT64 of include/uapi/linux/gen_stats.h.
const BASIC: u16 = 1;
const QUEUE: u16 = 3;
const PACKETS_64: u16 = 8;
/// TCA_HTB_PARMS, TCA_HTB_INIT.
const HTB_CLASS: u16 = 1;
const HTB_ROOT: u16 = 2;
/// TCA_TBF_PARMS.
const TBF: u16 = 1;

/// None for a message that is none of these.
pub(crate) fn read(message: &[u8]) -> Option<Queueing> {
    let word = |at: usize| read_u32(message, at);
    let mut queueing = Queueing {
        index: word(4)?,
        handle: word(8)?,
        parent: word(12)?,
        kind: String::new(),
        counts: Vec::new(),
        options: String::new(),
    };
    // struct tcmsg has 20 bytes.
    for (attribute, value) in attributes(message.get(20..)?) {
        match attribute {
            KIND => {
                let text = value.split(|b| *b == 0).next().unwrap_or_default();
                queueing.kind = String::from_utf8_lossy(text).into_owned();
            }
            OPTIONS => queueing.take_options(value),
            STATS => queueing.take_statistics(value),
            _ => (),
        }
    }
    (!queueing.kind.is_empty()).then_some(queueing)
}

impl Queueing {
    /// As tc names a qdisc: `htb 1: root`, `pfifo_fast 0: parent :1`.
    pub fn name_of_qdisc(&self) -> String {
        let place = match self.parent {
            ROOT => "root".to_owned(),
            INGRESS => "ingress".to_owned(),
            parent => format!("parent {}", class(parent)),
        };
        format!("{} {:x}: {place}", self.kind, self.handle >> 16)
    }

    /// As tc names a class: `htb 1:3`.
    pub fn name_of_class(&self) -> String {
        format!("{} {}", self.kind, class(self.handle))
    }

    /// Where it is in its interface's tree: the same in every run, whatever handles the kernel
    /// chose (from 8000 on).
    pub fn place(&self, is_class: bool) -> String {
        let stable = |handle: u32| match handle >> 16 {
            0x8000.. => class(handle & 0xffff),
            _ => class(handle),
        };
        match (is_class, self.parent) {
            (true, _) => stable(self.handle),
            (false, ROOT) => "root".to_owned(),
            (false, INGRESS) => "ingress".to_owned(),
            (false, parent) => stable(parent),
        }
    }

    /// Its counts as rows of `source`; `label` has the interface's name.
    pub fn rows(&self, source: &str, label: &str, rows: &mut Rows) {
        for (name, value) in &self.counts {
            rows.set(source, label, name, *value);
        }
    }

    fn count(&mut self, name: &'static str, value: Option<u64>) {
        self.counts.retain(|(known, _)| *known != name);
        self.counts.extend(value.map(|value| (name, value)));
    }

    fn take_statistics(&mut self, statistics: &[u8]) {
        for (attribute, value) in attributes(statistics) {
            let small = |at| read_u32(value, at).map(u64::from);
            match attribute {
                BASIC => {
                    self.count("bytes", read_u64(value, 0));
                    self.count("packets", small(8));
                }
                QUEUE => {
                    self.count("backlog_packets", small(0));
                    self.count("backlog_bytes", small(4));
                    self.count("drops", small(8));
                    self.count("requeues", small(12));
                    self.count("overlimits", small(16));
                }
                // Follows the basic ones, whose number of packets has 32 bits.
                PACKETS_64 => self.count("packets", read_u64(value, 0)),
                _ => (),
            }
        }
    }

    fn take_options(&mut self, options: &[u8]) {
        if matches!(self.kind.as_str(), "pfifo" | "bfifo" | "pfifo_head_drop") {
            // struct tc_fifo_qopt.
            self.options = words(&[("limit", read_u32(options, 0))]);
            return;
        }
        for (attribute, value) in attributes(options) {
            let word = |at| read_u32(value, at);
            match (self.kind.as_str(), attribute) {
                // struct tc_htb_glob: version, rate2quantum, defcls, debug, direct_pkts.
                ("htb", HTB_ROOT) => {
                    self.options = words(&[("r2q", word(4)), ("default", word(8))]);
                    self.count("direct_packets", word(16).map(u64::from));
                }
                // struct tc_htb_opt: struct tc_ratespec (12 bytes, its last word the rate) twice,
                // then buffer, cbuffer, quantum, level, prio.
                ("htb", HTB_CLASS) => {
                    self.options = words(&[
                        ("rate_bytes", word(8)),
                        ("ceil_bytes", word(20)),
                        ("quantum", word(32)),
                        ("prio", word(40)),
                    ]);
                }
                // struct tc_tbf_qopt: two rates, limit, buffer, mtu.
                ("tbf", TBF) => {
                    self.options = words(&[("rate_bytes", word(8)), ("limit", word(24))]);
                }
                _ => (),
            }
        }
    }
}

fn words(of: &[(&str, Option<u32>)]) -> String {
    let words = of
        .iter()
        .filter_map(|(name, value)| Some(format!("{name} {}", (*value)?)));
    words.collect::<Vec<_>>().join(" ")
}

/// `1:3`; a major number of zero is left out.
fn class(handle: u32) -> String {
    match (handle >> 16, handle & 0xffff) {
        (0, minor) => format!(":{minor:x}"),
        (major, minor) => format!("{major:x}:{minor:x}"),
    }
}

/// Attributes of a message; what does not fit ends them.
fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let header = bytes.first_chunk::<4>()?;
        let length = usize::from(u16::from_ne_bytes([header[0], header[1]]));
        // NLA_F_NESTED and NLA_F_NET_BYTEORDER are flags beside the type.
        let kind = u16::from_ne_bytes([header[2], header[3]]) & 0x3fff;
        let value = bytes.get(4..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    four.try_into().ok().map(u32::from_ne_bytes)
}

fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..at + 8)?;
    eight.try_into().ok().map(u64::from_ne_bytes)
}

#[cfg(test)]
mod tests;
