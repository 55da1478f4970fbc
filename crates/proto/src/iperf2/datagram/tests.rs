use proptest::prelude::*;

use super::super::fixture::bytes;
use super::super::{Amount, Mode, digits};
use super::*;

fn first(datagram: &[u8]) -> FirstDatagram {
    FirstDatagram::parse(datagram).expect("a flow begins")
}

#[test]
fn first_datagrams_of_2_1_8() {
    let mut datagram = bytes(
        "00000001 6b0d9cc3 000b2368 00000000 48010098 00000001 00001771 00000000
         00000000 ffffff9c 00000000 00000000 00000000 00020001 00080003 00000000
         00100000 00000000 00000000",
    );
    datagram.resize(1470, 0);
    let read = first(&datagram);
    assert_eq!(read.shape, Shape::Modern);
    assert_eq!(read.front.id, 1);
    assert_eq!(read.front.sent.seconds, 0x6b0d_9cc3);
    let header = read.header.expect("a header");
    assert_eq!(header.extended.expect("extended").rate, Some(1 << 20));
}

#[test]
fn small_trip_times_and_no_header_are_told_apart() {
    let mut small = bytes("00000001 6b0dd923 00061681 00000000 00020000");
    small.extend(&digits(100)[20..]);
    let read = first(&small);
    assert!(read.has_small_trip_times && read.header.is_none());
    // -u -C: the payload at 16 has the bit that 2.1.8 looks at.
    let mut bare = bytes("00000001 6b0dd923 0007df7f 00000000");
    bare.extend(&digits(1470)[16..]);
    let read = first(&bare);
    assert_eq!(read.shape, Shape::Modern);
    assert!(!read.has_small_trip_times && read.header.is_none());
}

#[test]
fn legacy_datagrams_have_a_short_header() {
    for (flags, mode) in [
        ("00000000", Mode::Forward),
        ("80000001", Mode::Dual),
        ("80000000", Mode::Tradeoff),
    ] {
        let mut datagram = bytes(&format!(
            "00000000 6b0d9cc3 000b2368 {flags} 00000001 00001389 00000000 00100000 fffffc18"
        ));
        datagram.extend(&digits(1470)[36..]);
        let read = first(&datagram);
        assert_eq!((read.shape, read.front.id), (Shape::Legacy, 0));
        let header = read.header.expect("a header");
        // The first word of a plain test says nothing, but the rest is there.
        assert_eq!((header.mode, header.port), (mode, 5001));
        assert_eq!(header.window_or_rate, 1 << 20);
        assert_eq!(header.amount, Amount::of_word(0xffff_fc18));
    }
    let mut bare = bytes("00000000 6b0d9cc3 000b2368");
    bare.extend(&digits(100)[12..]);
    assert_eq!(first(&bare).shape, Shape::Legacy, "-C");
}

#[test]
fn middle_datagrams_mark_their_end_by_a_bit() {
    let mut datagram = bytes("00000000 6b0d9cc3 000b2368");
    datagram.extend(&digits(1470)[12..]);
    datagram[16..20].fill(0);
    let read = first(&datagram);
    assert_eq!(read.shape, Shape::Middle);
    datagram[..4].copy_from_slice(&[0x80, 0, 0, 0x1c]);
    let last = DatagramHeader::parse(&datagram, Shape::Middle).expect("a header");
    assert_eq!(last.id, -28);
}

#[test]
fn payload_in_the_upper_half_of_the_first_number_is_no_number() {
    // 2.0.13, -u -d.
    let mut datagram = bytes("00000000 6b0d9cc3 000b2368 32333435 c8000001 00000001 00001389");
    datagram.resize(1470, 0);
    let read = first(&datagram);
    assert_eq!((read.shape, read.front.id), (Shape::Modern, 0));
    assert_eq!(read.header.expect("a header").mode, Mode::Dual);
}

#[test]
fn an_end_or_crumbs_begin_nothing() {
    let mut end = bytes("ffffffa3 6b0d9cc3 000b2368 ffffffff 48010098 00000001");
    end.resize(1470, 0);
    assert_eq!(FirstDatagram::parse(&end), None);
    for length in 0..12 {
        assert_eq!(FirstDatagram::parse(&vec![0x31; length]), None, "{length}");
    }
    assert!(FirstDatagram::parse(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]).is_some());
}

#[test]
fn numbers_have_64_bits() {
    for id in [1, -94, i64::from(u32::MAX) + 7, i64::MIN, i64::MAX] {
        let header = DatagramHeader {
            id,
            sent: Stamp::from_micros(1_000_001),
        };
        let mut datagram = [0xaa; 18];
        header.write(&mut datagram);
        assert_eq!(
            DatagramHeader::parse(&datagram, Shape::Modern),
            Some(header)
        );
    }
    let last = bytes("ffffffa3 6b0d9cc3 000b2368 ffffffff");
    let id = |length, shape| DatagramHeader::parse(&last[..length], shape).map(|front| front.id);
    assert_eq!(id(16, Shape::Modern), Some(-93));
    assert_eq!(id(12, Shape::Modern), Some(-93));
    assert_eq!(id(12, Shape::Legacy), Some(-93));
    assert_eq!(id(11, Shape::Legacy), None);
}

proptest! {
    #[test]
    fn hostile_datagrams_are_read_or_not(datagram in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(read) = FirstDatagram::parse(&datagram) {
            prop_assert!(read.front.id >= 0);
        }
    }
}
