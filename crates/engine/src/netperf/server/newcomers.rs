//! Connections whose first message is not all here yet: each costs a descriptor, and no thread.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use proto::netperf::Frame;
use sys::{Epoll, Options, Readiness, clock};
use units::{Bytes, Nanos};

/// How long a connection may take for its first message. netserver waits for ever.
const FIRST_MESSAGE: Nanos = Nanos::from_secs(10);
/// Connections that may be about to send it; the oldest gives way.
const MOST: usize = 1024;

/// They, by their key, which is the order in which they came.
pub(super) struct Newcomers {
    waiting: BTreeMap<u64, Newcomer>,
    next: u64,
}

struct Newcomer {
    socket: OwnedFd,
    peer: SocketAddr,
    deadline: Nanos,
}

impl Newcomers {
    /// None yet; their keys begin with `first`.
    pub fn new(first: u64) -> Self {
        Self {
            waiting: BTreeMap::new(),
            next: first,
        }
    }

    /// Waits for one more. Gives the one that gave way for it.
    ///
    /// # Errors
    /// What setsockopt(2) or epoll_ctl(2) says.
    pub fn add(
        &mut self,
        epoll: &Epoll,
        socket: OwnedFd,
        peer: SocketAddr,
    ) -> io::Result<Option<SocketAddr>> {
        // A part of a message wakes nobody.
        Options::of(&socket).set_rcvlowat(Bytes::new(Frame::LEN as u64))?;
        epoll.add(&socket, self.next, Readiness::READ)?;
        let newcomer = Newcomer {
            socket,
            peer,
            deadline: clock::now() + FIRST_MESSAGE,
        };
        self.waiting.insert(self.next, newcomer);
        self.next += 1;
        let oldest = (self.waiting.len() > MOST).then(|| self.waiting.pop_first());
        Ok(oldest.flatten().map(|(_, oldest)| oldest.peer))
    }

    /// Takes out the one whose message is here, or that has gone.
    pub fn take(&mut self, epoll: &Epoll, key: u64) -> Option<(OwnedFd, SocketAddr)> {
        let newcomer = self.waiting.remove(&key)?;
        let _ = epoll.remove(&newcomer.socket);
        let _ = Options::of(&newcomer.socket).set_rcvlowat(Bytes::new(1));
        Some((newcomer.socket, newcomer.peer))
    }

    /// When the oldest has taken too long.
    pub fn deadline(&self) -> Option<Nanos> {
        let (_, oldest) = self.waiting.first_key_value()?;
        Some(oldest.deadline)
    }

    /// Closes those that have taken too long, and says who they are.
    pub fn drop_slow(&mut self, now: Nanos) -> Vec<SocketAddr> {
        let mut dropped = Vec::new();
        while let Some(oldest) = self.waiting.first_entry()
            && oldest.get().deadline <= now
        {
            dropped.push(oldest.remove().peer);
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::net::UnixStream;

    use sys::Events;

    use super::*;

    fn silent() -> OwnedFd {
        UnixStream::pair().unwrap().0.into()
    }

    /// A byte was enough to be given a thread, which then waited for the rest.
    #[test]
    fn a_part_of_a_message_is_none() {
        let epoll = Epoll::new().unwrap();
        let mut events = Events::with_capacity(4);
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let here = listener.local_addr().unwrap();
        let mut newcomers = Newcomers::new(7);
        let mut clients: Vec<TcpStream> = Vec::new();
        for _ in 0..3 {
            clients.push(TcpStream::connect(here).unwrap());
            let (socket, peer) = listener.accept().unwrap();
            newcomers.add(&epoll, socket.into(), peer).unwrap();
        }
        let message = [0; Frame::LEN];
        for client in &mut clients {
            client.write_all(&message[1..]).unwrap();
        }
        let mut ready = |wait| {
            epoll.wait(&mut events, wait).unwrap();
            events.iter().map(|(key, _)| key).collect::<Vec<u64>>()
        };
        assert!(ready(Some(Nanos::from_millis(50))).is_empty());
        clients[0].write_all(&message[..1]).unwrap();
        assert_eq!(ready(None), [7]);
        assert!(newcomers.take(&epoll, 7).is_some());
        drop(clients.remove(1));
        assert_eq!(ready(None), [8], "it has gone");
    }

    /// Thousands of them were kept for ever, a thread each.
    #[test]
    fn silent_connections_are_few_and_not_for_ever() {
        let epoll = Epoll::new().unwrap();
        let peer = |port| SocketAddr::from(([127, 0, 0, 1], port));
        let mut newcomers = Newcomers::new(7);
        for port in 0..MOST as u16 {
            let gave_way = newcomers.add(&epoll, silent(), peer(port)).unwrap();
            assert_eq!(gave_way, None);
        }
        let gave_way = newcomers.add(&epoll, silent(), peer(5000)).unwrap();
        assert_eq!(gave_way, Some(peer(0)), "the oldest");
        let (_, said) = newcomers.take(&epoll, 8).unwrap();
        assert_eq!(said, peer(1));
        let now = clock::now();
        assert_eq!(newcomers.drop_slow(now), []);
        let dropped = newcomers.drop_slow(now + FIRST_MESSAGE);
        assert_eq!(dropped.len(), MOST - 1);
        assert_eq!(newcomers.deadline(), None);
    }
}
