use std::fmt::Debug;

use plan::Family;
use units::Bytes;

use super::*;
use crate::netperf::{FieldError, Frame, Length, fixture};

fn size(bytes: u64) -> Option<Bytes> {
    Some(Bytes::new(bytes))
}

/// `value` fills exactly the words `at`, each with its own number, but for the families, which
/// are IPv4; and it is read back.
fn words<T: PartialEq + Debug>(
    value: &T,
    write: fn(&T, &mut Frame),
    read: fn(&Frame) -> Result<T, FieldError>,
    at: &[usize],
    families: &[usize],
) {
    let mut expected = Frame::new(0, 0);
    for at in at {
        expected.set_word(*at, *at as u32);
    }
    for at in families {
        expected.set_word(*at, 4);
    }
    let mut frame = Frame::new(0, 0);
    write(value, &mut frame);
    assert_eq!(frame, expected, "{value:?}");
    assert_eq!(read(&frame).as_ref(), Ok(value));
}

/// A switch that is on is 1, wherever it stands; so these are looked at one by one.
fn switch<T: PartialEq + Debug>(
    value: &T,
    write: fn(&T, &mut Frame),
    read: fn(&Frame) -> Result<T, FieldError>,
    off: &T,
    at: usize,
) {
    let mut on = Frame::new(0, 0);
    write(value, &mut on);
    let mut expected = Frame::new(0, 0);
    write(off, &mut expected);
    expected.set_word(at, 1);
    assert_eq!(on, expected, "{value:?}");
    assert_eq!(read(&on).as_ref(), Ok(value));
}

macro_rules! switches {
    ($type:ident { $($at:literal $field:ident),* }) => {
        $(switch(
            &$type { $field: true, ..$type::default() },
            $type::write,
            $type::read,
            &$type::default(),
            $at,
        );)*
    };
}

#[test]
fn a_real_request_and_back() {
    let request = StreamRequest {
        length: Length::Seconds(1),
        ..StreamRequest::default()
    };
    let frame = fixture::sendfile_request();
    assert_eq!(StreamRequest::read(&frame), Ok(request.clone()));
    let mut again = Frame::new(10, u32::MAX);
    request.write(&mut again);
    assert_eq!(again, frame);
}

#[test]
fn a_real_response_and_back() {
    let response = StreamResponse {
        recv_buffer: size(131_072),
        recv_size: size(131_072),
        send_buffer: size(16384),
        data_port: 45815,
        ..StreamResponse::default()
    };
    let frame = fixture::sendfile_response();
    assert_eq!(StreamResponse::read(&frame), Ok(response.clone()));
    let mut again = Frame::new(11, 0);
    response.write(&mut again);
    assert_eq!(again, frame);
}

/// The only words of real results that the specification quotes.
#[test]
fn real_results_begin_with_a_double() {
    let mut frame = Frame::new(0x0b00_0000, 0);
    frame.set_word(2, 0x41d3_b720);
    frame.set_word(5, 0x3f80_09dd);
    let results = StreamResults::read(&frame).unwrap();
    assert_eq!(results.bytes_received, Bytes::new(1_323_073_536));
    assert!((results.elapsed_seconds - 1.0003).abs() < 1e-4);
}

#[test]
fn stream() {
    let request = StreamRequest {
        send_buffer: size(2),
        recv_buffer: size(3),
        recv_size: size(4),
        recv_alignment: Bytes::new(5),
        recv_offset: Bytes::new(6),
        cpu_rate: f32::from_bits(9),
        length: Length::Seconds(10),
        recv_avoidance: 11,
        send_avoidance: 12,
        port: 15,
        ..StreamRequest::default()
    };
    let at = [2, 3, 4, 5, 6, 9, 10, 11, 12, 15];
    words(
        &request,
        StreamRequest::write,
        StreamRequest::read,
        &at,
        &[16],
    );
    switches!(StreamRequest { 7 nodelay, 8 measure_cpu, 17 asynchronous });
    let response = StreamResponse {
        recv_buffer: size(2),
        recv_size: size(3),
        send_buffer: size(7),
        data_port: 8,
        cpu_rate: f32::from_bits(9),
        recv_avoidance: 10,
        send_avoidance: 11,
        ..StreamResponse::default()
    };
    let at = [2, 3, 7, 8, 9, 10, 11];
    words(
        &response,
        StreamResponse::write,
        StreamResponse::read,
        &at,
        &[],
    );
    switches!(StreamResponse { 4 nodelay, 5 measure_cpu });
    let results = StreamResults {
        recv_calls: 4,
        elapsed_seconds: f32::from_bits(5),
        cpu_percent: f32::from_bits(6),
        cpu_method: 8,
        cpus: 9,
        recv_buffer: size(10),
        send_buffer: size(11),
        ..StreamResults::default()
    };
    let at = [4, 5, 6, 8, 9, 10, 11];
    words(
        &results,
        StreamResults::write,
        StreamResults::read,
        &at,
        &[],
    );
}

#[test]
fn maerts() {
    let request = MaertsRequest {
        send_buffer: size(2),
        recv_buffer: size(3),
        send_size: size(4),
        send_alignment: Bytes::new(5),
        send_offset: Bytes::new(6),
        cpu_rate: f32::from_bits(9),
        length: Length::Seconds(10),
        recv_avoidance: 11,
        send_avoidance: 12,
        port: 15,
        ..MaertsRequest::default()
    };
    let at = [2, 3, 4, 5, 6, 9, 10, 11, 12, 15];
    words(
        &request,
        MaertsRequest::write,
        MaertsRequest::read,
        &at,
        &[16],
    );
    switches!(MaertsRequest { 7 nodelay, 8 measure_cpu });
    let response = MaertsResponse {
        recv_buffer: size(2),
        send_size: size(3),
        send_buffer: size(7),
        data_port: 8,
        cpu_rate: f32::from_bits(9),
        recv_avoidance: 10,
        send_avoidance: 11,
        ..MaertsResponse::default()
    };
    let at = [2, 3, 7, 8, 9, 10, 11];
    words(
        &response,
        MaertsResponse::write,
        MaertsResponse::read,
        &at,
        &[],
    );
    switches!(MaertsResponse { 4 nodelay, 5 measure_cpu });
    let results = MaertsResults {
        send_calls: 4,
        elapsed_seconds: f32::from_bits(5),
        cpu_percent: f32::from_bits(6),
        cpu_method: 8,
        cpus: 9,
        ..MaertsResults::default()
    };
    let at = [4, 5, 6, 8, 9];
    words(
        &results,
        MaertsResults::write,
        MaertsResults::read,
        &at,
        &[],
    );
    let mut frame = Frame::new(0, 0);
    MaertsResults {
        bytes_sent: Bytes::new(1 << 40),
        ..MaertsResults::default()
    }
    .write(&mut frame);
    assert_eq!((frame.word(2), frame.word(3)), (0x4270_0000, 0));
}

#[test]
fn exchange() {
    let request = ExchangeRequest {
        recv_buffer: size(2),
        send_buffer: size(3),
        recv_alignment: Bytes::new(4),
        recv_offset: Bytes::new(5),
        send_alignment: Bytes::new(6),
        send_offset: Bytes::new(7),
        request_size: size(8),
        response_size: size(9),
        cpu_rate: f32::from_bits(12),
        length: Length::Seconds(13),
        recv_avoidance: 14,
        send_avoidance: 15,
        port: 16,
        ..ExchangeRequest::default()
    };
    let at = [2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16];
    words(
        &request,
        ExchangeRequest::write,
        ExchangeRequest::read,
        &at,
        &[17],
    );
    switches!(ExchangeRequest { 10 nodelay, 11 measure_cpu, 18 nonblocking });
    let response = ExchangeResponse {
        recv_buffer: size(2),
        send_buffer: size(6),
        data_port: 7,
        cpu_rate: f32::from_bits(8),
        recv_avoidance: 9,
        send_avoidance: 10,
        ..ExchangeResponse::default()
    };
    let at = [2, 6, 7, 8, 9, 10];
    words(
        &response,
        ExchangeResponse::write,
        ExchangeResponse::read,
        &at,
        &[],
    );
    switches!(ExchangeResponse { 3 nodelay, 4 measure_cpu });
    let results = ExchangeResults {
        bytes_received: Bytes::new(2),
        recv_calls: 3,
        transactions: 4,
        elapsed_seconds: f32::from_bits(5),
        cpu_percent: f32::from_bits(6),
        cpu_method: 8,
        cpus: 9,
    };
    let at = [2, 3, 4, 5, 6, 8, 9];
    words(
        &results,
        ExchangeResults::write,
        ExchangeResults::read,
        &at,
        &[],
    );
}

#[test]
fn udp_stream() {
    let request = UdpStreamRequest {
        recv_buffer: size(2),
        message_size: size(3),
        recv_alignment: Bytes::new(5),
        recv_offset: Bytes::new(6),
        cpu_rate: f32::from_bits(9),
        length: Length::Seconds(10),
        recv_avoidance: 11,
        send_avoidance: 12,
        port: 13,
        ..UdpStreamRequest::default()
    };
    let at = [2, 3, 5, 6, 9, 10, 11, 12, 13];
    words(
        &request,
        UdpStreamRequest::write,
        UdpStreamRequest::read,
        &at,
        &[14],
    );
    switches!(UdpStreamRequest { 4 connected, 8 measure_cpu });
    let response = UdpStreamResponse {
        recv_buffer: size(2),
        send_buffer: size(3),
        data_port: 6,
        cpu_rate: f32::from_bits(7),
        recv_avoidance: 8,
        send_avoidance: 9,
        ..UdpStreamResponse::default()
    };
    let at = [2, 3, 6, 7, 8, 9];
    words(
        &response,
        UdpStreamResponse::write,
        UdpStreamResponse::read,
        &at,
        &[],
    );
    switches!(UdpStreamResponse { 4 measure_cpu });
    let results = UdpStreamResults {
        messages: 2,
        bytes_received: Bytes::new(3),
        elapsed_seconds: f32::from_bits(4),
        cpu_percent: f32::from_bits(5),
        cpu_method: 6,
        cpus: 7,
    };
    let at = [2, 3, 4, 5, 6, 7];
    words(
        &results,
        UdpStreamResults::write,
        UdpStreamResults::read,
        &at,
        &[],
    );
}

#[test]
fn the_families_are_netperfs_numbers() {
    let request = StreamRequest {
        family: Family::V6,
        ..StreamRequest::default()
    };
    let mut frame = Frame::new(10, 0);
    request.write(&mut frame);
    assert_eq!(frame.word(16), 6);
}
