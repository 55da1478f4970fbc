//! One iteration: from the question for a test to its figures.

use std::io;
use std::sync::Arc;

use proto::netperf::Length;
use record::Buckets;
use sys::{Options, clock, thread};
use units::{Bytes, Nanos};

use super::data::{self, Dialer, Sizes};
use super::line::Line;
use super::look::{Look, asks};
use super::{Client, ClientError, Job, News, Outcome, Progress};
use crate::buffer::Placement;
use crate::flow::Timings;
use crate::netperf::Cpu;
use crate::squad::{Squad, Watch};

/// How long many flows have from the announcement of their start to the start.
const LEAD: Nanos = Nanos::from_millis(5);

impl Client {
    /// Runs the test once on every control connection. `tell` hears what happens meanwhile.
    ///
    /// # Errors
    /// When the system refuses threads or events, or the user ends it before it begins. What
    /// befalls one flow is that flow's error.
    pub fn run(&mut self, job: &Job, tell: &mut dyn FnMut(News)) -> Result<Outcome, ClientError> {
        let job = Arc::new(job.clone());
        self.pause(job.delay)?;
        let mut lines = self.ask(&job)?;
        self.open(&job, &mut lines)?;
        if job.only_connects {
            return Ok(self.conclude(&job, lines, Nanos::ZERO, None, Buckets::default()));
        }
        let first = lines.first().map(|line| line.flow.first_buffers);
        let sizes = data::sizes(&job, first.unwrap_or_default());
        let mut squad = Squad::that_stays(self.wake.clone());
        let cpu = job.measures_cpu.then(Cpu::start);
        let start = clock::now() + if lines.len() > 1 { LEAD } else { Nanos::ZERO };
        let timings = self
            .start(&mut squad, &job, sizes, &mut lines, start)
            .map_err(|error| ClientError::data("starting the flows", error))?;
        let workers = timings.len() as u32;
        let mut look = Look::new(&job, timings);
        tell(News::Start);
        let stop = self.last(&job, &squad, &lines, &mut look, start, tell)?;
        let cpu = cpu.map(|cpu| cpu.stop(stop - start, Nanos::ZERO));
        let mark = look.whole(&lines);
        squad.stop();
        for (line, mark) in lines.iter_mut().zip(&mark.flows) {
            line.mark(mark);
        }
        tell(News::Edge {
            at: stop - start,
            load: Box::new(look.edge(&mark)),
        });
        tell(News::Through);
        self.end(&job, &mut squad, &mut lines, start, stop)?;
        let response = look.whole(&lines).response;
        let mut outcome = self.conclude(&job, lines, stop - start, cpu, response);
        outcome.workers = workers;
        let mut broken = squad.finish().into_iter().filter_map(|ended| ended.broken);
        if let Some(sentence) = broken.next()
            && let Some(flow) = outcome.flows.iter_mut().find(|flow| flow.error.is_none())
        {
            flow.error = Some(ClientError::Broken(sentence));
        }
        Ok(outcome)
    }

    /// Waits, but not for a user who wants to end.
    fn pause(&mut self, delay: Nanos) -> Result<(), ClientError> {
        let until = clock::now() + delay;
        while clock::now() < until {
            self.turn(Some(until))?;
            if self.interrupted {
                return Err(ClientError::Interrupted);
            }
        }
        Ok(())
    }

    pub(super) fn turn(&mut self, until: Option<Nanos>) -> Result<(), ClientError> {
        self.pump(until)
            .map_err(|error| ClientError::data("waiting for events", error))
    }

    /// Puts the flows on threads: one for each CPU, and no more than flows.
    fn start(
        &mut self,
        squad: &mut Squad,
        job: &Arc<Job>,
        sizes: Sizes,
        lines: &mut [Line],
        start: Nanos,
    ) -> io::Result<Vec<Timings>> {
        let cpus = match job.cpu {
            Some(_) => 1,
            None => thread::allowed_cpus().len().max(1),
        };
        let going: Vec<usize> = (0..lines.len())
            .filter(|at| self.goes(&lines[*at]))
            .collect();
        let threads = cpus.min(going.len());
        let file = data::file(job, sizes.send)?;
        let (payload, period) = data::filled(job, sizes.send)?;
        let place = |(alignment, offset): (u16, u16)| Placement { alignment, offset };
        let mut all = Vec::new();
        for number in 0..threads {
            let timings = Timings::default();
            let mut flows = Vec::new();
            for at in going.iter().skip(number).step_by(threads) {
                let line = &mut lines[*at];
                let Some(peer) = self.data_address(job, line) else {
                    continue;
                };
                line.flow.send_size = size(sizes.send);
                line.flow.recv_size = size(sizes.recv);
                flows.push(data::member(
                    job,
                    sizes,
                    period,
                    data::Place {
                        socket: line.handle.socket.as_ref(),
                        tally: line.handle.tally.clone(),
                        start,
                    },
                    Dialer::new(job.clone(), peer),
                    &timings,
                    file.as_ref(),
                ));
            }
            let watch = Watch {
                name: format!("netperf-{number}"),
                flows,
                payload: payload.clone(),
                sink: sizes.room().max(4096),
                cpu: job.cpu.and_then(|cpu| u16::try_from(cpu).ok()),
                start,
            };
            squad.start_placed(watch, (place(job.places.0), place(job.places.1)))?;
            all.push(timings);
        }
        Ok(all)
    }

    /// The test's time. Gives when it ended.
    fn last(
        &mut self,
        job: &Job,
        squad: &Squad,
        lines: &[Line],
        look: &mut Look,
        start: Nanos,
        tell: &mut dyn FnMut(News),
    ) -> Result<Nanos, ClientError> {
        let end = match job.length {
            Length::Seconds(seconds) => Some(start + Nanos::from_secs(seconds.into())),
            Length::Unlimited | Length::Count(_) => None,
        };
        let mut told = (start, record::Counters::default());
        let mut interim = job.interim.map(|every| Beat::from(start, every));
        let mut edge = Beat::from(start, job.interval);
        loop {
            let now = clock::now();
            if interim.as_mut().is_some_and(|beat| beat.is_due(now)) {
                let counters = sum(lines);
                tell(News::Progress(Progress {
                    counters: counters - told.1,
                    time: now - told.0,
                }));
                told = (now, counters);
            }
            let broken = !lines.iter().any(|line| self.goes(line));
            if end.is_some_and(|end| end <= now) || self.interrupted || broken || squad.left() == 0
            {
                // A test that ended by itself ended with its last flow.
                let last = lines
                    .iter()
                    .filter_map(|line| {
                        line.handle
                            .tally
                            .sent_all()
                            .max(line.handle.tally.received_all())
                    })
                    .max();
                let by_itself = squad.left() == 0 && end.is_none_or(|end| now < end);
                return Ok(last.filter(|_| by_itself).unwrap_or(now).max(start));
            }
            if edge.is_due(now) {
                let mark = look.light(lines);
                tell(News::Edge {
                    at: mark.at - start,
                    load: Box::new(look.edge(&mark)),
                });
            }
            let due = [end, interim.map(|beat| beat.next), Some(edge.next)];
            self.turn(due.into_iter().flatten().min())?;
        }
    }

    fn conclude(
        &mut self,
        job: &Job,
        lines: Vec<Line>,
        window: Nanos,
        cpu: Option<proto::netperf::CpuUse>,
        response: Buckets,
    ) -> Outcome {
        let asks = asks(job);
        let flows = lines.into_iter().enumerate().map(|(at, line)| {
            let error = self.error_of(&line);
            let number = if line.seat == 0 { at } else { 0 };
            let mut flow = line.flow;
            flow.results = self.seats[line.seat].results.get(number).cloned();
            flow.opened = line.opened;
            flow.error = error;
            flow.counters = line.handle.tally.counters(asks);
            flow.unanswered = line.handle.tally.unanswered();
            if let Some(socket) = &line.handle.socket {
                let options = Options::of(&**socket);
                flow.last_buffers = (options.sndbuf().ok(), options.rcvbuf().ok());
                flow.tcp_info = sys::tcp_info(&**socket).ok();
                flow.mss = options.mss().ok();
                flow.congestion = options.congestion_control().ok();
                flow.local = sys::local_address(&**socket).ok();
            }
            flow
        });
        Outcome {
            flows: flows.collect(),
            window,
            cpu,
            response,
            interrupted: self.interrupted,
            workers: 0,
        }
    }
}

/// Instants at equal distances.
#[derive(Debug, Clone, Copy)]
struct Beat {
    next: Nanos,
    every: Nanos,
}

impl Beat {
    fn from(start: Nanos, every: Nanos) -> Self {
        let every = every.max(Nanos::new(1));
        Self {
            next: start + every,
            every,
        }
    }

    /// Whether an instant has come; those that were missed are passed over.
    fn is_due(&mut self, now: Nanos) -> bool {
        let due = self.next <= now;
        if due {
            let missed = (now - self.next).get() / self.every.get();
            self.next = self.next + Nanos::new(self.every.get() * (missed + 1));
        }
        due
    }
}

fn sum(lines: &[Line]) -> record::Counters {
    let counters = lines.iter().map(|line| line.handle.tally.counters(true));
    counters.fold(record::Counters::default(), |sum, one| sum + one)
}

fn size(bytes: usize) -> Option<Bytes> {
    (bytes > 0).then(|| Bytes::new(bytes as u64))
}
