//! The end of an iteration: flows finish, servers read the rest, figures come.

use std::io;

use proto::netperf::{Transport, Work};
use sys::{Readiness, Wait, clock};
use units::Nanos;

use super::line::Line;
use super::seat::Seat;
use super::{Client, ClientError, Job, key};
use crate::squad::Squad;

/// How long after the stop a flow may be in its last operation.
const LAST_CALL: Nanos = Nanos::from_secs(2);
/// The same for a stream that the server ends by its own clock, which started later.
const SERVERS_END: Nanos = Nanos::from_secs(5);
/// How long the server may take to read what was sent: a full queue of a slow path.
const DRAIN: Nanos = Nanos::from_secs(60);
/// How often the end of a test of datagrams is said again, since it may be lost.
const END_AGAIN: Nanos = Nanos::from_millis(100);
impl Client {
    /// The flows' ends, and the servers' figures.
    pub(super) fn end(
        &mut self,
        job: &Job,
        squad: &mut Squad,
        lines: &mut [Line],
        start: Nanos,
        stop: Nanos,
    ) -> Result<(), ClientError> {
        let receives = matches!(job.work, Work::Receive { .. });
        let patience = match (job.transport, receives) {
            // Datagrams have no end of file.
            (Transport::Udp, true) => Nanos::ZERO,
            (_, true) => SERVERS_END,
            (_, false) => LAST_CALL,
        };
        let late = clock::now() + patience;
        while squad.left() > 0 && clock::now() < late {
            self.turn(Some(late))?;
        }
        if squad.left() > 0 {
            // What still waits then waits for a peer that says nothing.
            squad.finish();
        }
        let reconnects = matches!(
            job.work,
            Work::Connect
                | Work::Exchange {
                    reconnects: true,
                    ..
                }
        );
        if job.transport == Transport::Udp {
            for line in lines.iter_mut() {
                line.drained = Some(stop);
                line.say_end();
            }
        } else if reconnects {
            for line in lines.iter_mut() {
                line.drained = Some(stop);
            }
        } else {
            self.drain(lines)?;
        }
        self.seats.iter_mut().for_each(Seat::finished);
        while self.seats.iter().any(Seat::waits_for_results) {
            if job.transport != Transport::Udp {
                self.turn(None)?;
                continue;
            }
            // The server's part ends with the empty datagram, or with its own patience.
            self.turn(Some(clock::now() + END_AGAIN))?;
            for line in lines.iter() {
                if self.seats[line.seat].waits_for_results() {
                    line.say_end();
                }
            }
        }
        for line in lines {
            line.flow.elapsed = line.drained.unwrap_or(stop).max(start) - start;
            let tally = &line.handle.tally;
            let last = tally.sent_all().max(tally.received_all()).unwrap_or(stop);
            line.flow.active = last.clamp(start, stop) - start;
        }
        Ok(())
    }

    /// Waits until every server has read all and closed its data connection.
    fn drain(&mut self, lines: &mut [Line]) -> Result<(), ClientError> {
        let deadline = clock::now() + DRAIN;
        let mut left = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let Some(socket) = &line.handle.socket else {
                continue;
            };
            sys::shut_sending(&**socket);
            self.ready[at] = Readiness::READ;
            self.epoll
                .add(&**socket, key(at) + 1, Readiness::READ)
                .map_err(|error| ClientError::data("waiting for data connections", error))?;
            left.push(at);
        }
        let mut scrap = vec![0; 64 * 1024];
        loop {
            left.retain(|at| {
                let line = &mut lines[*at];
                let Some(socket) = line.handle.socket.clone() else {
                    return false;
                };
                if !self.ready[*at].read {
                    return true;
                }
                self.ready[*at] = Readiness::default();
                loop {
                    match sys::recv(&*socket, &mut scrap, Wait::Never) {
                        Ok(n) if n > 0 => (),
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                        _ => break,
                    }
                }
                line.drained = Some(clock::now());
                // The socket stays open for its figures.
                let _ = self.epoll.remove(&*socket);
                false
            });
            if left.is_empty() || clock::now() >= deadline {
                break;
            }
            self.turn(Some(deadline))?;
        }
        for at in left {
            if let Some(socket) = &lines[at].handle.socket {
                let _ = self.epoll.remove(&**socket);
            }
        }
        Ok(())
    }
}
