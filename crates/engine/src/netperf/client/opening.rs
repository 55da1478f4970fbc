//! The beginning of an iteration: data sockets at the servers and here.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use proto::netperf::{TestRequest, Transport, Work};
use sys::{Readiness, clock};

use super::line::Line;
use super::seat::Seat;
use super::{CONNECT, Client, ClientError, Job, key};

impl Client {
    /// Every test gets its data socket at a server. Only netdyno has more than one on a control
    /// connection: for what the first one does not do there are others.
    pub(super) fn ask(&mut self, job: &Arc<Job>) -> Result<Vec<Line>, ClientError> {
        let mut lines: Vec<Line> = (0..self.tests).map(|_| Line::default()).collect();
        // A server that sends datagrams by itself must know where to, and one request names one
        // address.
        let listens = job.transport == Transport::Udp && matches!(job.work, Work::Receive { .. });
        let asks_for_all = self.seats.len() == 1 && !listens && !self.control.absent;
        if asks_for_all {
            self.seats[0].ask(job.server_cpu, job.request.clone(), self.tests as u32);
            self.wait_for_opening()?;
        }
        let served = match asks_for_all {
            true => self.seats[0].opened.len().max(1),
            false => 0,
        };
        if served < self.tests && !self.control.absent {
            // A server that is not there is not tried again for every test.
            if self.seats[0].error.is_none() {
                let seats = self.tests - served + usize::from(asks_for_all);
                self.sit(seats)
                    .map_err(|error| ClientError::data("waiting for events", error))?;
            }
        }
        for (at, line) in lines.iter_mut().enumerate().skip(served) {
            line.seat = match asks_for_all {
                true => at - served + 1,
                false => at,
            };
            line.seat = line.seat.min(self.seats.len() - 1);
            if self.control.absent || (asks_for_all && line.seat == 0) {
                continue;
            }
            let mut request = job.request.clone();
            let seat = &mut self.seats[line.seat];
            if listens && let (Some(peer), TestRequest::Omni(asked)) = (seat.peer, &mut request) {
                match line.listen(job, peer) {
                    Ok(port) => asked.client_port = port,
                    Err(error) => {
                        line.error = Some(ClientError::data("opening the data socket", error));
                    }
                }
                if let Some(local) = job.local_address.or(seat.local_ip()) {
                    asked.client_address = local.into();
                }
            }
            seat.ask(job.server_cpu, request, 1);
        }
        self.wait_for_opening()?;
        for (at, line) in lines.iter_mut().enumerate() {
            let number = if line.seat == 0 { at } else { 0 };
            line.opened = self.seats[line.seat].opened.get(number).cloned();
        }
        Ok(lines)
    }

    fn wait_for_opening(&mut self) -> Result<(), ClientError> {
        while self.seats.iter().any(Seat::waits_for_opening) {
            self.turn(None)?;
            if self.interrupted {
                return Err(ClientError::Interrupted);
            }
        }
        Ok(())
    }

    /// Why a test goes no further.
    pub(super) fn error_of(&self, line: &Line) -> Option<ClientError> {
        line.error
            .clone()
            .or_else(|| self.seats[line.seat].error.clone())
    }

    pub(super) fn goes(&self, line: &Line) -> bool {
        line.error.is_none() && self.seats[line.seat].error.is_none()
    }

    /// Every flow gets its data socket, connected if the test has one connection.
    pub(super) fn open(&mut self, job: &Arc<Job>, lines: &mut [Line]) -> Result<(), ClientError> {
        let reconnects = matches!(
            job.work,
            Work::Connect
                | Work::Exchange {
                    reconnects: true,
                    ..
                }
        );
        for line in lines.iter_mut() {
            let peer = self.data_address(job, line);
            let Some(peer) = peer.filter(|_| line.handle.socket.is_none()) else {
                continue;
            };
            if let Err(error) = line.open(job, peer, !reconnects) {
                let doing = format!("opening the data socket to {peer}");
                line.error = Some(ClientError::data(&doing, error));
            }
        }
        if reconnects {
            self.give_up(lines);
            return Ok(());
        }
        if job.transport != Transport::Udp {
            self.connect_data(lines)?;
        }
        self.give_up(lines);
        for line in lines {
            let info = line
                .handle
                .socket
                .as_ref()
                .and_then(|socket| sys::tcp_info(&**socket).ok());
            line.handle.acked_before = info
                .and_then(|info| info.tcpi_bytes_acked)
                .unwrap_or(0)
                .max(1);
        }
        Ok(())
    }

    /// A server none of whose tests has a socket here is not asked for figures: it would wait for
    /// their data before.
    fn give_up(&mut self, lines: &[Line]) {
        for (at, seat) in self.seats.iter_mut().enumerate() {
            let errors: Option<Vec<_>> = lines
                .iter()
                .filter(|line| line.seat == at)
                .map(|line| line.error.as_ref())
                .collect();
            if let Some(first) = errors.iter().flatten().next() {
                seat.error.get_or_insert_with(|| (*first).clone());
            }
        }
    }

    fn connect_data(&mut self, lines: &mut [Line]) -> Result<(), ClientError> {
        let deadline = clock::now() + CONNECT;
        let mut left = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let Some(socket) = &line.handle.socket else {
                continue;
            };
            self.ready[at] = Readiness::default();
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
                let line = &mut lines[*at];
                let Some(socket) = line.handle.socket.clone() else {
                    return false;
                };
                if self.ready[*at] == Readiness::default() && !late {
                    return true;
                }
                self.ready[*at] = Readiness::default();
                let _ = self.epoll.remove(&*socket);
                let answer = if late {
                    Err(io::ErrorKind::TimedOut.into())
                } else {
                    sys::take_error(&*socket)
                };
                if let Err(error) = answer {
                    line.handle.socket = None;
                    line.error
                        .get_or_insert(ClientError::data("connecting the data socket", error));
                }
                false
            });
        }
        Ok(())
    }

    /// Where a test sends its data; none if it has no server.
    pub(super) fn data_address(&self, job: &Job, line: &Line) -> Option<SocketAddr> {
        let seat = &self.seats[line.seat];
        if !self.goes(line) {
            return None;
        }
        let port = match &line.opened {
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
}
