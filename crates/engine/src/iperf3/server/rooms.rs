//! Where streams wait for their test: TCP's find it by their cookie, UDP's by their hello's, or by
//! their address where the hello has none.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use proto::iperf3::{Cookie, Protocol};
use sys::Wake;

/// All tests whose streams are on their way.
#[derive(Default)]
pub(super) struct Rooms(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    rooms: Vec<Arc<Room>>,
    /// Told when a room is left.
    waiting: Vec<Arc<Wake>>,
}

/// One test's.
pub(super) struct Room {
    pub cookie: Cookie,
    pub protocol: Protocol,
    /// The client's host.
    pub client: IpAddr,
    /// Told when a stream arrives.
    pub wake: Arc<Wake>,
    arrived: Mutex<Vec<Arrival>>,
}

/// A stream's socket.
pub(super) struct Arrival {
    pub socket: OwnedFd,
    pub peer: SocketAddr,
    /// What a UDP client waits for.
    pub reply: Option<[u8; 4]>,
}

impl Room {
    /// Of the test with that cookie.
    pub fn new(cookie: Cookie, protocol: Protocol, client: IpAddr, wake: Arc<Wake>) -> Self {
        Self {
            cookie,
            protocol,
            client: client.to_canonical(),
            wake,
            arrived: Mutex::default(),
        }
    }

    /// The next stream that came.
    pub fn take(&self) -> Option<Arrival> {
        let mut arrived = lock(&self.arrived);
        (!arrived.is_empty()).then(|| arrived.remove(0))
    }
}

impl Rooms {
    /// Opens a room. False while another test of the same host waits for UDP streams: their
    /// hellos could not be told apart. `room.wake` is told when it may be tried again.
    pub fn enter(&self, room: &Arc<Room>) -> bool {
        let mut inside = lock(&self.0);
        let udp = room.protocol == Protocol::Udp;
        let alike =
            |other: &Arc<Room>| other.protocol == Protocol::Udp && other.client == room.client;
        if udp && inside.rooms.iter().any(alike) {
            inside.waiting.push(room.wake.clone());
            return false;
        }
        inside.rooms.push(room.clone());
        true
    }

    /// Closes a room.
    pub fn leave(&self, room: &Arc<Room>) {
        let mut inside = lock(&self.0);
        inside.rooms.retain(|other| !Arc::ptr_eq(other, room));
        for waiting in inside.waiting.drain(..) {
            waiting.wake();
        }
    }

    /// Brings a connection to the test of its cookie; gives it back when there is none.
    pub fn bring(&self, cookie: &Cookie, arrival: Arrival) -> Result<(), Arrival> {
        let inside = lock(&self.0);
        let room = inside
            .rooms
            .iter()
            .find(|room| room.protocol != Protocol::Udp && room.cookie.matches(cookie));
        match room {
            Some(room) => {
                put(room, arrival);
                Ok(())
            }
            None => Err(arrival),
        }
    }

    /// The test that waits for a hello from there.
    pub fn of_hello(&self, cookie: Option<&Cookie>, from: SocketAddr) -> Option<Arc<Room>> {
        let inside = lock(&self.0);
        let mut udp = inside
            .rooms
            .iter()
            .filter(|room| room.protocol == Protocol::Udp);
        let room = match cookie {
            Some(cookie) => udp.find(|room| room.cookie.matches(cookie)),
            None => udp.find(|room| room.client == from.ip().to_canonical()),
        };
        room.cloned()
    }
}

/// Puts a stream into a room.
pub(super) fn put(room: &Room, arrival: Arrival) {
    lock(&room.arrived).push(arrival);
    room.wake.wake();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(number: u8, protocol: Protocol, client: &str) -> Arc<Room> {
        let wake = Arc::new(Wake::new().unwrap());
        let client = client.parse().unwrap();
        Arc::new(Room::new(Cookie::new([number; 36]), protocol, client, wake))
    }

    #[test]
    fn udp_tests_of_one_host_gather_one_after_the_other() {
        let rooms = Rooms::default();
        let [first, second] = [1, 2].map(|n| room(n, Protocol::Udp, "192.0.2.1"));
        let other = room(3, Protocol::Udp, "192.0.2.2");
        assert!(rooms.enter(&first) && !rooms.enter(&second) && rooms.enter(&other));
        assert!(rooms.enter(&room(4, Protocol::Tcp, "192.0.2.1")));
        rooms.leave(&first);
        assert!(rooms.enter(&second));
    }

    #[test]
    fn a_hello_finds_its_test_by_cookie_or_by_address() {
        let rooms = Rooms::default();
        let mine = room(1, Protocol::Udp, "::ffff:192.0.2.1");
        assert!(rooms.enter(&mine));
        let from = "192.0.2.1:9".parse().unwrap();
        let elsewhere = "192.0.2.9:9".parse().unwrap();
        assert!(rooms.of_hello(None, from).is_some());
        assert!(rooms.of_hello(None, elsewhere).is_none());
        // Behind address translation.
        assert!(rooms.of_hello(Some(&mine.cookie), elsewhere).is_some());
        assert!(rooms.of_hello(Some(&Cookie::new([2; 36])), from).is_none());
    }
}
