//! Results of tests on loopback, as a real netperf showed them.

use units::Bytes;

use super::{Buffer, Cpu, Form, Layout, NetperfResult, Protocol, Test, Unit, Way};

/// A form in which nothing was asked but the test.
pub(super) fn form(test: Test) -> Form {
    let (way, protocol) = match test {
        Test::TcpMaerts => (Way::Receive, Protocol::Tcp),
        Test::TcpRr => (Way::Both, Protocol::Tcp),
        Test::TcpCrr => (Way::ConnectBoth, Protocol::Tcp),
        Test::TcpCc => (Way::Connect, Protocol::Tcp),
        Test::UdpStream => (Way::Send, Protocol::Udp),
        Test::UdpRr => (Way::Both, Protocol::Udp),
        _ => (Way::Send, Protocol::Tcp),
    };
    Form {
        test,
        way,
        protocol,
        headers: true,
        verbosity: 1,
        unit: match way.counts_transactions() {
            true => Unit::Trans,
            false => Unit::MBits,
        },
        brand: None,
        layout: Layout::Classic,
        local_cpu: false,
        remote_cpu: false,
    }
}

/// A TCP stream of so many 10^6 bits per second.
pub(super) fn stream(seconds: f64, mbits: f64) -> NetperfResult {
    let mut result = NetperfResult {
        elapsed_seconds: seconds,
        last_elapsed_seconds: seconds,
        bytes_per_second: mbits * 1e6 / 8.0,
        iterations: 1,
        ..NetperfResult::default()
    };
    for end in [&mut result.local, &mut result.remote] {
        end.recv_buffer = buffer(131_072);
        end.send_buffer = buffer(16_384);
        (end.send_alignment, end.recv_alignment) = (8, 8);
    }
    result.local.send_size = Some(Bytes::new(16_384));
    result
}

/// Transactions of one byte.
pub(super) fn exchange(seconds: f64, per_second: f64) -> NetperfResult {
    let mut result = stream(seconds, 0.0);
    result.local.send_size = None;
    result.local.send_width = 1;
    NetperfResult {
        transactions_per_second: per_second,
        transactions: (per_second * seconds).round() as u64,
        request_size: Some(Bytes::new(1)),
        response_size: Some(Bytes::new(1)),
        ..result
    }
}

/// What each end counted of UDP_STREAM.
pub(super) fn datagrams(seconds: f64, sent: u64, received: u64) -> NetperfResult {
    const SIZE: u64 = 65_507;
    let mut result = stream(seconds, 0.0);
    for end in [&mut result.local, &mut result.remote] {
        end.recv_buffer = buffer(212_992);
        end.send_buffer = buffer(212_992);
    }
    result.local.send_size = Some(Bytes::new(SIZE));
    result.local.send_calls = sent;
    result.local.bytes_sent = sent * SIZE;
    result.remote.recv_calls = received;
    result.remote.bytes_received = received * SIZE;
    result.bytes_per_second = (received * SIZE) as f64 / seconds;
    result
}

/// Both ends busy to the same part.
pub(super) fn with_cpu(mut result: NetperfResult, busy: f64, demand: f64) -> NetperfResult {
    for end in [&mut result.local, &mut result.remote] {
        end.cpu = Some(cpu(busy));
        end.cpus = 2;
        end.service_demand = Some(demand);
    }
    result
}

pub(super) fn cpu(busy_percent: f64) -> Cpu {
    Cpu {
        method: 'S',
        busy_percent,
        user_percent: 1.79,
        system_percent: 12.51,
        iowait_percent: 0.0,
        irq_percent: 0.0,
        softirq_percent: 17.23,
        peak_cpu: 1,
        peak_percent: 32.94,
    }
}

fn buffer(bytes: u64) -> Buffer {
    let bytes = Some(Bytes::new(bytes));
    Buffer {
        asked: None,
        initial: bytes,
        last: bytes,
    }
}
