//! Forwards one port, TCP and UDP, as a router with a single rule does; datagrams to the server
//! may be treated badly on their way.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::thread::spawn;

/// What happens to a datagram on its way to the server: it is passed, or not, or something else.
pub trait Passing: FnMut(&[u8], &mut dyn FnMut(&[u8])) + Send + 'static {}

impl<F: FnMut(&[u8], &mut dyn FnMut(&[u8])) + Send + 'static> Passing for F {}

/// A forwarder. Its threads end with the test's process.
pub struct Forwarder(SocketAddr);

impl Forwarder {
    pub fn start(server: SocketAddr, passing: impl Passing) -> Self {
        // The same number for both protocols: whoever has the one may lack the other.
        let (tcp, udp) = loop {
            let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            if let Ok(udp) = UdpSocket::bind(tcp.local_addr().unwrap()) {
                break (tcp, udp);
            }
        };
        let address = tcp.local_addr().unwrap();
        spawn(move || {
            for client in tcp.incoming() {
                connect(client.unwrap(), TcpStream::connect(server).unwrap());
            }
        });
        spawn(move || datagrams(Arc::new(udp), server, passing));
        Self(address)
    }

    pub fn address(&self) -> SocketAddr {
        self.0
    }
}

fn connect(client: TcpStream, server: TcpStream) {
    for (from, to) in [(&client, &server), (&server, &client)] {
        let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
        from.set_nodelay(true).unwrap();
        spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
}

/// Each client address has a socket of its own towards the server, as with address translation.
fn datagrams(outside: Arc<UdpSocket>, server: SocketAddr, mut passing: impl Passing) {
    let mut inside: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
    let mut buffer = [0; 65_536];
    loop {
        let Ok((length, client)) = outside.recv_from(&mut buffer) else {
            continue;
        };
        let socket = inside.entry(client).or_insert_with(|| {
            let socket = Arc::new(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
            socket.connect(server).unwrap();
            let (outside, answers) = (outside.clone(), socket.clone());
            spawn(move || {
                let mut buffer = [0; 65_536];
                loop {
                    // An error is what an ICMP message left behind.
                    if let Ok(length) = answers.recv(&mut buffer) {
                        let _ = outside.send_to(&buffer[..length], client);
                    }
                }
            });
            socket
        });
        passing(&buffer[..length], &mut |datagram| {
            let _ = socket.send(datagram);
        });
    }
}
