//! iperf3's control protocol, hellos and datagrams under fuzz.

mod client;
mod scene;
mod seeds;
mod server;

pub(crate) use seeds::seeds;

use proto::iperf3::{
    Arrivals, ClientAction, ClientSession, Counter, Datagram, Hello, ServerAction, ServerSession,
};

use units::Nanos;

use crate::session;

/// A server on a control connection, after its cookie. Returns what its driver was told, for
/// tests that ask how far an input gets.
pub fn iperf3_server(data: &[u8]) -> Vec<ServerAction> {
    session::check::<ServerSession>(data)
}

/// A client on a control connection. Returns what its driver was told.
pub fn iperf3_client(data: &[u8]) -> Vec<ClientAction> {
    session::check::<ClientSession>(data)
}

/// A datagram at a port of a server: a hello, or data of either kind.
pub fn iperf3_datagram(data: &[u8]) {
    if let Some(hello) = Hello::parse(data) {
        assert!(Hello::is_reply(&hello.reply));
    }
    let mut arrivals = Arrivals::default();
    for counter in [Counter::Bits32, Counter::Bits64] {
        let Some(head) = Datagram::parse(counter, data) else {
            assert!(data.len() < counter.head(), "a whole head is not read");
            continue;
        };
        let mut again = data.to_vec();
        head.encode_into(counter, &mut again);
        // Microseconds above a second are the sender's fault, and the same instant.
        if head.sent < Nanos::from_secs(u32::MAX.into()) {
            assert_eq!(Datagram::parse(counter, &again), Some(head));
        }
        for _ in 0..2 {
            arrivals.take(counter.extend(head.number, arrivals.highest));
            assert!(arrivals.lost <= arrivals.highest);
        }
    }
}
