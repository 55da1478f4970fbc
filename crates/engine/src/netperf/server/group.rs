//! The tests of one request, usually one: their data sockets, their workers, their figures.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use proto::netperf::{Job, Opened, Tally, Transport, Work};
use sys::{Wake, clock, thread};
use units::{BitRate, Nanos};

use super::test::Test;
use crate::buffer::Placement;
use crate::netperf::Cpu;
use crate::netperf::payload::payload;
use crate::squad::{Member, Squad, Watch};

/// How long flows that are here wait for the connections of the others, from the latest one on:
/// all of them share the workers.
const GATHER: Nanos = Nanos::from_millis(500);

/// Bytes that every worker has room for.
const LEAST_ROOM: usize = 4096;

/// Tests that are open.
pub(super) struct Group {
    job: Job,
    tests: Vec<Test>,
    squad: Squad,
    wake: Arc<Wake>,
    cpu: Option<Cpu>,
    opened: Nanos,
    began: Option<Nanos>,
    /// When their time was over, if the client did not end them.
    over_since: Option<Nanos>,
    /// Tests whose connection has not come.
    missing: Vec<usize>,
    /// Flows that wait for the connections of the others, and since when.
    waiting: Vec<Member>,
    since: Nanos,
}

impl Group {
    /// Opens a data socket for each test; where that fails for a later one, there are fewer.
    ///
    /// # Errors
    /// What the system answered for the first one; the client is told its number.
    pub fn open(
        job: &Job,
        local: SocketAddr,
        peer: SocketAddr,
        max_rate: Option<BitRate>,
        wake: &Arc<Wake>,
    ) -> io::Result<(Self, Vec<Opened>)> {
        let mut group = Self {
            job: job.clone(),
            tests: Vec::new(),
            squad: Squad::new(wake.clone()),
            wake: wake.clone(),
            cpu: job.measures_cpu.then(Cpu::start),
            opened: clock::now(),
            began: None,
            over_since: None,
            missing: Vec::new(),
            waiting: Vec::new(),
            since: Nanos::ZERO,
        };
        let mut opened = Vec::new();
        let mut members = Vec::new();
        let tests = job.tests.max(1);
        let max_rate = max_rate.map(|most| BitRate::new((most.get() / u64::from(tests)).max(1)));
        for number in 0..tests as usize {
            let (mut test, answer) = match Test::open(job, local, max_rate) {
                Ok(open) => open,
                Err(_) if number > 0 => break,
                Err(error) => return Err(error),
            };
            match test.member_at_once(peer, wake)? {
                Some(member) => members.push(member),
                None => group.missing.push(number),
            }
            group.tests.push(test);
            opened.push(answer);
        }
        group.work(members)?;
        Ok((group, opened))
    }

    /// What the tests' connections are waited for on.
    pub fn listeners(&self) -> impl Iterator<Item = &TcpListener> {
        self.tests.iter().filter_map(Test::listener)
    }

    /// Whether the first data or connection has come.
    pub fn has_begun(&self) -> bool {
        self.began.is_some()
    }

    /// When to come by, whatever happens.
    pub fn next_call(&self) -> Option<Nanos> {
        (!self.waiting.is_empty()).then(|| self.since + GATHER)
    }

    /// Takes what came. True when all tests are over.
    ///
    /// # Errors
    /// What the system answered.
    pub fn advance(&mut self, now: Nanos) -> io::Result<bool> {
        if self.over_since.is_none() {
            self.accept(now)?;
        }
        let connected = || self.connects() && self.missing.len() < self.tests.len();
        if self.began.is_none() && (connected() || self.tests.iter().any(Test::has_come)) {
            self.began = Some(now);
        }
        let all_here = self.missing.is_empty() && self.waiting.is_empty();
        let through = self.squad.left() == 0;
        Ok((all_here && through) || (self.over_since.is_some() && (through || !self.sends())))
    }

    /// The time is up, and was since `over_since`.
    pub fn stop(&mut self, over_since: Nanos) {
        self.over_since = Some(over_since);
        self.squad.stop();
        // So that the session comes by.
        self.wake.wake();
    }

    /// Ends the work and gives the figures of each test.
    pub fn close(mut self) -> Vec<Tally> {
        let now = clock::now();
        let ended = self.over_since.unwrap_or(now);
        let elapsed = ended - self.began.unwrap_or(self.opened);
        let cpu = self.cpu.as_ref().map(|cpu| cpu.stop(elapsed, now - ended));
        let mut tallies: Vec<Tally> = self.tests.iter().map(Test::sockets_tally).collect();
        self.squad.finish();
        let cpus = Cpu::count();
        for (tally, test) in tallies.iter_mut().zip(&self.tests) {
            test.count(tally);
            (tally.elapsed, tally.cpu, tally.cpus) = (elapsed, cpu, cpus);
        }
        tallies
    }

    /// Takes the connections that have come.
    fn accept(&mut self, now: Nanos) -> io::Result<()> {
        if self.missing.is_empty() && self.waiting.is_empty() {
            return Ok(());
        }
        let tests = &mut self.tests;
        let (mut still, mut answer) = (Vec::new(), Ok(()));
        for number in std::mem::take(&mut self.missing) {
            match tests[number].accept() {
                Ok(Some(member)) => {
                    self.waiting.push(member);
                    self.since = now;
                }
                Ok(None) => still.push(number),
                Err(error) => answer = Err(error),
            }
        }
        self.missing = still;
        answer?;
        let late = self.next_call().is_some_and(|at| at <= now);
        if self.missing.is_empty() || late {
            let members = std::mem::take(&mut self.waiting);
            self.work(members)?;
        }
        Ok(())
    }

    /// Puts flows on threads: one for each CPU, and no more than flows.
    fn work(&mut self, members: Vec<Member>) -> io::Result<()> {
        let cpu = self.job.cpu.and_then(|cpu| u16::try_from(cpu).ok());
        let cpus = match cpu {
            Some(_) => 1,
            None => thread::allowed_cpus().len().max(1),
        };
        let threads = cpus.min(members.len());
        let mut shares: Vec<Vec<Member>> = (0..threads).map(|_| Vec::new()).collect();
        for (number, member) in members.into_iter().enumerate() {
            shares[number % threads].push(member);
        }
        let (send_size, room) = self.tests.first().map_or((0, 0), Test::sizes);
        for flows in shares {
            let watch = Watch {
                name: "netperf-data".to_owned(),
                flows,
                payload: payload(send_size),
                // Requests may come several at a time.
                sink: room.max(LEAST_ROOM),
                cpu,
                start: Nanos::ZERO,
            };
            let places = (place(self.job.send_place), place(self.job.recv_place));
            self.squad.start_placed(watch, places)?;
        }
        Ok(())
    }

    /// Whether this end decides when all is sent, so that the rest still goes out after its time.
    fn sends(&self) -> bool {
        matches!(self.job.work, Work::Send { .. })
    }

    /// Whether a test begins with its one connection.
    fn connects(&self) -> bool {
        self.job.transport != Transport::Udp && !self.job.reconnects()
    }
}

fn place((alignment, offset): (u16, u16)) -> Placement {
    Placement { alignment, offset }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use proto::netperf::{Length, TestName};
    use units::Bytes;

    use super::*;

    /// The connection of a test never comes: there are figures all the same.
    #[test]
    fn a_test_that_nobody_connects_to_has_no_bytes() {
        let request = TestName::TcpStream.request().unwrap();
        let mut job = Job::of(&request, None).unwrap();
        job.length = Length::Seconds(1);
        let here: SocketAddr = (Ipv4Addr::LOCALHOST, 0).into();
        let wake = Arc::new(Wake::new().unwrap());
        let (mut group, opened) = Group::open(&job, here, here, None, &wake).unwrap();
        assert_ne!(opened[0].port, 0);
        let now = clock::now();
        assert!(!group.advance(now).unwrap(), "it waits");
        group.stop(now);
        assert!(group.advance(now).unwrap());
        let tallies = group.close();
        assert_eq!(tallies.len(), 1);
        assert_eq!(tallies[0].bytes_received, Bytes::new(0));
        assert_eq!(tallies[0].retransmits, None);
    }
}
