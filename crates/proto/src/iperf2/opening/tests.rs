use proptest::prelude::*;

use super::super::fixture;
use super::super::{Amount, Mode, UpperFlags};
use super::*;

fn opening(bytes: &[u8]) -> Opening {
    match Opening::parse(bytes) {
        Parse::Complete(opening) => opening,
        Parse::Incomplete => panic!("incomplete: {}", fixture::hex(bytes)),
    }
}

fn test(bytes: &[u8]) -> (TestHeader, usize) {
    match opening(bytes) {
        Opening::Test(header, taken) => (*header, taken),
        other => panic!("{other:?}"),
    }
}

#[test]
fn first_bytes_of_all_generations() {
    let legacy = "00000000 00000001 00001389 00000000 00000000 fffffc18";
    for (hex, expected) in [
        // 2.0.2 and 2.0.5, a plain test: the first word says that nothing follows.
        (legacy, Opening::Bare),
        // 2.0.10, 2.0.13: data.
        ("00000000 34353637", Opening::Bare),
        ("08000000 34353637", Opening::Bare),
        // -C.
        ("30313233 34353637", Opening::Bare),
        ("00800000 00000064", Opening::Bounceback),
    ] {
        assert_eq!(opening(&fixture::bytes(hex)), expected, "{hex}");
    }
}

#[test]
fn legacy_requests_for_both_directions() {
    for (first, mode) in [("80000001", Mode::Dual), ("80000000", Mode::Tradeoff)] {
        let bytes = fixture::bytes(&format!(
            "{first} 00000001 00001389 00000000 00000000 fffffc18 30313233"
        ));
        let (header, taken) = test(&bytes);
        assert_eq!((header.mode, taken), (mode, 24));
        assert_eq!(header.port, 5001);
        assert!(header.extended.is_none());
    }
}

#[test]
fn middle_peer_detection_has_no_length() {
    let bytes = fixture::bytes(
        "48000000 00000001 00001389 30313233 34353637 fffffc18
         00000001 0000001c 00000000 00020000 000d0003 00000000 30313233 34353637 30313233",
    );
    let (header, taken) = test(&bytes);
    assert_eq!(taken, 60);
    let extended = header.extended.expect("extended");
    assert_eq!(extended.version.to_string(), "2.0.13");
    assert_eq!(extended.rate, None, "uninitialised");
}

#[test]
fn headers_of_2_2_have_a_word_more() {
    let mut bytes = fixture::bytes(
        "40010080 00000001 00001389 00000000 00000000 fffffc18
         00000000 00000000 00000000 00020002 00010001 00000000",
    );
    bytes.resize(64, 0);
    assert_eq!(Opening::parse(&bytes[..63]), Parse::Incomplete);
    let (header, taken) = test(&bytes);
    assert_eq!(taken, 64);
    assert!(header.extended.expect("extended").version.is_2_2());
}

#[test]
fn a_transfer_id_is_no_tradeoff() {
    let mut bytes = fixture::bytes("c0010080 80500002 00001389 00000000 00000000 fffffc18");
    bytes.resize(64, 0);
    let (header, _) = test(&bytes);
    assert_eq!(header.mode, Mode::Forward);
    assert_eq!((header.transfer, header.threads), (Some(5), 2));
}

#[test]
fn a_congestion_control_has_a_name() {
    let mut bytes = fixture::bytes("400100ee 00000001 00001389 00000000 00000000 fffffc18");
    bytes.resize(112, 0);
    bytes[34] = 0x80;
    bytes.extend(b"\x00\x05cubic");
    assert_eq!(bytes.len(), 119);
    let (header, taken) = test(&bytes);
    assert_eq!(taken, 119);
    let extended = header.extended.expect("extended");
    assert_eq!(extended.congestion.as_deref(), Some("cubic"));
}

#[test]
fn an_iperf_3_client_is_told_apart() {
    let cookie = b"abcdefghijklmnopqrstuvwxyz234567abcd\0";
    for cut in 0..cookie.len() {
        assert_eq!(Opening::parse(&cookie[..cut]), Parse::Incomplete, "{cut}");
    }
    assert_eq!(opening(cookie), Opening::Iperf3);
    assert_ne!(opening(&[b'a'; 300]), Opening::Iperf3, "a file of letters");
}

#[test]
fn any_cut_of_a_header_with_a_key_is_incomplete() {
    let bytes = TestHeader {
        key: PermitKey::new(b"abcdef"),
        extended: Some(Default::default()),
        ..TestHeader::new(5001, Amount::of_word(100))
    }
    .encode();
    let mut have = 0;
    for cut in 0..bytes.len() {
        assert_eq!(Opening::parse(&bytes[..cut]), Parse::Incomplete, "{cut}");
        let wanted = Opening::wanted(&bytes[..cut]);
        assert!(cut < wanted && wanted <= bytes.len(), "{cut}: {wanted}");
        have = have.max(wanted);
    }
    assert_eq!(have, bytes.len());
    let (header, taken) = test(&bytes);
    assert_eq!(taken, bytes.len());
    assert_eq!(header.key.expect("a key").as_bytes(), b"abcdef");
    assert_eq!(header.extended.expect("extended").upper, UpperFlags::NONE);
}

proptest! {
    #[test]
    fn hostile_bytes_end_in_an_answer(bytes in prop::collection::vec(any::<u8>(), 4..500)) {
        if bytes.len() >= Opening::MOST {
            prop_assert_ne!(Opening::parse(&bytes), Parse::Incomplete);
        }
        if Opening::parse(&bytes) == Parse::Incomplete {
            prop_assert!(Opening::wanted(&bytes) > bytes.len());
        }
        if let Parse::Complete(Opening::Test(_, taken)) = Opening::parse(&bytes) {
            prop_assert!(taken <= bytes.len() && taken <= Opening::MOST);
        }
    }
}
