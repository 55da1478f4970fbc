use proptest::prelude::*;

use super::*;

const CLAIM: Claim = Claim {
    token: Token::new([
        0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe,
        0xff,
    ]),
    load: 0x0102,
    flow: 0x0304_0506,
};

/// The bytes are the protocol: changing one of these lines breaks every netdyno out there.
const GOLDEN: [(Preamble, &str); 4] = [
    (
        Preamble::Control,
        "4e455444594e4f 01 01 00 0000 00000000 00000000000000000000000000000000",
    ),
    (
        Preamble::Data(CLAIM),
        "4e455444594e4f 01 02 00 0102 03040506 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
    ),
    (
        Preamble::UdpHello(CLAIM),
        "4e455444594e4f 01 03 00 0102 03040506 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
    ),
    (
        Preamble::UdpWelcome(CLAIM),
        "4e455444594e4f 01 04 00 0102 03040506 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
    ),
];

#[test]
fn golden_bytes_both_ways() {
    for (preamble, hex) in GOLDEN {
        let bytes = preamble.encode();
        assert_eq!(to_hex(&bytes), hex.replace(' ', ""), "{preamble:?}");
        assert_eq!(Preamble::parse(&bytes), Ok(Parse::Complete(preamble)));
    }
}

#[test]
fn every_beginning_of_a_preamble_needs_more() {
    for (preamble, _) in GOLDEN {
        for length in 0..Preamble::LEN {
            let beginning = &preamble.encode()[..length];
            assert_eq!(
                Preamble::parse(beginning),
                Ok(Parse::Incomplete),
                "{length}"
            );
        }
    }
}

#[test]
fn what_follows_is_left_alone() {
    let mut bytes = Preamble::Control.encode().to_vec();
    bytes.extend_from_slice(b"\xff\xff");
    assert_eq!(
        Preamble::parse(&bytes),
        Ok(Parse::Complete(Preamble::Control))
    );
}

#[test]
fn junk_is_refused_at_its_first_wrong_byte() {
    let error = |bytes: &[u8]| Preamble::parse(bytes).unwrap_err();
    assert_eq!(error(b"G"), PreambleError::Magic { at: 0, got: b'G' });
    assert_eq!(error(b"NETDYNX"), PreambleError::Magic { at: 6, got: b'X' });
    assert_eq!(error(b"NETDYNO\x02"), PreambleError::Version { theirs: 2 });
    assert_eq!(error(b"NETDYNO\x01\x00"), PreambleError::Kind(0));
    assert_eq!(error(b"NETDYNO\x01\x05"), PreambleError::Kind(5));
    assert_eq!(
        error(b"NETDYNO\x01\x02\x01"),
        PreambleError::NotZero { at: 9 }
    );
    for at in 10..Preamble::LEN {
        let mut bytes = Preamble::Control.encode();
        bytes[at] = 1;
        assert_eq!(error(&bytes[..=at]), PreambleError::NotZero { at });
    }
}

#[test]
fn the_sentences_say_what_was_expected() {
    for (bytes, sentence) in [
        (
            &b"GET / HTTP/1.1"[..],
            "this is not netdyno: byte 0 is 0x47, a netdyno connection begins with 'NETDYNO'",
        ),
        (
            b"NETDYNO\x02",
            "the peer's preamble has version 2, this netdyno speaks version 1",
        ),
        (
            b"NETDYNO\x01\x09",
            "a preamble of kind 9, the kinds are 1 to 4",
        ),
        (
            b"NETDYNO\x01\x01\x09",
            "byte 9 of the preamble must be zero",
        ),
    ] {
        assert_eq!(Preamble::parse(bytes).unwrap_err().to_string(), sentence);
    }
}

#[test]
fn a_datagram_is_a_hello_or_welcome_of_the_exact_length() {
    let [control, data, hello, welcome] = GOLDEN.map(|(preamble, _)| preamble);
    assert_eq!(Preamble::parse_datagram(&control.encode()), None);
    assert_eq!(Preamble::parse_datagram(&data.encode()), None);
    assert_eq!(Preamble::parse_datagram(&hello.encode()), Some(hello));
    assert_eq!(Preamble::parse_datagram(&welcome.encode()), Some(welcome));
    assert_eq!(Preamble::parse_datagram(&hello.encode()[..31]), None);
    let longer = [&hello.encode()[..], b"\0"].concat();
    assert_eq!(Preamble::parse_datagram(&longer), None);
}

proptest! {
    #[test]
    fn any_claim_comes_back(token: [u8; 16], load: u16, flow: u32) {
        let claim = Claim { token: Token::new(token), load, flow };
        for preamble in [
            Preamble::Data(claim), Preamble::UdpHello(claim), Preamble::UdpWelcome(claim),
        ] {
            prop_assert_eq!(Preamble::parse(&preamble.encode()), Ok(Parse::Complete(preamble)));
        }
    }

    #[test]
    fn one_wrong_byte_is_another_preamble_or_an_error(at in 0..Preamble::LEN, flip in 1..=255u8) {
        let mut bytes = Preamble::Data(CLAIM).encode();
        bytes[at] ^= flip;
        match Preamble::parse(&bytes) {
            Ok(Parse::Complete(preamble)) => prop_assert_eq!(preamble.encode(), bytes),
            Ok(Parse::Incomplete) => prop_assert!(false, "32 bytes are enough"),
            Err(_) => prop_assert!(at < 10 || bytes[8] == 1),
        }
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
