//! The answering side of connections that come one after the other to a listener of their own.

use std::collections::VecDeque;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, Wake, clock};

use super::connect_answer::{ConnectAnswer, ConnectCounts};
use super::{Broken, Flow, Room, State, TURN};

/// Accepts a connection, answers its request, closes it first, and accepts the next one. With
/// nothing to receive and nothing to answer it closes at once.
pub(crate) struct ConnectServe {
    pub listener: Arc<TcpListener>,
    pub counts: Arc<ConnectCounts>,
    pub request: usize,
    pub reply: usize,
    /// Connections still to serve; `u64::MAX` without end.
    pub left: u64,
    pub current: Option<ConnectAnswer>,
    /// Connections that came while another one was served.
    pub queue: VecDeque<OwnedFd>,
    /// Connections served so far.
    pub generation: u32,
    /// Told when the first connection is over.
    pub began: Option<Arc<Wake>>,
}

/// Connections that may wait beside the one that is served.
const QUEUE: usize = 128;

impl ConnectServe {
    /// The next connection, if one is here.
    fn accept(&mut self) -> std::io::Result<Option<OwnedFd>> {
        if let Some(waiting) = self.queue.pop_front() {
            return Ok(Some(waiting));
        }
        Ok(sys::accept(&self.listener)?.map(|(socket, _)| socket))
    }

    fn serve(&mut self, socket: OwnedFd) {
        self.generation = self.generation.wrapping_add(1);
        self.current = Some(ConnectAnswer {
            socket,
            counts: self.counts.clone(),
            request: self.request,
            reply: self.reply,
            arrived: 0,
            written: 0,
        });
    }

    /// Takes a connection out of the listener's queue, so that it is not ready all the time
    /// while another one is served.
    fn put_off(&mut self) {
        if let Ok(Some((socket, _))) = sys::accept(&self.listener)
            && self.queue.len() < QUEUE
        {
            self.queue.push_back(socket);
        }
    }
}

impl Flow for ConnectServe {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        match &self.current {
            Some(answer) => Some((answer.socket.as_fd(), self.generation)),
            None => Some((self.listener.as_fd(), 0)),
        }
    }

    fn interest(&self) -> Readiness {
        self.current
            .as_ref()
            .map_or(Readiness::READ, Flow::interest)
    }

    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..TURN {
            if let Some(answer) = &mut self.current {
                if matches!(answer.advance(room), State::Going) {
                    self.put_off();
                    return State::Going;
                }
                self.current = None;
                if let Some(wake) = self.began.take() {
                    wake.wake();
                }
                if self.left != u64::MAX {
                    self.left -= 1;
                }
            }
            if self.left == 0 {
                self.counts.tally.set_received_all(clock::now());
                return State::Done;
            }
            match self.accept() {
                Ok(Some(socket)) => self.serve(socket),
                Ok(None) => return State::Going,
                Err(error) => return Broken::at("accepting a connection", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        State::Going
    }
}
