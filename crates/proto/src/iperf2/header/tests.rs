use units::{Bytes, Nanos};

use super::super::fixture::{bytes, hex};
use super::super::{FrameSettings, Opening, Stamp, Version};
use super::*;
use crate::Parse;

const SECOND: Amount = Amount::Time(Nanos::from_secs(1));

fn plain(port: u16) -> TestHeader {
    TestHeader {
        extended: Some(Extended {
            version: Version::SPOKEN,
            ..Extended::default()
        }),
        ..TestHeader::new(port, SECOND)
    }
}

fn with(port: u16, mode: Mode, upper: UpperFlags) -> TestHeader {
    let mut header = plain(port);
    header.mode = mode;
    if let Some(extended) = &mut header.extended {
        extended.upper = upper;
    }
    header
}

fn extended(header: &mut TestHeader) -> &mut Extended {
    header.extended.as_mut().expect("extended")
}

/// What 2.1.8 sends and netdyno says are the same bytes, both ways.
#[track_caller]
fn same(header: &TestHeader, captured: &str) {
    let captured = bytes(captured);
    assert_eq!(hex(&header.encode()), hex(&captured));
    let Parse::Complete(Opening::Test(read, taken)) = Opening::parse(&captured) else {
        panic!("no header");
    };
    assert_eq!(taken, captured.len());
    assert_eq!(*read, *header);
}

#[test]
fn plain_test() {
    same(
        &plain(7100),
        "40010078 00000001 00001bbc 00000000 00000000 ffffff9c 00000000 00000000
         00000000 00020001 00080003 00000000 00000000 00000000 00000000",
    );
}

#[test]
fn flags_and_lengths_by_option() {
    use UpperFlags as Upper;
    for (mode, upper, ack, word0, upper_word, length) in [
        (Mode::Forward, Upper::NONE, true, 0x4601_0078, 0, 60),
        (
            Mode::Forward,
            Upper::TRIP_TIMES,
            false,
            0x4001_00a0,
            0x0010,
            80,
        ),
        (
            Mode::Forward,
            Upper::TRIP_TIMES,
            true,
            0x4601_00a0,
            0x0010,
            80,
        ),
        (Mode::Dual, Upper::NONE, false, 0xc001_0079, 0, 60),
        (Mode::Tradeoff, Upper::NONE, false, 0xc001_0078, 0, 60),
        (Mode::Reverse, Upper::NONE, false, 0x4401_0078, 0x0400, 60),
        (
            Mode::Reverse,
            Upper::TRIP_TIMES,
            false,
            0x4401_00a0,
            0x0410,
            80,
        ),
        (
            Mode::FullDuplex,
            Upper::NONE,
            false,
            0x4401_0078,
            0x0800,
            60,
        ),
        (
            Mode::FullDuplex,
            Upper::TRIP_TIMES,
            false,
            0x4401_00a0,
            0x0810,
            80,
        ),
        (
            Mode::Forward,
            Upper::FQ_RATE,
            false,
            0x4001_00a0,
            0x0200,
            80,
        ),
        (
            Mode::Forward,
            Upper::START_AT,
            false,
            0x4001_00a0,
            0x1000,
            80,
        ),
        (
            Mode::Forward,
            Upper::QUICK_ACK,
            false,
            0x4001_0078,
            0x8000,
            60,
        ),
        (
            Mode::Forward,
            Upper::ISOCHRONOUS,
            false,
            0x4001_00a0,
            0x0001,
            80,
        ),
        (
            Mode::Reverse,
            Upper::ISOCHRONOUS,
            false,
            0x4401_00e0,
            0x0401,
            112,
        ),
        (Mode::Forward, Upper::BURSTS, false, 0x4001_00b8, 0x2000, 92),
        (
            Mode::Reverse,
            Upper::WRITE_PREFETCH,
            false,
            0x4401_0078,
            0x4400,
            60,
        ),
    ] {
        let mut header = with(5001, mode, upper);
        header.wants_ack = ack;
        let encoded = header.encode();
        let (first, at_upper) = (word(&encoded, 0), word(&encoded, 32) >> 16);
        assert_eq!(
            (first, at_upper, encoded.len()),
            (word0, upper_word, length),
            "{mode:?} {upper:?} {first:08x} {at_upper:04x}"
        );
    }
}

#[test]
fn amounts_sizes_rates_and_tos() {
    let mut header = plain(7106);
    header.threads = 3;
    header.size = 8192;
    header.amount = Amount::Bytes(Bytes::new(204_800));
    extended(&mut header).tos = 0x28;
    extended(&mut header).rate = Some(10 << 20);
    same(
        &header,
        "40010078 00000003 00001bc2 00002000 00000000 00032000 00000000 00000000
         00000000 00020001 00080003 00000028 00a00000 00000000 00000000",
    );
    let mut fast = plain(7119);
    extended(&mut fast).rate = Some(20 << 30);
    same(
        &fast,
        "40010078 00000001 00001bcf 00000000 00000000 ffffff9c 00000000 00000000
         00000000 00020001 00080003 00000000 00000000 00000500 00000000",
    );
}

#[test]
fn permit_keys_follow() {
    let mut header = plain(7113);
    header.key = PermitKey::new(b"abcdef");
    same(
        &header,
        "5001007c 00000001 00001bc9 00000000 00000000 ffffff9c 00000000 00000000
         00000000 00020001 00080003 00000000 00000000 00000000 00000000 00066162 63646566",
    );
}

#[test]
fn kernel_pacing_is_in_bytes() {
    let mut header = with(7121, Mode::Reverse, UpperFlags::FQ_RATE);
    let part = extended(&mut header);
    part.rate = Some(5_000_000);
    part.fq_rate = 1_250_000;
    part.start = Stamp {
        seconds: 0x6b0d_d923,
        micros: 0x0005_9125,
    };
    same(
        &header,
        "440100a0 00000001 00001bd1 00000000 00000000 ffffff9c 00000000 00000000
         06000000 00020001 00080003 00000000 004c4b40 00000000 00000000 00000000
         6b0dd923 00059125 001312d0 00000000",
    );
}

#[test]
fn frames_and_bursts_at_fixed_places() {
    let mut frames = with(7109, Mode::Reverse, UpperFlags::ISOCHRONOUS);
    let part = extended(&mut frames);
    part.start = Stamp {
        seconds: 0x6b0d_d923,
        micros: 0x0004_e850,
    };
    part.frames = FrameSettings {
        per_second: 50.0,
        mean: 4e6,
        deviation: 1e6,
        gap_ms: 0.0,
    };
    same(
        &frames,
        "440100e0 00000001 00001bc5 00000000 00000000 ffffff9c 00000000 00000000
         04010000 00020001 00080003 00000000 00000000 00000000 00000000 00000000
         6b0dd923 0004e850 00000000 00000000 00000032 00000000 003d0900 00000000
         000f4240 00000000 00000000 00000000",
    );
    // The length leaves the absent block out, and cuts this one.
    let mut bursts = with(7110, Mode::Forward, UpperFlags::BURSTS);
    extended(&mut bursts).frames = FrameSettings {
        per_second: 2.0,
        mean: 204_800.0,
        ..FrameSettings::default()
    };
    same(
        &bursts,
        "400100b8 00000001 00001bc6 00000000 00000000 ffffff9c 00000000 00000000
         20000000 00020001 00080003 00000000 00000000 00000000 00000000 00000000
         00000000 00000000 00000000 00000000 00000002 00000000 00032000",
    );
}

#[track_caller]
fn same_datagram(header: &TestHeader, captured: &str) {
    let captured = bytes(captured);
    let mut datagram = captured[..16].to_vec();
    datagram.resize(captured.len(), 0xaa);
    header.write_datagram(&mut datagram);
    assert_eq!(hex(&datagram), hex(&captured));
    let read = TestHeader::read_datagram(&captured).expect("a header");
    assert_eq!(read, *header);
}

#[test]
fn first_datagram() {
    let mut header = plain(6001);
    extended(&mut header).rate = Some(1 << 20);
    same_datagram(
        &header,
        "00000001 6b0d9cc3 000b2368 00000000 48010098 00000001 00001771 00000000
         00000000 ffffff9c 00000000 00000000 00000000 00020001 00080003 00000000
         00100000 00000000 00000000",
    );
    assert_eq!(header.datagram_length(), 76);
}

#[test]
fn datagram_flags_and_lengths_by_option() {
    use UpperFlags as Upper;
    for (mode, upper, word0, upper_word) in [
        (Mode::Forward, Upper::TRIP_TIMES, 0x6801_00d8, 0x0010),
        (Mode::Reverse, Upper::NONE, 0x6c01_0098, 0x0400),
        (Mode::FullDuplex, Upper::NO_UDP_FIN, 0x6c01_0098, 0x0808),
        (Mode::Dual, Upper::NONE, 0xc801_0099, 0),
        (Mode::Tradeoff, Upper::NONE, 0xc801_0098, 0),
        (Mode::Forward, Upper::NO_UDP_FIN, 0x6801_0098, 0x0008),
        (Mode::Forward, Upper::ISOCHRONOUS, 0x6801_00d8, 0x0001),
        (Mode::Reverse, Upper::from_bits(0x0041), 0x6c01_0118, 0x0441),
        (Mode::Forward, Upper::FQ_RATE, 0x6801_00d8, 0x0200),
    ] {
        let mut datagram = [0xaa; 200];
        with(5001, mode, upper).write_datagram(&mut datagram);
        let (first, at_upper) = (word(&datagram, 16), word(&datagram, 48) >> 16);
        assert_eq!(
            (first, at_upper),
            (word0, upper_word),
            "{mode:?} {upper:?} {first:08x} {at_upper:04x}"
        );
        assert_eq!(datagram[159..161], [0, 0xaa]);
    }
}

#[test]
fn frame_settings_of_datagrams() {
    let mut header = with(7140, Mode::Reverse, UpperFlags::from_bits(0x41));
    let part = extended(&mut header);
    part.rate = Some(1 << 20);
    part.frames = FrameSettings {
        per_second: 50.0,
        mean: 4e6,
        deviation: 1e6,
        gap_ms: 0.000_005,
    };
    same_datagram(
        &header,
        "00000001 6b0dd923 000707b0 00000000 6c010118 00000001 00001be4 00000000
         00000000 ffffff9c 00000000 00000000 04410000 00020001 00080003 00000000
         00100000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
         00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
         00000032 00000000 003d0900 00000000 000f4240 00000000 00000000 00000005",
    );
}

#[test]
fn short_datagrams_hold_what_fits() {
    for length in 0..160 {
        let mut datagram = vec![0xaa; length];
        plain(1).write_datagram(&mut datagram);
        let read = TestHeader::read_datagram(&datagram);
        assert_eq!(read.is_some(), length >= 40, "{length}");
    }
}
