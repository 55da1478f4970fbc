use proptest::prelude::*;

use super::super::fixture::{bytes, hex};
use super::*;

/// Of a 2.1.8 server, 93 datagrams; it did not run enhanced.
const REPORT: &str = "00000000 00000000 00000000 00000000 88000000 00000000 00021606 00000001
    00004ee7 00000000 00000000 0000005d 00000000 00000003 00000000 00000005
    00000000 0000023a 00000000 00000985 00000000 0000001a 0004bdfb 000aaa2c
    00000000 fffffff8 0000005d 0000005b 00000001 00000000 00000000 00000000";

#[test]
fn report_of_2_1_8() {
    let captured = bytes(REPORT);
    assert_eq!(captured.len(), ServerReport::LEN);
    let (report, layout) = ServerReport::parse(&captured).expect("a report");
    assert_eq!(layout, ReportLayout::Modern);
    assert_eq!(
        report,
        ServerReport {
            bytes: 136_710,
            duration_us: 1_020_199,
            lost: 0,
            out_of_order: 0,
            datagrams: 93,
            jitter_us: 3,
            extension: None,
        }
    );
}

#[test]
fn the_extension_both_ways() {
    let mut captured = bytes(REPORT);
    captured[16] = 0xc8;
    let (report, _) = ServerReport::parse(&captured).expect("a report");
    let extension = report.extension.expect("an extension");
    assert_eq!((extension.min_us, extension.max_us), (5, 570));
    assert_eq!((extension.sum_us, extension.mean_us), (2437, 26));
    assert_eq!(extension.last_deviation_us, -8);
    assert_eq!((extension.count, extension.datagrams_per_second), (93, 91));
    assert!((extension.m2_us2 - 310_779.698_924).abs() < 1e-6);
    let mut again = vec![0; ServerReport::LEN];
    report.write(&mut again, ReportLayout::Modern, true);
    // The fraction goes through a float.
    again[92..96].copy_from_slice(&captured[92..96]);
    assert_eq!(hex(&again), hex(&captured));
}

#[test]
fn both_parts_of_a_time_have_the_sign() {
    let mut bytes = [0; 8];
    put_time(&mut bytes, 0, -4_999_989);
    assert_eq!(hex(&bytes), "fffffffc fff0bdcb");
    assert_eq!(time(&bytes, 0), -4_999_989);
}

#[test]
fn legacy_layout_begins_four_bytes_earlier() {
    let report = ServerReport {
        bytes: 5_000_000_000,
        duration_us: 10_000_007,
        lost: 1,
        out_of_order: 2,
        datagrams: 3,
        jitter_us: 4,
        extension: None,
    };
    let mut datagram = vec![0; 1470];
    report.write(&mut datagram, ReportLayout::Legacy, false);
    assert_eq!(
        hex(&datagram[..56]),
        "00000000 00000000 00000000 80000000 00000001 2a05f200 0000000a 00000007 \
         00000001 00000002 00000003 00000000 00000004 00000000"
    );
    assert_eq!(
        ServerReport::parse(&datagram),
        Some((report, ReportLayout::Legacy))
    );
    assert_eq!(ServerReport::parse(&datagram[..51]), None);
}

#[test]
fn an_ack_or_crumbs_are_no_report() {
    let ack = bytes("00000002 0000001c 00000000 00020000 000d0003 00000000 00000000");
    assert_eq!(ServerReport::parse(&ack), None);
    assert_eq!(ServerReport::parse(&[]), None);
    assert_eq!(ServerReport::parse(&[0; 1470]), None);
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        bytes: u64, duration_us in 0..1u64 << 50, lost: u64, out_of_order: u64, datagrams: u64,
        jitter_us in 0..1u64 << 50,
    ) {
        let report = ServerReport {
            bytes, duration_us, lost, out_of_order, datagrams, jitter_us, extension: None,
        };
        let mut datagram = [0; ServerReport::LEN];
        report.write(&mut datagram, ReportLayout::Modern, false);
        prop_assert_eq!(
            ServerReport::parse(&datagram),
            Some((report, ReportLayout::Modern))
        );
    }
}
