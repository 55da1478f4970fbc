use super::*;

fn rows(of: &[(&str, &str, &str, u64)]) -> Rows {
    let mut rows = Rows::default();
    for (source, label, name, value) in of {
        rows.set(source, label, name, *value);
    }
    rows
}

#[test]
fn counters_are_subtracted_and_gauges_are_not() {
    let before = rows(&[
        ("host", "all", "context_switches", 100),
        ("host", "all", "runnable", 9),
    ]);
    let after = rows(&[
        ("host", "all", "context_switches", 150),
        ("host", "all", "runnable", 2),
    ]);
    assert_eq!(
        after.since(&before),
        rows(&[("host", "all", "context_switches", 50)])
    );
    assert_eq!(
        before.highest(&after),
        rows(&[("host", "all", "runnable", 9)])
    );
}

#[test]
fn what_came_in_between_began_at_zero_and_an_unread_source_gives_nothing() {
    let before = rows(&[("interface", "eth0", "rx_bytes", 7)]);
    let after = rows(&[
        ("interface", "eth0", "rx_bytes", 7),
        ("interface", "veth1", "rx_bytes", 3),
        ("softnet", "cpu0", "dropped", 5),
    ]);
    assert_eq!(
        after.since(&before),
        rows(&[
            ("interface", "eth0", "rx_bytes", 0),
            ("interface", "veth1", "rx_bytes", 3)
        ])
    );
}

#[test]
fn counters_of_32_bits_wrap_and_others_that_fall_give_nothing() {
    let near = u64::from(u32::MAX) - 9;
    let before = rows(&[
        ("interface", "eth0", "rx_bytes", near),
        ("softnet", "cpu0", "processed", near),
        ("softnet", "cpu1", "processed", 20),
    ]);
    let after = rows(&[
        ("interface", "eth0", "rx_bytes", 5),
        ("softnet", "cpu0", "processed", 5),
        ("softnet", "cpu1", "processed", 5),
    ]);
    assert_eq!(
        after.since(&before),
        rows(&[("softnet", "cpu0", "processed", 15)])
    );
}

#[test]
fn changes_put_onto_the_earlier_reading_give_the_later_one() {
    let before = rows(&[
        ("interface", "eth0", "rx_bytes", 7),
        ("interface", "veth1", "rx_bytes", 7),
        ("psi", "cpu", "some_us", 1),
        ("softnet", "cpu0", "dropped", 5),
    ]);
    let after = rows(&[
        ("interface", "eth0", "rx_bytes", 8),
        ("interface", "eth0", "tx_bytes", 1),
        ("softnet", "cpu0", "dropped", 5),
    ]);
    let (changed, gone) = (after.changed(&before), after.gone(&before));
    assert_eq!((changed.len(), gone.len()), (2, 2));
    let mut folded = before;
    folded.apply(&changed, &gone);
    assert_eq!(folded, after);
}

#[test]
fn sums_and_labels_are_of_one_source() {
    let rows = rows(&[
        ("softnet", "cpu0", "dropped", 5),
        ("softnet", "cpu1", "dropped", 6),
        ("softirqs", "NET_RX", "cpu0", 1),
    ]);
    assert_eq!(rows.sum("softnet", "dropped"), Some(11));
    assert_eq!(rows.sum("softnet", "time_squeeze"), None);
    assert_eq!(Vec::from_iter(rows.labels("softnet")), ["cpu0", "cpu1"]);
    assert_eq!(rows.iter().count(), rows.len());
}

#[test]
fn the_gauges_are_in_order() {
    assert!(GAUGES.is_sorted());
}
