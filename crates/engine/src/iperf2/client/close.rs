//! From the last byte to the server's close.

use proto::iperf2::Mode;
use sys::{Readiness, Wait, clock};
use units::Nanos;

use super::order::Length;
use super::{Client, ClientError, FIRST_LINE};
use crate::iperf2::event::{Event, Tell};

/// How long the server's close is waited for at least.
const PATIENCE: Nanos = Nanos::from_secs(2);
/// First and longest distance of looks at what is acknowledged.
const FIRST_LOOK: Nanos = Nanos::new(500_000);
const LAST_LOOK: Nanos = Nanos::from_millis(100);
/// What TCP counts as acknowledged beside payload: the SYN.
const SYN: u64 = 1;

impl Client {
    /// Waits until the server has everything and has closed, then gives the last figures. A
    /// flow ends for us when all of it is acknowledged: when the server closes is its own affair.
    pub(super) fn close(&mut self, tell: Tell<'_>) -> Result<(), ClientError> {
        self.wait_for_close(tell)?;
        for ended in self.squad.finish() {
            // A flow that we ended because the server did not is no news.
            if let Some(sentence) = ended.broken {
                self.failures.push(sentence);
            }
        }
        let lines = std::mem::take(&mut self.lines);
        for line in &lines {
            let at = line.drained.filter(|_| !self.order.ignores_shutdown);
            if let (Some(meter), Some(at)) = (&line.sends, at) {
                meter.tally.set_sent_all(at);
            }
            let now = clock::now();
            self.judge(line);
            self.roll.end(line.flow, now, tell);
            let report = line.sends.as_ref().and_then(|meter| meter.report.get());
            self.judge_datagrams(line);
            if let Some((report, asked)) = report {
                tell(Event::ServerReport {
                    flow: line.flow,
                    report: *report,
                    asked: *asked,
                });
            }
            tell(Event::Ended {
                flow: line.flow,
                reason: None,
            });
        }
        Ok(())
    }

    fn wait_for_close(&mut self, tell: Tell<'_>) -> Result<(), ClientError> {
        let sends = |mode| matches!(mode, Mode::Forward | Mode::Dual | Mode::Tradeoff);
        for (at, line) in self.lines.iter_mut().enumerate() {
            line.closed = !self.order.is_tcp || !sends(line.mode);
            if !line.closed {
                let key = FIRST_LINE + at as u64;
                self.epoll
                    .add(&*line.socket, key, Readiness::READ)
                    .map_err(|error| ClientError::System {
                        doing: "waiting for the server's close",
                        error,
                    })?;
            }
        }
        let patience = match self.order.length {
            Length::Time(time) => time.max(PATIENCE),
            Length::Bytes(_) | Length::ForEver => PATIENCE,
        };
        let deadline = clock::now() + patience;
        let mut look = FIRST_LOOK;
        loop {
            let now = clock::now();
            self.look(now);
            self.roll.turn(now, tell);
            self.hear_back(tell);
            if self.lines.iter().all(|line| line.closed) || now >= deadline {
                return Ok(());
            }
            let drained = self
                .lines
                .iter()
                .all(|line| line.closed || line.drained.is_some());
            let next = if drained {
                deadline
            } else {
                (now + look).min(deadline)
            };
            look = Nanos::new(look.get() * 2).min(LAST_LOOK);
            let next = self.roll.next().map_or(next, |edge| edge.min(next));
            for key in self.turn(Some(next))? {
                self.hear_close((key - FIRST_LINE) as usize);
            }
            if self.interrupted {
                // The user has waited for as long as he likes, but not for nothing.
                self.look(clock::now());
            }
        }
    }

    /// Notes which flows are acknowledged.
    fn look(&mut self, now: Nanos) {
        for line in &mut self.lines {
            if line.closed || line.drained.is_some() {
                continue;
            }
            let sent = line
                .sends
                .as_ref()
                .map(|meter| meter.tally.counters(false).written_bytes);
            // An acknowledgement of our FIN alone may be delayed.
            let acked = sys::tcp_info(&*line.socket).ok();
            let acked = acked.and_then(|info| info.tcpi_bytes_acked);
            if acked
                .zip(sent)
                .is_some_and(|(acked, sent)| acked >= sent + SYN)
            {
                line.drained = Some(now);
            }
        }
    }

    /// Reads what the server still says, which is an ack or nothing.
    fn hear_close(&mut self, at: usize) {
        let Some(line) = self.lines.get_mut(at) else {
            return;
        };
        let mut rest = [0; 4096];
        loop {
            match sys::recv(&*line.socket, &mut rest, Wait::Never) {
                Ok(n) if n > 0 => (),
                Err(error) if crate::flow::would_block(&error) => return,
                _ => {
                    let _ = self.epoll.remove(&*line.socket);
                    line.closed = true;
                    line.drained.get_or_insert(clock::now());
                    return;
                }
            }
        }
    }

    /// A port that is closed, or a path that is none, shows only in datagrams that are refused.
    fn judge_datagrams(&mut self, line: &super::line::Line) {
        /// A server that ends first refuses the last ones of a flow that asks for no report.
        const AT_FIRST: u64 = 10;
        let meter = line.sends.as_ref().filter(|_| !self.order.is_tcp);
        let Some((meter, (refusal, taken))) =
            meter.and_then(|meter| Some((meter, meter.refusal()?)))
        else {
            return;
        };
        let is_lost = match meter.report.get() {
            Some((report, _)) => report.is_none(),
            None => taken < AT_FIRST,
        };
        if is_lost {
            self.failures.push(format!(
                "sending datagrams to {}: {refusal}; is a server running there (iperf -s -u)?",
                line.peer
            ));
        }
    }

    /// Notes what is wrong with a flow that ended.
    fn judge(&mut self, line: &super::line::Line) {
        let Some(meter) = &line.receives else {
            return;
        };
        let bytes = meter.tally.counters(false).received_bytes;
        // An old server takes no notice of a reverse test, but acknowledges it.
        let only_ack = self.order.is_tcp && bytes == 28;
        if bytes == 0 || only_ack {
            self.failures.push(format!(
                "{}: the server sent nothing: it is too old for this test, or refuses it",
                line.peer
            ));
        }
    }
}
