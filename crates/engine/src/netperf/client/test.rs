//! One iteration: from the question for a test to its figures.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use proto::netperf::{Length, TestRequest, Transport, Work};
use record::Buckets;
use sys::{Options, Readiness, clock, thread};
use units::{Bytes, Nanos};

use super::data::{self, Dialer, Sizes};
use super::line::Line;
use super::{CONNECT, Client, ClientError, Job, Outcome, Progress, key};
use crate::flow::Timings;
use crate::netperf::Cpu;
use crate::netperf::payload::payload;
use crate::squad::{Squad, Watch};

/// How long many flows have from the announcement of their start to the start.
const LEAD: Nanos = Nanos::from_millis(5);

impl Client {
    /// Runs the test once on every control connection. `tell` hears what happens meanwhile.
    ///
    /// # Errors
    /// When the system refuses threads or events, or the user ends it before it begins. What
    /// befalls one flow is that flow's error.
    pub fn run(
        &mut self,
        job: &Job,
        tell: &mut dyn FnMut(Progress),
    ) -> Result<Outcome, ClientError> {
        let job = Arc::new(job.clone());
        self.pause(job.delay)?;
        let mut lines = self.ask(&job)?;
        self.open(&job, &mut lines)?;
        if job.only_connects {
            return Ok(self.conclude(&job, lines, Nanos::ZERO, None, Buckets::default()));
        }
        let first = lines.first().map(|line| line.flow.first_buffers);
        let sizes = data::sizes(&job, first.unwrap_or_default());
        let mut squad = Squad::new(self.wake.clone());
        let cpu = job.measures_cpu.then(Cpu::start);
        let start = clock::now() + if lines.len() > 1 { LEAD } else { Nanos::ZERO };
        let timings = self
            .start(&mut squad, &job, sizes, &mut lines, start)
            .map_err(|error| ClientError::data("starting the flows", error))?;
        let stop = self.last(&job, &squad, &lines, start, tell)?;
        let cpu = cpu.map(|cpu| cpu.stop(stop - start, Nanos::ZERO));
        lines.iter_mut().for_each(Line::mark);
        squad.stop();
        self.end(&job, &mut squad, &mut lines, start, stop)?;
        let mut response = Buckets::default();
        for timings in timings {
            response = response.with(&timings.response.read());
        }
        let mut outcome = self.conclude(&job, lines, stop - start, cpu, response);
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

    /// Every server opens its data socket.
    fn ask(&mut self, job: &Arc<Job>) -> Result<Vec<Line>, ClientError> {
        let mut lines: Vec<Line> = self.seats.iter().map(|_| Line::default()).collect();
        for (seat, line) in self.seats.iter_mut().zip(&mut lines) {
            let mut request = job.request.clone();
            // A server that sends datagrams by itself must know where to.
            let receives = matches!(job.work, Work::Receive { .. });
            if job.transport == Transport::Udp
                && receives
                && let (Some(peer), TestRequest::Omni(asked)) = (seat.peer, &mut request)
            {
                match line.listen(job, peer) {
                    Ok(port) => asked.client_port = port,
                    Err(error) => {
                        seat.error = Some(ClientError::data("opening the data socket", error));
                    }
                }
                if let Some(local) = job.local_address.or(seat.local_ip()) {
                    asked.client_address = local.into();
                }
            }
            seat.ask(job.server_cpu, request);
        }
        while self.seats.iter().any(super::Seat::waits_for_opening) {
            self.turn(None)?;
            if self.interrupted {
                return Err(ClientError::Interrupted);
            }
        }
        Ok(lines)
    }

    /// Every flow gets its data socket, connected if the test has one connection.
    fn open(&mut self, job: &Arc<Job>, lines: &mut [Line]) -> Result<(), ClientError> {
        let reconnects = matches!(
            job.work,
            Work::Connect
                | Work::Exchange {
                    reconnects: true,
                    ..
                }
        );
        for (at, line) in lines.iter_mut().enumerate() {
            let Some(peer) = self.data_address(job, at).filter(|_| line.socket.is_none()) else {
                continue;
            };
            if let Err(error) = line.open(job, peer, !reconnects) {
                let doing = format!("opening the data socket to {peer}");
                self.seats[at].error = Some(ClientError::data(&doing, error));
            }
        }
        if reconnects {
            return Ok(());
        }
        if job.transport == Transport::Tcp {
            self.connect_data(lines)?;
        }
        for line in lines {
            let info = line
                .socket
                .as_ref()
                .and_then(|socket| sys::tcp_info(&**socket).ok());
            line.acked_before = info
                .and_then(|info| info.tcpi_bytes_acked)
                .unwrap_or(0)
                .max(1);
        }
        Ok(())
    }

    fn connect_data(&mut self, lines: &mut [Line]) -> Result<(), ClientError> {
        let deadline = clock::now() + CONNECT;
        let mut left = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let Some(socket) = &line.socket else {
                continue;
            };
            self.seats[at].data_ready = Readiness::default();
            self.epoll
                .add(&**socket, key(at) + 1, Readiness::WRITE)
                .map_err(|error| ClientError::data("waiting for data connections", error))?;
            left.push(at);
        }
        while !left.is_empty() {
            self.turn(Some(deadline))?;
            let late = clock::now() >= deadline;
            if self.interrupted {
                return Err(ClientError::Interrupted);
            }
            left.retain(|at| {
                let (seat, line) = (&mut self.seats[*at], &mut lines[*at]);
                let Some(socket) = line.socket.clone() else {
                    return false;
                };
                if seat.data_ready == Readiness::default() && !late {
                    return true;
                }
                seat.data_ready = Readiness::default();
                let _ = self.epoll.remove(&*socket);
                let answer = if late {
                    Err(io::ErrorKind::TimedOut.into())
                } else {
                    sys::take_error(&*socket)
                };
                if let Err(error) = answer {
                    line.socket = None;
                    seat.error
                        .get_or_insert(ClientError::data("connecting the data socket", error));
                }
                false
            });
        }
        Ok(())
    }

    /// Where flow `at` sends its data; none if it has no server.
    fn data_address(&self, job: &Job, at: usize) -> Option<SocketAddr> {
        let seat = &self.seats[at];
        if seat.error.is_some() {
            return None;
        }
        let port = match &seat.opened {
            Some(opened) => opened.port,
            None => job.data_port,
        };
        let ip = job.data.or(seat.peer.map(|peer| peer.ip()))?;
        let scope = seat.peer.filter(|peer| peer.ip() == ip);
        Some(match scope {
            Some(mut peer) => {
                peer.set_port(port);
                peer
            }
            None => SocketAddr::new(ip, port),
        })
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
            .filter(|at| self.seats[*at].error.is_none())
            .collect();
        let threads = cpus.min(going.len());
        let file = data::file(job, sizes.send)?;
        let mut all = Vec::new();
        for number in 0..threads {
            let timings = Timings::default();
            let mut flows = Vec::new();
            for at in going.iter().skip(number).step_by(threads) {
                let line = &mut lines[*at];
                let Some(peer) = self.data_address(job, *at) else {
                    continue;
                };
                line.flow.send_size = size(sizes.send);
                line.flow.recv_size = size(sizes.recv);
                flows.push(data::member(
                    job,
                    sizes,
                    line.socket.as_ref(),
                    Dialer::new(job.clone(), peer),
                    line.counts.clone(),
                    &timings,
                    file.as_ref(),
                ));
            }
            squad.start(Watch {
                name: format!("netperf-{number}"),
                flows,
                payload: payload(sizes.send),
                sink: sizes.recv.max(4096),
                cpu: job.cpu.and_then(|cpu| u16::try_from(cpu).ok()),
                start,
            })?;
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
        start: Nanos,
        tell: &mut dyn FnMut(Progress),
    ) -> Result<Nanos, ClientError> {
        let end = match job.length {
            Length::Seconds(seconds) => Some(start + Nanos::from_secs(seconds.into())),
            Length::Unlimited | Length::Count(_) => None,
        };
        let mut told = (start, record::Counters::default());
        let mut next = job.interim.map(|interval| start + interval);
        loop {
            let now = clock::now();
            if let (Some(at), Some(interval)) = (next, job.interim)
                && at <= now
            {
                let counters = sum(lines);
                tell(Progress {
                    counters: counters - told.1,
                    time: now - told.0,
                });
                told = (now, counters);
                let missed = (now - at).get() / interval.get().max(1);
                next = Some(at + Nanos::new(interval.get().max(1) * (missed + 1)));
            }
            let broken = self.seats.iter().all(|seat| seat.error.is_some());
            if end.is_some_and(|end| end <= now) || self.interrupted || broken || squad.left() == 0
            {
                // A test that ended by itself ended with its last flow.
                let last = lines
                    .iter()
                    .filter_map(|line| line.counts.sent_all().max(line.counts.received_all()))
                    .max();
                let by_itself = squad.left() == 0 && end.is_none_or(|end| now < end);
                return Ok(last.filter(|_| by_itself).unwrap_or(now).max(start));
            }
            self.turn([end, next].into_iter().flatten().min())?;
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
        let asks = matches!(job.work, Work::Exchange { .. } | Work::Connect);
        let flows = self.seats.iter_mut().zip(lines).map(|(seat, line)| {
            let mut flow = line.flow;
            flow.opened = seat.opened.clone();
            flow.results = seat.results.clone();
            flow.error = seat.error.clone();
            flow.counters = line.counts.counters(asks);
            flow.unanswered = line.counts.unanswered();
            if let Some(socket) = &line.socket {
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
        }
    }
}

fn sum(lines: &[Line]) -> record::Counters {
    let counters = lines.iter().map(|line| line.counts.counters(true));
    counters.fold(record::Counters::default(), |sum, one| sum + one)
}

fn size(bytes: usize) -> Option<Bytes> {
    (bytes > 0).then(|| Bytes::new(bytes as u64))
}
