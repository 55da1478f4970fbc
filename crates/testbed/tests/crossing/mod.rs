//! Sockets at both ends of a testbed.

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use plan::{Family, Link};
use record::End;
use testbed::Testbed;

/// Runs in a thread of its own, which the testbed moves into the client's namespace.
pub fn in_testbed(link: Link, family: Family, test: impl FnOnce(&Testbed) + Send + 'static) {
    let thread = std::thread::spawn(move || {
        let mut testbed = Testbed::create(&link, family).unwrap();
        testbed.start().unwrap();
        test(&testbed);
    });
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Runs on the server's host. What is opened there stays there.
pub fn on_server<T: Send>(testbed: &Testbed, run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            testbed.enter_server().unwrap();
            run()
        });
        thread.join().unwrap()
    })
}

/// Longer than anything takes here that happens at all.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A socket at the client and one at the server, connected to each other.
pub fn datagram_sockets(testbed: &Testbed) -> (UdpSocket, UdpSocket) {
    let open = |end| {
        let socket = UdpSocket::bind(SocketAddr::new(testbed.address(end), 0)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket
    };
    let client = open(End::Client);
    let server = on_server(testbed, || open(End::Server));
    client.connect(server.local_addr().unwrap()).unwrap();
    server.connect(client.local_addr().unwrap()).unwrap();
    (client, server)
}

/// Takes datagrams until there have been `n`.
pub fn take(socket: &UdpSocket, n: usize) {
    for taken in 0..n {
        if let Err(error) = socket.recv(&mut [0; 2048]) {
            panic!("{taken} of {n} datagrams came, then: {error}");
        }
    }
}

/// How many datagrams come until none has come for `silence`.
pub fn drain(socket: &UdpSocket, silence: Duration) -> usize {
    socket.set_read_timeout(Some(silence)).unwrap();
    std::iter::from_fn(|| socket.recv(&mut [0; 2048]).ok()).count()
}
