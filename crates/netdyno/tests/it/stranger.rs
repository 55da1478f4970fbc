//! Peers that are not netdyno, or not this one.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// A server that says `words` to everyone and listens on, whatever comes.
pub fn server(words: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    // Ends with the process: nothing asks for its end before.
    std::thread::spawn(move || {
        for guest in listener.incoming() {
            let (mut guest, words) = (guest.unwrap(), words.clone());
            std::thread::spawn(move || {
                let _ = guest.write_all(&words);
                let _ = std::io::copy(&mut guest, &mut std::io::sink());
            });
        }
    });
    address
}

/// Says `words` to a server and gives what it answers until it closes the connection.
pub fn visit(server: SocketAddr, words: &[u8]) -> Vec<u8> {
    let mut connection = TcpStream::connect(server).unwrap();
    connection
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    // A server that has closed already resets the connection.
    let _ = connection.write_all(words);
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(n) = connection.read(&mut buffer) {
        match n {
            0 => break,
            n => answer.extend_from_slice(&buffer[..n]),
        }
    }
    answer
}

/// A control message: a length, then JSON.
pub fn message(json: &str) -> Vec<u8> {
    let mut bytes = (json.len() as u32).to_be_bytes().to_vec();
    bytes.extend_from_slice(json.as_bytes());
    bytes
}
