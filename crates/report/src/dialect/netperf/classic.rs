//! Each test's own table.

mod datagrams;
mod exchange;
mod segment;
mod stream;

use super::{End, Form, NetperfResult, Test, Unit};

/// The table, or with `-v 0` its one figure. Above `-v 2` only the details are left of it.
pub(super) fn classic(result: &NetperfResult, form: &Form) -> String {
    // These never iterate, and netperf does not warn of it.
    let iterates = !matches!(form.test, Test::TcpCc | Test::TcpMss);
    let warning = result
        .confidence
        .filter(|_| iterates)
        .map(|confidence| confidence.warning())
        .unwrap_or_default();
    let figures = match (form.test, form.verbosity) {
        (Test::TcpMss, _) => segment::segment(result, form),
        (test, 0) => lone(test, result, form),
        (Test::UdpStream, 1 | 2) => datagrams::datagrams(result, form),
        (
            Test::TcpRr
            | Test::UdpRr
            | Test::TcpCrr
            | Test::TcpCc
            | Test::SctpRr
            | Test::SctpRrMany,
            _,
        ) => exchange::exchange(result, form),
        (Test::UdpStream, _) => String::new(),
        _ => stream::stream(result, form),
    };
    warning + &figures
}

/// The rate; where CPU use is measured, what a unit of work costs instead.
fn lone(test: Test, result: &NetperfResult, form: &Form) -> String {
    let tail = form.tail();
    let costly = if form.local_cpu {
        &result.local
    } else {
        &result.remote
    };
    let demand = cost(costly.service_demand);
    match (test, form.any_cpu()) {
        (Test::UdpStream, false) => {
            let sent = result.last_rate(result.local.bytes_sent, form.unit);
            format!("{sent:7.2}\n")
        }
        (Test::UdpStream, true) => {
            let demand = cost(result.local.service_demand);
            format!("{demand:6.2} {}\n", result.local.method())
        }
        (Test::TcpCrr | Test::TcpCc, false) => {
            format!("{:7.2}\n", result.throughput(form.rate_unit()))
        }
        (Test::TcpCrr | Test::TcpCc, true) => format!("{demand:6.3}\n"),
        (_, false) => format!("{:7.2} {tail}\n", result.throughput(form.unit)),
        (_, true) => format!("{demand:6.3} {} {tail}\n", costly.method()),
    }
}

/// Percent of CPU, -1 if it was not measured.
fn busy(end: &End) -> f64 {
    end.cpu.map_or(-1.0, |cpu| cpu.busy_percent)
}

/// Microseconds for a unit of work, -1 if it was not measured.
fn cost(demand: Option<f64>) -> f64 {
    demand.unwrap_or(-1.0)
}

/// A size in bytes, -1 if nobody knows it.
fn bytes(size: Option<units::Bytes>) -> i64 {
    size.map_or(-1, |size| i64::try_from(size.get()).unwrap_or(i64::MAX))
}

/// `10^6bits`: the unit in a column of eight.
fn eight(unit: Unit) -> String {
    format!("{:<8}", unit.name())
}
