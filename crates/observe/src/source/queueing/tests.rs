use super::*;

fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = 4 + value.len() as u16;
    let mut bytes = [length.to_ne_bytes(), kind.to_ne_bytes()].concat();
    bytes.extend(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn words(of: &[u32]) -> Vec<u8> {
    of.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// struct tcmsg: family, interface, handle, parent, info.
fn message(handle: u32, parent: u32, attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = words(&[0, 7, handle, parent, 2]);
    bytes.extend(attributes.concat());
    bytes
}

fn statistics(packets_64: Option<u64>) -> Vec<u8> {
    // struct gnet_stats_basic: bytes (64 bits), packets; struct gnet_stats_queue: qlen, backlog,
    // drops, requeues, overlimits.
    let mut basic = 5_000_000_000_u64.to_ne_bytes().to_vec();
    basic.extend(words(&[77, 0]));
    let mut nested = attribute(BASIC, &basic);
    nested.extend(attribute(QUEUE, &words(&[3, 4500, 11, 2, 99])));
    if let Some(packets) = packets_64 {
        nested.extend(attribute(PACKETS_64, &packets.to_ne_bytes()));
    }
    attribute(STATS, &nested)
}

fn count(queueing: &Queueing, name: &str) -> Option<u64> {
    let counts = queueing.counts.iter();
    counts
        .filter(|(known, _)| *known == name)
        .map(|(_, value)| *value)
        .next_back()
}

#[test]
fn an_htb_at_the_root() {
    // struct tc_htb_glob.
    let options = attribute(OPTIONS, &attribute(HTB_ROOT, &words(&[3, 1000, 3, 0, 41])));
    let kind = attribute(KIND, b"htb\0");
    let htb = read(&message(
        0x8001_0000,
        ROOT,
        &[kind, options, statistics(None)],
    ))
    .unwrap();
    assert_eq!(htb.index, 7);
    assert_eq!(htb.name_of_qdisc(), "htb 8001: root");
    assert_eq!(htb.place(false), "root");
    assert_eq!(htb.options, "r2q 1000 default 3");
    for (name, value) in [
        ("bytes", 5_000_000_000),
        ("packets", 77),
        ("drops", 11),
        ("requeues", 2),
        ("overlimits", 99),
        ("backlog_packets", 3),
        ("backlog_bytes", 4500),
        ("direct_packets", 41),
    ] {
        assert_eq!(count(&htb, name), Some(value), "{name}");
    }
}

#[test]
fn packets_of_64_bits_replace_those_of_32() {
    let kind = attribute(KIND, b"pfifo_fast\0");
    let many = 1 << 40;
    let leaf = read(&message(0, 1, &[kind, statistics(Some(many))])).unwrap();
    assert_eq!(leaf.name_of_qdisc(), "pfifo_fast 0: parent :1");
    assert_eq!(count(&leaf, "packets"), Some(many));
}

#[test]
fn a_class_and_a_kernel_without_counts() {
    let kind = attribute(KIND, b"htb\0");
    let class = read(&message(0x0001_0003, 0x0001_0000, &[kind])).unwrap();
    assert_eq!(class.name_of_class(), "htb 1:3");
    assert_eq!(class.place(true), "1:3");
    let kind = attribute(KIND, b"htb\0");
    let of_unnamed = read(&message(0x8001_0003, 0x8001_0000, &[kind])).unwrap();
    assert_eq!(of_unnamed.place(true), ":3");
    assert_eq!(class.counts, []);
    let mut rows = Rows::default();
    class.rows("class", "eth0 htb 1:3", &mut rows);
    assert!(rows.is_empty());
}

#[test]
fn what_is_cut_short_is_none_or_has_less() {
    let whole = message(1, ROOT, &[attribute(KIND, b"htb\0"), statistics(Some(1))]);
    for length in 0..whole.len() {
        // No panic, and never a count that is not there.
        if let Some(queueing) = read(&whole[..length]) {
            assert!(queueing.counts.len() <= 7);
        }
    }
    assert_eq!(read(&[]), None);
}
