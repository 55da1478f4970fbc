use std::net::IpAddr;

use proptest::prelude::*;

use super::*;
use crate::netperf::{fixture, sample};

fn size(bytes: u64) -> Option<Bytes> {
    Some(Bytes::new(bytes))
}

/// What the request of the fixture says.
fn request() -> OmniRequest {
    OmniRequest {
        send_width: 1,
        request_size: size(100),
        recv_width: 1,
        response_size: size(200),
        flags: Flags::NODELAY | Flags::MEASURE_CPU | Flags::ROUTING,
        length: Length::Seconds(1),
        direction: Direction::Both,
        client_port: 44087,
        congestion: "cubic".into(),
        ..OmniRequest::default()
    }
}

#[test]
fn a_real_request_and_back() {
    let frame = fixture::omni_request();
    assert_eq!(OmniRequest::read(&frame), Ok(request()));
    let mut again = Frame::new(97, 1);
    request().write(&mut again);
    assert_eq!(again, frame);
}

#[test]
fn every_field_of_a_request_has_its_word() {
    let address: IpAddr = "10.1.2.3".parse().unwrap();
    let other: IpAddr = "192.0.2.9".parse().unwrap();
    let request = OmniRequest {
        send_buffer: size(2),
        send_size: size(3),
        send_alignment: Bytes::new(4),
        send_offset: Bytes::new(5),
        send_width: 6,
        request_size: size(7),
        recv_buffer: size(8),
        recv_size: size(9),
        recv_alignment: Bytes::new(10),
        recv_offset: Bytes::new(11),
        recv_width: 12,
        response_size: size(13),
        flags: Flags::from_bits(14),
        cpu_rate: f32::from_bits(15),
        length: Length::Seconds(16),
        recv_avoidance: 17,
        send_avoidance: 18,
        send_dirty: 19,
        recv_dirty: 20,
        recv_clean: 21,
        data_port: 22,
        family: Family::V4,
        socket_type: 24,
        protocol: 25,
        direction: Direction::Send,
        client_port: 27,
        burst: 28,
        interval_usecs: 29,
        client_address: address.into(),
        server_address: other.into(),
        priority: Some(38),
        tos: Some(39),
        congestion: "reno".into(),
        fill_file: "data.bin".into(),
    };
    let mut frame = Frame::new(0, 0);
    request.write(&mut frame);
    let mut expected = Frame::new(0, 0);
    for at in 2..40 {
        expected.set_word(at, at as u32);
    }
    expected.set_word(23, 4);
    expected.set_word(26, 2);
    for (at, word) in [(30, 0x0a01_0203), (34, 0xc000_0209)] {
        expected.raw_mut(at, 16).fill(0);
        expected.set_word(at, word);
    }
    expected.raw_mut(40, 4).copy_from_slice(b"reno");
    expected.raw_mut(44, 8).copy_from_slice(b"data.bin");
    assert_eq!(frame, expected);
    assert_eq!(OmniRequest::read(&frame), Ok(request));
}

#[test]
fn a_real_response_and_back() {
    let response = OmniResponse {
        recv_buffer: size(131_072),
        recv_size: size(100),
        recv_width: 1,
        send_buffer: size(16384),
        send_size: size(200),
        send_width: 1,
        flags: Flags::NODELAY | Flags::MEASURE_CPU,
        cpu_rate: 100.0,
        data_port: 42733,
        ..OmniResponse::default()
    };
    let frame = fixture::omni_response();
    assert_eq!(OmniResponse::read(&frame), Ok(response.clone()));
    let mut again = Frame::new(98, 0);
    response.write(&mut again);
    assert_eq!(again, frame);
}

#[test]
fn every_field_of_a_response_has_its_word() {
    let response = OmniResponse {
        recv_buffer: size(2),
        recv_size: size(3),
        recv_width: 4,
        send_buffer: size(5),
        send_size: size(6),
        send_width: 7,
        flags: Flags::from_bits(8),
        cpu_rate: f32::from_bits(9),
        recv_avoidance: 11,
        send_avoidance: 12,
        data_port: 13,
        burst: 14,
        interval_usecs: 15,
        priority: Mark::Set(18),
        tos: Mark::Set(19),
    };
    let mut frame = Frame::new(0, 0);
    response.write(&mut frame);
    let mut expected = Frame::new(0, 0);
    for at in (2..10).chain(11..16).chain(18..20) {
        expected.set_word(at, at as u32);
    }
    assert_eq!(frame, expected);
    assert_eq!(OmniResponse::read(&frame), Ok(response));
}

#[test]
fn real_results_and_back() {
    let results = OmniResults {
        bytes_received: Bytes::new(936_100),
        recv_calls: 9361,
        recv_buffer: size(263_336),
        bytes_sent: Bytes::new(1_872_200),
        send_calls: 9361,
        send_buffer: size(4_194_304),
        transactions: 9361,
        elapsed_seconds: f32::from_bits(0x3f80_09dd),
        cpu_percent: f32::from_bits(0x41fc_3f22),
        user_percent: f32::from_bits(0x3fe5_82cf),
        system_percent: f32::from_bits(0x4148_244a),
        softirq_percent: f32::from_bits(0x4189_d4d2),
        cpu_method: 8,
        cpus: 2,
        peak_cpu: Some(1),
        peak_percent: f32::from_bits(0x4203_c3c3),
        retransmits: Some(0),
        congestion: "cubic".into(),
        ..OmniResults::default()
    };
    let frame = fixture::omni_results();
    assert_eq!(OmniResults::read(&frame), Ok(results.clone()));
    // Type and service demand are stale words of the server's.
    let mut again = Frame::new(0x6200_0000, 0);
    again.set_word(19, u32::MAX);
    results.write(&mut again);
    assert_eq!(again, frame);
    assert!((results.elapsed_seconds - 1.0003).abs() < 1e-4);
    assert!((results.cpu_percent - 31.53).abs() < 1e-2);
}

#[test]
fn stale_words_of_a_real_server_are_no_figures() {
    let mut frame = fixture::omni_results();
    // A real netserver that does not measure leaves -1 here, which as a float is no number.
    frame.set_word(18, u32::MAX);
    frame.set_word(28, u32::MAX);
    let results = OmniResults::read(&frame).unwrap();
    assert_eq!(results.softirq_percent, 0.0);
    assert_eq!(results.retransmits, None);
}

#[test]
fn every_field_of_results_has_its_word() {
    let results = OmniResults {
        bytes_received: Bytes::new(0x2_0000_0003),
        recv_calls: 4,
        recv_buffer: size(5),
        bytes_sent: Bytes::new(0x6_0000_0007),
        send_calls: 8,
        send_buffer: size(9),
        transactions: 11,
        elapsed_seconds: f32::from_bits(12),
        cpu_percent: f32::from_bits(13),
        user_percent: f32::from_bits(14),
        system_percent: f32::from_bits(15),
        iowait_percent: f32::from_bits(16),
        irq_percent: f32::from_bits(17),
        softirq_percent: f32::from_bits(18),
        cpu_method: 20,
        cpus: 21,
        peak_cpu: Some(22),
        peak_percent: f32::from_bits(23),
        retransmits: Some(28),
        congestion: "bbr".into(),
    };
    let mut frame = Frame::new(0, 0);
    results.write(&mut frame);
    let mut expected = Frame::new(0, 0);
    for at in (2..10).chain(11..19).chain(20..24).chain([28]) {
        expected.set_word(at, at as u32);
    }
    expected.raw_mut(69, 3).copy_from_slice(b"bbr");
    assert_eq!(frame, expected);
    assert_eq!(OmniResults::read(&frame), Ok(results));
}

#[test]
fn absurd_requests_are_refused_with_a_sentence() {
    for (at, word, sentence) in [
        (
            2,
            0xffff_fff0,
            "send_buffer (word 2) is -16: -1 (default) and numbers from 0 are accepted",
        ),
        (
            3,
            0xffff_fff0,
            "send_size (word 3) is 4294967280 bytes: up to 2147483647 bytes are accepted",
        ),
        (
            10,
            0x8000_0000,
            "recv_alignment (word 10) is 2147483648 bytes: up to 67108864 bytes are accepted",
        ),
        (
            22,
            65536,
            "data_port (word 22) is 65536: ports from 0 to 65535 are accepted",
        ),
        (
            23,
            7,
            "family (word 23) is 7: 0 (any), 4 (IPv4) and 6 (IPv6) are accepted",
        ),
        (
            26,
            5,
            "direction (word 26) is 5: 0 (connect), 2 (send), 4 (receive) and 6 (both) are accepted",
        ),
    ] {
        let mut frame = fixture::omni_request();
        frame.set_word(at, word);
        let error = OmniRequest::read(&frame).unwrap_err();
        assert_eq!(error.to_string(), sentence);
    }
}

/// A real netserver dies of zeros in these words.
#[test]
fn no_request_of_ours_has_a_deadly_zero() {
    let zero = Some(Bytes::new(0));
    let request = OmniRequest {
        send_size: zero,
        send_alignment: Bytes::new(0),
        recv_size: zero,
        recv_alignment: Bytes::new(0),
        ..OmniRequest::default()
    };
    let mut frame = Frame::new(97, 0);
    request.write(&mut frame);
    for at in [3, 4, 9, 10] {
        assert_ne!(frame.word(at), 0, "word {at}");
    }
}

proptest! {
    #[test]
    fn what_is_read_reads_the_same_again(frame in sample::any_frame(97, 0)) {
        let again = |write: &dyn Fn(&mut Frame)| {
            let mut again = Frame::new(0, 0);
            write(&mut again);
            again
        };
        if let Ok(read) = OmniRequest::read(&frame) {
            prop_assert_eq!(OmniRequest::read(&again(&|frame| read.write(frame))), Ok(read));
        }
        if let Ok(read) = OmniResponse::read(&frame) {
            prop_assert_eq!(OmniResponse::read(&again(&|frame| read.write(frame))), Ok(read));
        }
        let read = OmniResults::read(&frame).unwrap();
        prop_assert_eq!(OmniResults::read(&again(&|frame| read.write(frame))), Ok(read));
    }
}
