use super::*;
use crate::netperf::{Flags, Request, StreamTest, Test, fixture, sample};

fn fixture_request() -> TestRequest {
    match Request::decode(&fixture::omni_request()) {
        Ok(Request::Test { test, .. }) => test,
        other => panic!("{other:?}"),
    }
}

/// A request of `test` that wants the CPUs measured.
fn measuring(test: Test) -> TestRequest {
    let mut request = TestRequest::new(test);
    match &mut request {
        TestRequest::Omni(omni) => omni.flags = Flags::MEASURE_CPU,
        TestRequest::Stream(_, stream) => stream.measure_cpu = true,
        TestRequest::Maerts(maerts) => maerts.measure_cpu = true,
        TestRequest::Exchange(_, exchange) => exchange.measure_cpu = true,
        TestRequest::UdpStream(udp) => udp.measure_cpu = true,
    }
    request
}

#[test]
fn real_results_and_back() {
    let (request, mut frame) = (fixture_request(), fixture::omni_results());
    assert_eq!(Tally::decode(&frame, &request), Ok(sample::tally()));
    // Type and service demand are stale words of the real server's.
    frame.set_word(0, 99);
    frame.set_word(19, 0);
    assert_eq!(sample::tally().encode(&request), frame);
}

/// What of [`sample::tally`] gets through the layout of `test`.
fn told(test: Test) -> Tally {
    let all = sample::tally();
    let none = Tally {
        elapsed: all.elapsed,
        cpu: all.cpu.map(|cpu| CpuUse {
            method: cpu.method,
            busy_percent: cpu.busy_percent,
            ..CpuUse::default()
        }),
        cpus: all.cpus,
        ..Tally::default()
    };
    match test {
        Test::Omni => all,
        Test::Stream(_) => Tally {
            bytes_received: all.bytes_received,
            recv_calls: all.recv_calls,
            recv_buffer: all.recv_buffer,
            send_buffer: all.send_buffer,
            ..none
        },
        Test::Maerts => Tally {
            bytes_sent: all.bytes_sent,
            send_calls: all.send_calls,
            ..none
        },
        Test::Exchange(_) => Tally {
            bytes_received: all.bytes_received,
            recv_calls: all.recv_calls,
            transactions: all.transactions,
            ..none
        },
        Test::UdpStream => Tally {
            bytes_received: all.bytes_received,
            recv_calls: all.recv_calls,
            ..none
        },
    }
}

#[test]
fn every_layout_tells_what_it_has_fields_for() {
    for test in Test::ALL {
        let request = measuring(test);
        let frame = sample::tally().encode(&request);
        assert_eq!(frame.kind(), test.results());
        assert_eq!(frame.errno(), 0);
        assert_eq!(Tally::decode(&frame, &request), Ok(told(test)), "{test:?}");
    }
}

#[test]
fn cpus_that_nobody_wanted_measured_have_no_figures() {
    for test in Test::ALL {
        let wanted = measuring(test);
        let frame = sample::tally().encode(&wanted);
        let unwanted = TestRequest::new(test);
        assert_eq!(Tally::decode(&frame, &unwanted).unwrap().cpu, None);
        // Wanted, but the server could not.
        let tally = Tally {
            cpu: None,
            ..sample::tally()
        };
        let frame = tally.encode(&wanted);
        assert_eq!(Tally::decode(&frame, &wanted).unwrap().cpu, None);
    }
}

/// Real clients show the words of unmeasured CPUs as they are.
#[test]
fn no_word_of_unmeasured_cpus_is_anything_but_a_number() {
    let tally = Tally {
        cpu: None,
        ..sample::tally()
    };
    let frame = tally.encode(&TestRequest::Omni(Box::default()));
    for at in (12..20).chain([23]) {
        assert!(f32::from_bits(frame.word(at)).is_finite(), "word {at}");
    }
}

#[test]
fn counts_start_again_after_32_bits_but_bytes_do_not() {
    let tally = Tally {
        recv_calls: (1 << 32) + 3,
        bytes_received: Bytes::new((1 << 40) + 5),
        ..sample::tally()
    };
    let through = |test| {
        let request = TestRequest::new(test);
        Tally::decode(&tally.encode(&request), &request).unwrap()
    };
    for test in [Test::Omni, Test::Stream(StreamTest::Tcp)] {
        assert_eq!(through(test).recv_calls, 3);
        assert_eq!(through(test).bytes_received, tally.bytes_received);
    }
    assert_eq!(through(Test::UdpStream).bytes_received, Bytes::new(5));
}

#[test]
fn absurd_times_saturate() {
    let request = TestRequest::new(Test::Omni);
    for (seconds, nanos) in [(-1.0_f32, 0), (1e30, u64::MAX), (0.5, 500_000_000)] {
        let mut frame = sample::tally().encode(&request);
        frame.set_word(12, seconds.to_bits());
        let tally = Tally::decode(&frame, &request).unwrap();
        assert_eq!(tally.elapsed, Nanos::new(nanos));
    }
}
