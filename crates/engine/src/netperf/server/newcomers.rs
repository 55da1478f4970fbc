//! Connections that have said nothing yet: each costs a descriptor, and no thread.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use sys::{Epoll, Readiness, clock};
use units::Nanos;

/// How long a connection may take to say its first word. netserver waits for ever.
const FIRST_WORD: Nanos = Nanos::from_secs(10);
/// Connections that may be about to say it; the oldest gives way.
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
    /// What epoll_ctl(2) says.
    pub fn add(
        &mut self,
        epoll: &Epoll,
        socket: OwnedFd,
        peer: SocketAddr,
    ) -> io::Result<Option<SocketAddr>> {
        epoll.add(&socket, self.next, Readiness::READ)?;
        let newcomer = Newcomer {
            socket,
            peer,
            deadline: clock::now() + FIRST_WORD,
        };
        self.waiting.insert(self.next, newcomer);
        self.next += 1;
        let oldest = (self.waiting.len() > MOST).then(|| self.waiting.pop_first());
        Ok(oldest.flatten().map(|(_, oldest)| oldest.peer))
    }

    /// Takes out the one that has something to say.
    pub fn take(&mut self, epoll: &Epoll, key: u64) -> Option<(OwnedFd, SocketAddr)> {
        let newcomer = self.waiting.remove(&key)?;
        let _ = epoll.remove(&newcomer.socket);
        Some((newcomer.socket, newcomer.peer))
    }

    /// When the oldest has been silent for too long.
    pub fn deadline(&self) -> Option<Nanos> {
        let (_, oldest) = self.waiting.first_key_value()?;
        Some(oldest.deadline)
    }

    /// Closes those that have been silent for too long, and says who they are.
    pub fn drop_silent(&mut self, now: Nanos) -> Vec<SocketAddr> {
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
    use std::os::unix::net::UnixStream;

    use super::*;

    fn silent() -> OwnedFd {
        UnixStream::pair().unwrap().0.into()
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
        assert_eq!(newcomers.drop_silent(now), []);
        let dropped = newcomers.drop_silent(now + FIRST_WORD);
        assert_eq!(dropped.len(), MOST - 1);
        assert_eq!(newcomers.deadline(), None);
    }
}
