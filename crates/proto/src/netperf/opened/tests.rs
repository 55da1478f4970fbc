use super::*;
use crate::netperf::{ExchangeTest, OmniRequest, Request, StreamTest, Test, fixture, sample};

fn fixture_request() -> TestRequest {
    match Request::decode(&fixture::omni_request()) {
        Ok(Request::Test { test, .. }) => test,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_real_omni_response_and_back() {
    let (request, frame) = (fixture_request(), fixture::omni_response());
    assert_eq!(Opened::decode(&frame, &request), Ok(sample::opened()));
    assert_eq!(sample::opened().encode(&request), frame);
}

#[test]
fn a_real_classic_response_and_back() {
    let request = TestRequest::new(Test::Stream(StreamTest::Tcp));
    let opened = Opened {
        port: 45815,
        recv_buffer: Some(Bytes::new(131_072)),
        recv_size: Some(Bytes::new(131_072)),
        send_buffer: Some(Bytes::new(16384)),
        ..Opened::default()
    };
    let frame = fixture::sendfile_response();
    assert_eq!(Opened::decode(&frame, &request), Ok(opened.clone()));
    assert_eq!(opened.encode(&request), frame);
}

/// What of [`sample::opened`] gets through the layout of `test`.
fn told(test: Test) -> Opened {
    let all = sample::opened();
    let classic = Opened {
        recv_size: None,
        send_size: None,
        recv_width: 0,
        send_width: 0,
        ..all.clone()
    };
    match test {
        Test::Omni => all,
        Test::Stream(_) => Opened {
            recv_size: all.recv_size,
            ..classic
        },
        Test::Maerts => Opened {
            send_size: all.send_size,
            ..classic
        },
        Test::Exchange(_) => classic,
        Test::UdpStream => Opened {
            nodelay: false,
            ..classic
        },
    }
}

#[test]
fn every_layout_tells_what_it_has_fields_for() {
    for test in Test::ALL {
        let request = TestRequest::new(test);
        let frame = sample::opened().encode(&request);
        assert_eq!(frame.kind(), test.response());
        assert_eq!(frame.errno(), 0);
        assert_eq!(Opened::decode(&frame, &request), Ok(told(test)), "{test:?}");
    }
}

#[test]
fn no_port_is_no_response() {
    for (test, sentence) in [
        (Test::Omni, "data_port (word 13) is 0: "),
        (Test::Stream(StreamTest::Tcp), "data_port (word 8) is 0: "),
        (Test::Maerts, "data_port (word 8) is 0: "),
        (
            Test::Exchange(ExchangeTest::TcpCc),
            "data_port (word 7) is 0: ",
        ),
        (Test::UdpStream, "data_port (word 6) is 0: "),
    ] {
        let request = TestRequest::new(test);
        let mut opened = sample::opened();
        opened.port = 0;
        let error = Opened::decode(&opened.encode(&request), &request).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with(sentence), "{text}");
        // The word is the one that makes the difference.
        let mut frame = opened.encode(&request);
        frame.set_word(error.word, 7777);
        assert_eq!(Opened::decode(&frame, &request).unwrap().port, 7777);
    }
}

#[test]
fn sizes_that_do_not_matter_are_echoed() {
    let request = TestRequest::Omni(Box::new(OmniRequest {
        send_size: Some(Bytes::new(1000)),
        recv_avoidance: 1,
        send_avoidance: 1,
        ..OmniRequest::default()
    }));
    let opened = Opened {
        send_size: None,
        ..sample::opened()
    };
    let frame = opened.encode(&request);
    assert_eq!([6, 11, 12].map(|at| frame.word(at)), [1000, 1, 1]);
}

#[test]
fn a_rate_that_the_user_gave_comes_back_if_the_cpus_are_measured() {
    let mut request = OmniRequest {
        cpu_rate: 250.0,
        ..OmniRequest::default()
    };
    let rate = |request: &OmniRequest, opened: &Opened| {
        let request = TestRequest::Omni(Box::new(request.clone()));
        Opened::decode(&opened.encode(&request), &request)
            .unwrap()
            .cpu_rate
    };
    let mut opened = sample::opened();
    assert_eq!(rate(&request, &opened), Some(250.0));
    request.cpu_rate = 0.0;
    assert_eq!(rate(&request, &opened), Some(100.0));
    request.cpu_rate = 250.0;
    opened.cpu_rate = None;
    assert_eq!(rate(&request, &opened), None);
}

#[test]
fn a_pace_comes_back() {
    let request = TestRequest::new(Test::Omni);
    let opened = Opened {
        pace: Some(Pace {
            burst: 5,
            interval: Nanos::from_millis(10),
        }),
        priority: Mark::Set(6),
        tos: Mark::Failed,
        ..sample::opened()
    };
    let frame = opened.encode(&request);
    assert_eq!([14, 15].map(|at| frame.word(at)), [5, 10_000]);
    assert_eq!(Opened::decode(&frame, &request), Ok(opened));
}
