//! The values of selectors.

use units::Bytes;

use crate::dialect::netperf::{Confidence, Cpu, End, Form, Latency, NetperfResult, Unit};

/// netperf's number for what is not known.
const NONE: &str = "-1";

// One end.

pub(super) fn send_buffer_asked(end: &End) -> String {
    bytes(end.send_buffer.asked)
}
pub(super) fn send_buffer_initial(end: &End) -> String {
    bytes(end.send_buffer.initial)
}
pub(super) fn send_buffer_last(end: &End) -> String {
    bytes(end.send_buffer.last)
}
pub(super) fn recv_buffer_asked(end: &End) -> String {
    bytes(end.recv_buffer.asked)
}
pub(super) fn recv_buffer_initial(end: &End) -> String {
    bytes(end.recv_buffer.initial)
}
pub(super) fn recv_buffer_last(end: &End) -> String {
    bytes(end.recv_buffer.last)
}
pub(super) fn send_size(end: &End) -> String {
    bytes(end.send_size)
}
pub(super) fn recv_size(end: &End) -> String {
    bytes(end.recv_size)
}
pub(super) fn send_size_or_zero(end: &End) -> String {
    end.send_size.map_or(0, Bytes::get).to_string()
}
pub(super) fn recv_size_or_zero(end: &End) -> String {
    end.recv_size.map_or(0, Bytes::get).to_string()
}
pub(super) fn cpu_busy(end: &End) -> String {
    percent(end, |cpu| cpu.busy_percent)
}
pub(super) fn cpu_user(end: &End) -> String {
    part(end, |cpu| cpu.user_percent)
}
pub(super) fn cpu_system(end: &End) -> String {
    part(end, |cpu| cpu.system_percent)
}
pub(super) fn cpu_iowait(end: &End) -> String {
    part(end, |cpu| cpu.iowait_percent)
}
pub(super) fn cpu_irq(end: &End) -> String {
    part(end, |cpu| cpu.irq_percent)
}
pub(super) fn cpu_softirq(end: &End) -> String {
    part(end, |cpu| cpu.softirq_percent)
}
pub(super) fn cpu_method(end: &End) -> String {
    end.method().to_string()
}
pub(super) fn cpus(end: &End) -> String {
    end.cpus.to_string()
}
pub(super) fn cpu_peak(end: &End) -> String {
    percent(end, |cpu| cpu.peak_percent)
}
pub(super) fn cpu_peak_id(end: &End) -> String {
    known(end.cpu.map(|cpu| cpu.peak_cpu))
}
/// A server that measured nothing sends zeros.
pub(super) fn cpu_peak_or_zero(end: &End) -> String {
    part(end, |cpu| cpu.peak_percent)
}
pub(super) fn cpu_peak_id_or_zero(end: &End) -> String {
    end.cpu.map_or(0, |cpu| cpu.peak_cpu).to_string()
}
pub(super) fn service_demand(end: &End) -> String {
    thousandths(end.service_demand)
}
pub(super) fn retransmits(end: &End) -> String {
    known(end.retransmits)
}
pub(super) fn bound_cpu(end: &End) -> String {
    known(end.bound_cpu)
}
pub(super) fn host(end: &End) -> String {
    end.host.clone()
}
pub(super) fn port(end: &End) -> String {
    end.port.to_string()
}
pub(super) fn family(end: &End) -> String {
    end.family.to_string()
}
pub(super) fn send_calls(end: &End) -> String {
    end.send_calls.to_string()
}
pub(super) fn recv_calls(end: &End) -> String {
    end.recv_calls.to_string()
}
pub(super) fn bytes_per_send(end: &End) -> String {
    hundredths(end.bytes_per_send())
}
pub(super) fn bytes_per_recv(end: &End) -> String {
    hundredths(end.bytes_per_recv())
}
pub(super) fn bytes_sent(end: &End) -> String {
    end.bytes_sent.to_string()
}
pub(super) fn bytes_received(end: &End) -> String {
    end.bytes_received.to_string()
}
pub(super) fn bytes_both(end: &End) -> String {
    end.bytes_sent
        .saturating_add(end.bytes_received)
        .to_string()
}
pub(super) fn send_offset(end: &End) -> String {
    end.send_offset.to_string()
}
pub(super) fn recv_offset(end: &End) -> String {
    end.recv_offset.to_string()
}
pub(super) fn send_alignment(end: &End) -> String {
    end.send_alignment.to_string()
}
pub(super) fn recv_alignment(end: &End) -> String {
    end.recv_alignment.to_string()
}
pub(super) fn send_width(end: &End) -> String {
    end.send_width().to_string()
}
pub(super) fn recv_width(end: &End) -> String {
    end.recv_width().to_string()
}
pub(super) fn nodelay(end: &End) -> String {
    u8::from(end.nodelay).to_string()
}
pub(super) fn cork(end: &End) -> String {
    u8::from(end.cork).to_string()
}
pub(super) fn interval_usecs(end: &End) -> String {
    end.interval_usecs.to_string()
}
pub(super) fn interval_burst(end: &End) -> String {
    end.interval_burst.to_string()
}
pub(super) fn priority(end: &End) -> String {
    known(end.priority)
}
pub(super) fn tos(end: &End) -> String {
    format!("{:#04x}", end.tos.unwrap_or(u32::MAX))
}
pub(super) fn fill_file(end: &End) -> String {
    end.fill_file.clone().unwrap_or_default()
}

// The test as a whole.

pub(super) fn socket_type(_: &NetperfResult, form: &Form) -> Option<String> {
    Some(form.protocol.socket_type().to_owned())
}
pub(super) fn protocol(_: &NetperfResult, form: &Form) -> Option<String> {
    Some(form.protocol.name().to_owned())
}
pub(super) fn direction(_: &NetperfResult, form: &Form) -> Option<String> {
    Some(form.way.name().to_owned())
}
pub(super) fn elapsed(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(hundredths(result.elapsed_seconds))
}
pub(super) fn throughput(result: &NetperfResult, form: &Form) -> Option<String> {
    Some(hundredths(result.throughput(form.unit)))
}
pub(super) fn throughput_units(_: &NetperfResult, form: &Form) -> Option<String> {
    Some(format!("{}/s", form.unit.name()))
}
pub(super) fn request_size(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(bytes(result.request_size))
}
pub(super) fn response_size(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(bytes(result.response_size))
}
pub(super) fn service_demand_units(_: &NetperfResult, form: &Form) -> Option<String> {
    let unit = match form.unit {
        Unit::Trans => "usec/Tran",
        _ => "usec/KB",
    };
    Some(unit.to_owned())
}
pub(super) fn confidence_level(result: &NetperfResult, _: &Form) -> Option<String> {
    let level = result
        .confidence
        .map_or(0, |confidence| confidence.level_percent);
    Some(level.to_string())
}
pub(super) fn confidence_interval(result: &NetperfResult, _: &Form) -> Option<String> {
    let width = result
        .confidence
        .map_or(-1.0, |confidence| confidence.width_percent);
    Some(format!("{width:.6}"))
}
pub(super) fn iterations(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(result.iterations.to_string())
}
pub(super) fn throughput_width(result: &NetperfResult, _: &Form) -> Option<String> {
    width(result, |confidence| confidence.throughput_percent)
}
pub(super) fn local_cpu_width(result: &NetperfResult, _: &Form) -> Option<String> {
    width(result, |confidence| confidence.local_cpu_percent)
}
pub(super) fn remote_cpu_width(result: &NetperfResult, _: &Form) -> Option<String> {
    width(result, |confidence| confidence.remote_cpu_percent)
}
/// A stream's rate is 1 for netperf.
pub(super) fn transaction_rate(result: &NetperfResult, form: &Form) -> Option<String> {
    let rate = match form.way.counts_transactions() {
        true => result.transactions_per_second,
        false => 1.0,
    };
    Some(format!("{rate:.3}"))
}
pub(super) fn round_trip(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(thousandths(result.round_trip_usecs()))
}
pub(super) fn burst(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(result.burst.to_string())
}
pub(super) fn mss(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(known(result.mss))
}
pub(super) fn local_send_throughput(result: &NetperfResult, form: &Form) -> Option<String> {
    of_last(result, form, result.local.bytes_sent)
}
pub(super) fn local_recv_throughput(result: &NetperfResult, form: &Form) -> Option<String> {
    of_last(result, form, result.local.bytes_received)
}
pub(super) fn remote_send_throughput(result: &NetperfResult, form: &Form) -> Option<String> {
    of_last(result, form, result.remote.bytes_sent)
}
pub(super) fn remote_recv_throughput(result: &NetperfResult, form: &Form) -> Option<String> {
    of_last(result, form, result.remote.bytes_received)
}
pub(super) fn brand(_: &NetperfResult, form: &Form) -> Option<String> {
    form.brand.as_ref().map(|brand| format!("\"{brand}\""))
}
pub(super) fn uuid(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(result.uuid.clone())
}
pub(super) fn min_latency(result: &NetperfResult, _: &Form) -> Option<String> {
    usecs(result, |latency| latency.min_usecs)
}
pub(super) fn max_latency(result: &NetperfResult, _: &Form) -> Option<String> {
    usecs(result, |latency| latency.max_usecs)
}
pub(super) fn p50_latency(result: &NetperfResult, _: &Form) -> Option<String> {
    usecs(result, |latency| latency.p50_usecs)
}
pub(super) fn p90_latency(result: &NetperfResult, _: &Form) -> Option<String> {
    usecs(result, |latency| latency.p90_usecs)
}
pub(super) fn p99_latency(result: &NetperfResult, _: &Form) -> Option<String> {
    usecs(result, |latency| latency.p99_usecs)
}
pub(super) fn mean_latency(result: &NetperfResult, _: &Form) -> Option<String> {
    let mean = result.latency.map_or(-1.0, |latency| latency.mean_usecs);
    Some(hundredths(mean))
}
pub(super) fn stddev_latency(result: &NetperfResult, _: &Form) -> Option<String> {
    let stddev = result.latency.map_or(-1.0, |latency| latency.stddev_usecs);
    Some(hundredths(stddev))
}
pub(super) fn local_congestion(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(congestion(&result.local))
}
pub(super) fn remote_congestion(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(congestion(&result.remote))
}
pub(super) fn command_line(result: &NetperfResult, _: &Form) -> Option<String> {
    Some(format!("\"{}\"", result.command_line))
}

/// netperf leaves it out where the protocol has none.
fn congestion(end: &End) -> String {
    end.congestion.clone().unwrap_or_default()
}

fn of_last(result: &NetperfResult, form: &Form, bytes: u64) -> Option<String> {
    Some(hundredths(result.last_rate(bytes, form.unit)))
}

fn usecs(result: &NetperfResult, of: fn(Latency) -> u64) -> Option<String> {
    Some(known(result.latency.map(of)))
}

fn width(result: &NetperfResult, of: fn(Confidence) -> f64) -> Option<String> {
    Some(thousandths(result.confidence.map(of)))
}

fn percent(end: &End, of: fn(Cpu) -> f64) -> String {
    hundredths(end.cpu.map_or(-1.0, of))
}

/// A part of what is -1 if it was not measured is 0 then.
fn part(end: &End, of: fn(Cpu) -> f64) -> String {
    hundredths(end.cpu.map_or(0.0, of))
}

fn bytes(size: Option<Bytes>) -> String {
    known(size.map(Bytes::get))
}

fn known<T: ToString>(number: Option<T>) -> String {
    number.map_or_else(|| NONE.to_owned(), |number| number.to_string())
}

fn hundredths(number: f64) -> String {
    format!("{number:.2}")
}

fn thousandths(number: Option<f64>) -> String {
    format!("{:.3}", number.unwrap_or(-1.0))
}
