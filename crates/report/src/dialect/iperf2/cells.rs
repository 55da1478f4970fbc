//! Figures, as each layout has them.

use super::head::Head;
use super::row::{Bounced, Bursts, OneWay, TcpPath, TcpReceived, TcpSent, UdpReceived, UdpSent};
use super::{Figures, Form, Row};
use crate::dialect::netperf::general;

/// Figures of delay per power of the network beyond these have no meaning.
const LEAST_POWER: f64 = -1e7;

/// Everything behind the times.
pub(super) fn cells(row: &Row, head: Head, form: &Form) -> String {
    let rate = row.per_second(row.bytes as f64);
    let amount = form.unit.amount(row.bytes as f64);
    let start = format!("{amount}s  {}s/sec", form.unit.rate(rate));
    let rest = match (&row.figures, head) {
        (Figures::UdpReceived(received), Head::Plain) => received.sum_cells(),
        (Figures::UdpReceived(received), Head::PlainUdpReceived) => received.plain_cells(),
        (_, Head::Plain | Head::SumOnly) => String::new(),
        (Figures::Bytes, _) => String::new(),
        (Figures::Datagrams(count), _) => format!(" {count}{}", pps(row, *count)),
        (Figures::TcpSent(sent), _) => sent.cells(rate, head),
        (Figures::TcpReceived(received), _) => received.cells(row, rate, head, form),
        (Figures::UdpSent(sent), _) => sent.cells(row),
        (Figures::UdpReceived(received), _) => received.cells(row, rate, head),
        (Figures::Bounced(bounced), _) => bounced.cells(),
    };
    start + &rest
}

impl TcpSent {
    fn cells(&self, rate: f64, head: Head) -> String {
        let Self {
            writes,
            errors,
            retries,
            ..
        } = self;
        let counts = format!("  {writes}/{errors}");
        let Some(path) = &self.path else {
            return format!("{counts}{retries:10}");
        };
        let cwnd = path.cwnd(8);
        let TcpPath {
            rtt_usecs,
            rttvar_usecs,
            ..
        } = path;
        let power = power(rate, f64::from(*rtt_usecs) / 1e6);
        match (head, &self.frames, &self.write_times) {
            (Head::TcpSentFrames, Some(frames), _) => format!(
                "{counts} {retries:8} {cwnd}/{rtt_usecs} us  {:9}/{}/{}        {power}",
                frames.sent, frames.missed, frames.slipped
            ),
            (Head::TcpSentWriteTimes, _, Some(times)) => format!(
                "{counts} {retries:10} {cwnd}/{rtt_usecs} us  {power}  {} ms ({})",
                times.figures(),
                times.count
            ),
            _ if path.cwnd_bytes.is_none() => {
                format!("{counts} {retries:10} {cwnd}/{rtt_usecs} us  {power}")
            }
            _ => format!("{counts} {retries:10} {cwnd}/{rtt_usecs}({rttvar_usecs}) us  {power}"),
        }
    }
}

impl TcpPath {
    /// Whole KBytes in so many columns.
    fn cwnd(&self, width: usize) -> String {
        match self.cwnd_bytes {
            Some(bytes) => format!("{:width$}K", bytes / 1024),
            None => format!("{:>width$}", "NA"),
        }
    }
}

impl TcpReceived {
    fn cells(&self, row: &Row, rate: f64, head: Head, form: &Form) -> String {
        let by_size = self.by_size.map(|reads| reads.to_string()).join(":");
        let reads = format!("{}={by_size}", self.reads);
        match (head, &self.bursts) {
            (
                Head::Burst,
                Some(Bursts::One {
                    transfer_ms,
                    period_ms,
                }),
            ) => {
                let duty = general(100.0 * ratio(*transfer_ms, *period_ms), 2);
                let power = power(rate, transfer_ms / 1e3);
                return format!("  {transfer_ms:6.3} ms ({duty}%)    {reads}  {power}");
            }
            (Head::Burst, Some(Bursts::All(spread))) => {
                return format!("  {} ms  {reads}", spread.figures());
            }
            _ => {}
        }
        let Some(latency) = self.latency.filter(|_| head != Head::TcpReceived) else {
            return format!("  {reads}");
        };
        let seconds = latency.mean_ms / 1e3;
        // Little's law: what is under way is the rate times how long it takes.
        let in_progress = match head {
            Head::TcpReceivedFrames => String::new(),
            _ => form.unit.amount(rate * seconds) + " ",
        };
        let size = row.bytes.checked_div(latency.count).unwrap_or(0);
        format!(
            "  {} ms ({}/{size}) {in_progress}{}  {reads}",
            latency.figures(),
            latency.count,
            power(rate, seconds)
        )
    }
}

impl UdpSent {
    fn cells(&self, row: &Row) -> String {
        let pps = pps(row, self.datagrams);
        let start = format!("  {}/{} {pps}", self.datagrams, self.errors);
        match &self.frames {
            Some(frames) if !row.id.is_sum() => format!(
                "{start}  {:3}/{}/{}",
                frames.sent, frames.missed, frames.slipped
            ),
            _ => start,
        }
    }
}

impl UdpReceived {
    fn share(&self) -> String {
        let percent = 100.0 * ratio(self.lost as f64, self.expected as f64);
        format!("{}/{} ({}%)", self.lost, self.expected, general(percent, 2))
    }

    fn sum_cells(&self) -> String {
        format!("   {}", self.share())
    }

    fn plain_cells(&self) -> String {
        let jitter_ms = self.jitter_ms.unwrap_or(0.0);
        format!("  {jitter_ms:6.3} ms {}", self.share())
    }

    fn cells(&self, row: &Row, rate: f64, head: Head) -> String {
        if matches!(head, Head::UdpSent | Head::SumOnlyUdpReceived) {
            // The figure of a sender's sum is in its place, under a sender's head.
            let pps = pps(row, self.received);
            return format!("  {}/{} {pps}", self.lost, self.expected);
        }
        let start = self.plain_cells();
        let per_second = row.per_second(self.received as f64);
        let Some(latency) = &self.latency else {
            return format!("{start} -/-/-/- ms {per_second:.0} pps");
        };
        let seconds = latency.mean_ms / 1e3;
        let power = power(rate, seconds);
        let start = format!("{start} {} ms {per_second:.0} pps", latency.figures());
        if let (Head::UdpReceivedFrames, Some(frames)) = (head, &self.frames) {
            return format!(
                "{start}  {:3}/{}  {} ms {power}",
                frames.received,
                frames.lost,
                frames.latency.figures()
            );
        }
        let in_progress = per_second * seconds;
        let variance = per_second * (latency.stdev_ms / 1e3).powi(2);
        format!(
            "{start} {}/{in_progress:.0}({variance:.0}) pkts {power}",
            self.received
        )
    }
}

impl Bounced {
    fn cells(&self) -> String {
        let path = self.path.unwrap_or_default();
        format!(
            "    {}={} ms {:4} {}/{} us    {}",
            self.round_trips.count,
            self.round_trips.figures(),
            self.retries,
            path.cwnd(4),
            path.rtt_usecs,
            self.rps()
        )
    }

    pub(super) fn one_way_cells(&self, one_way: &OneWay) -> String {
        format!(
            "OWD Delays (ms) Cnt={} To={} From={} Asymmetry={}    {}",
            one_way.to.count,
            one_way.to.figures(),
            one_way.from.figures(),
            one_way.asymmetry.figures(),
            self.rps()
        )
    }

    /// What one request at a time would reach, not what was asked for in a second.
    fn rps(&self) -> String {
        let rps = ratio(1e3, self.round_trips.mean_ms);
        let digits = if rps < 10.0 { 1 } else { 0 };
        format!("{rps:.digits$} rps")
    }
}

fn pps(row: &Row, count: u64) -> String {
    format!("{:8.0} pps", row.per_second(count as f64))
}

/// Rate per delay, in millionths of bytes per second and second.
fn power(bytes_per_second: f64, delay_seconds: f64) -> String {
    if delay_seconds == 0.0 {
        return "NAN".to_owned();
    }
    let power = bytes_per_second / delay_seconds * 1e-6;
    match power {
        p if p < LEAST_POWER => "OBL".to_owned(),
        p if p > 100.0 => format!("{p:.0}"),
        p if p > 10.0 => format!("{p:.2}"),
        p => format!("{p:.6}"),
    }
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}
