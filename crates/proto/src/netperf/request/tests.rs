use proptest::prelude::*;

use super::*;
use crate::netperf::{fixture, sample};

#[test]
fn small_messages_have_their_types() {
    for (request, kind) in [
        (Request::DebugOn, 1),
        (Request::DebugOff, 2),
        (Request::Calibrate, 5),
        (Request::SystemInfo, 600),
    ] {
        let frame = request.encode();
        assert_eq!(frame, Frame::new(kind, u32::MAX));
        assert_eq!(Request::decode(&frame), Ok(request));
    }
}

#[test]
fn a_passphrase_is_raw_text() {
    let request = Request::Passphrase(b"open \xff sesame".to_vec());
    let frame = request.encode();
    assert_eq!(frame.kind(), 6);
    assert_eq!(frame.as_bytes()[8..22], *b"open \xff sesame\0");
    assert_eq!(Request::decode(&frame), Ok(request));
}

#[test]
fn the_longest_passphrase_leaves_room_for_its_nul() {
    let frame = Request::Passphrase(vec![b'x'; 9999]).encode();
    assert_eq!(frame.as_bytes()[654..], *b"x\0");
    let expected = Request::Passphrase(vec![b'x'; 647]);
    assert_eq!(Request::decode(&frame), Ok(expected));
    let full = Frame::of([b'x'; Frame::LEN]);
    assert_eq!(full.kind(), u32::from_be_bytes(*b"xxxx"));
    assert!(Request::decode(&full).is_err());
}

#[test]
fn answers_to_small_messages() {
    assert_eq!(debug_ok(), Frame::new(3, 0));
    let info = system_info();
    assert_eq!(info.kind(), 601);
    let text = b",Deprecated,Deprecated,Deprecated,Deprecated\0";
    assert_eq!(info.as_bytes()[8..8 + text.len()], *text);
    let frame = calibrated(100.0, 2);
    let words = [0, 1, 2, 3, 4].map(|at| frame.word(at));
    assert_eq!(words, [5, 0, 0x42c8_0000, 2, 0]);
    assert_eq!(calibration(&frame), (100.0, 2));
    assert_eq!(calibration(&calibrated(f32::NAN, 2)), (0.0, 2));
}

#[test]
fn the_second_word_of_a_test_is_its_cpu() {
    let Ok(Request::Test { cpu, test }) = Request::decode(&fixture::omni_request()) else {
        panic!("a test");
    };
    assert_eq!((cpu, test.test()), (Some(1), Test::Omni));
    let request = Request::Test { cpu, test };
    assert_eq!(request.encode(), fixture::omni_request());

    let Ok(Request::Test { cpu, test }) = Request::decode(&fixture::sendfile_request()) else {
        panic!("a test");
    };
    assert_eq!((cpu, test.test()), (None, Test::Stream(StreamTest::Tcp)));
    let request = Request::Test { cpu, test };
    assert_eq!(request.encode(), fixture::sendfile_request());
}

#[test]
fn every_test_is_asked_for_by_its_type() {
    for test in Test::ALL {
        let request = Request::Test {
            cpu: None,
            test: TestRequest::new(test),
        };
        let frame = request.encode();
        assert_eq!(frame.kind(), test.request(), "{test:?}");
        assert_eq!(Request::decode(&frame), Ok(request));
    }
}

#[test]
fn an_unknown_type_is_error_998() {
    // Among them NODE_IDENTIFY, a response, and the Unix-domain tests.
    for kind in [0, 3, 4, 7, 37, 98, 540, 601, 777, u32::MAX] {
        let refusal = Request::decode(&Frame::new(kind, u32::MAX)).unwrap_err();
        assert_eq!(refusal.number.get(), 998, "{kind}");
        let reason = format!("no test that this server knows has request type {kind}");
        assert_eq!(refusal.reason, reason);
    }
}

#[test]
fn an_absurd_field_is_einval() {
    let mut frame = fixture::omni_request();
    frame.set_word(9, 0x8000_0000);
    let refusal = Request::decode(&frame).unwrap_err();
    assert_eq!(refusal.number, ErrorNumber::INVALID);
    assert_eq!(
        refusal.reason,
        "recv_size (word 9) is 2147483648 bytes: up to 2147483647 bytes are accepted"
    );
}

#[test]
fn length_and_cpu_of_every_layout() {
    for test in Test::ALL {
        let mut request = TestRequest::new(test);
        assert!(!request.measures_cpu(), "{test:?}");
        assert_eq!(request.length(), Length::Seconds(10));
        assert_eq!(request.cpu_rate(), None);
        let length = Length::Count(7);
        match &mut request {
            TestRequest::Omni(omni) => {
                omni.flags = Flags::MEASURE_CPU;
                (omni.length, omni.cpu_rate) = (length, 42.0);
            }
            TestRequest::Stream(_, stream) => {
                (stream.measure_cpu, stream.length, stream.cpu_rate) = (true, length, 42.0);
            }
            TestRequest::Maerts(maerts) => {
                (maerts.measure_cpu, maerts.length, maerts.cpu_rate) = (true, length, 42.0);
            }
            TestRequest::Exchange(_, exchange) => {
                (exchange.measure_cpu, exchange.length, exchange.cpu_rate) = (true, length, 42.0);
            }
            TestRequest::UdpStream(udp) => {
                (udp.measure_cpu, udp.length, udp.cpu_rate) = (true, length, 42.0);
            }
        }
        assert!(request.measures_cpu(), "{test:?}");
        assert_eq!(request.length(), length);
        assert_eq!(request.cpu_rate(), Some(42.0));
    }
}

/// Types that mean something, and some that do not.
fn kinds() -> impl Strategy<Value = u32> {
    let mut known: Vec<_> = Test::ALL.into_iter().map(Test::request).collect();
    known.extend([1, 2, 3, 4, 5, 6, 600]);
    prop_oneof![5 => prop::sample::select(known), 1 => any::<u32>()]
}

proptest! {
    #[test]
    fn what_decodes_encodes_to_the_same_request(
        frame in (kinds(), any::<u32>())
            .prop_flat_map(|(kind, second)| sample::any_frame(kind, second)),
    ) {
        if let Ok(request) = Request::decode(&frame) {
            prop_assert_eq!(Request::decode(&request.encode()), Ok(request));
        }
    }
}
