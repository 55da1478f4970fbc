//! Peers that speak something else.

use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use record::Status;

use crate::client::Client;
use crate::server::Server;
use crate::stranger;

/// A run against a peer that answers with `words`: its code and its sentence.
fn against(words: Vec<u8>) -> (i32, String) {
    let peer = stranger::server(words);
    let ended = Client::new(&format!("{peer} -t 1 --json")).end();
    assert!(ended.took < Duration::from_secs(1 + 5), "{:?}", ended.took);
    let run = ended.document();
    assert_eq!(run.status, Status::Failed);
    (ended.code, run.reason.unwrap())
}

#[test]
fn a_server_of_another_version_is_code_4() {
    // As a server refuses that compares versions itself.
    let refusal = r#"{"refuse":{"code":"version","reason":"this server speaks version 999"}}"#;
    let (code, reason) = against(stranger::message(refusal));
    assert_eq!(code, 4, "{reason}");
    assert!(
        reason.contains("this server speaks version 999"),
        "{reason}"
    );
    // And one that leaves it to the client.
    let facts = serde_json::to_string(&record::Facts::default()).unwrap();
    let hello = format!(r#"{{"hello":{{"protocol":999,"netdyno":"9.8.7","facts":{facts}}}}}"#);
    let (code, reason) = against(stranger::message(&hello));
    assert_eq!(code, 4, "{reason}");
    assert!(
        reason.contains("9.8.7") && reason.contains("999"),
        "{reason}"
    );
}

#[test]
fn a_server_that_is_something_else_is_code_4() {
    for junk in [
        b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        b"SSH-2.0-OpenSSH_9.9\r\n".to_vec(),
        vec![0; 4096],
        vec![0xff; 4096],
        stranger::message("{}"),
        stranger::message(r#"{"start":{}}"#),
        stranger::message(&"[".repeat(100_000)),
    ] {
        let start = String::from_utf8_lossy(&junk[..junk.len().min(30)]).into_owned();
        let (code, reason) = against(junk);
        assert_eq!(code, 4, "{start:?}: {reason}");
    }
}

#[test]
fn a_server_that_says_nothing_is_code_3() {
    let (code, reason) = against(Vec::new());
    assert_eq!(code, 3, "{reason}");
}

/// The first bytes of a control connection, as they are since the first version.
const PREAMBLE: [u8; 32] = {
    let mut preamble = *b"NETDYNO\x01\x01.......................";
    let mut at = 9;
    while at < 32 {
        preamble[at] = 0;
        at += 1;
    }
    preamble
};

#[test]
fn a_client_of_another_version_is_told_so() {
    let server = Server::start("");
    let mut words = PREAMBLE.to_vec();
    words.extend(stranger::message(
        r#"{"hello":{"protocol":999,"netdyno":"9.8.7"}}"#,
    ));
    let answer = stranger::visit(server.address(), &words);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.contains(r#""refuse""#), "{answer:?}");
    assert!(answer.contains(r#""code":"version""#), "{answer:?}");
}

#[test]
fn junk_at_the_port_disturbs_no_test() {
    let server = Server::start("");
    let words = format!("{} -t 2 --no-probe --json", server.address());
    let load = "udp-stream:rate=10M";
    let client = Client::new(&words).word("--load").word(load).start();
    client.measures(record::End::Server, 1);
    let datagrams = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut controls = PREAMBLE.to_vec();
    controls.extend(stranger::message(r#"{"propose":{"plan":{}}}"#));
    let mut data = PREAMBLE.to_vec();
    data[8] = 2;
    for junk in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        &[0; 1000],
        &[0xff; 100],
        b"NETDYNO",
        &controls,
        &data,
    ] {
        datagrams.send_to(junk, server.address()).unwrap();
        if junk != b"NETDYNO" {
            stranger::visit(server.address(), junk);
        }
    }
    let ended = client.end();
    ended.went_to_its_end();
    let run = ended.document();
    let loss = &run.loads[0].loss[0];
    assert_eq!((loss.malformed, loss.duplicate), (0, 0), "{loss:?}");
    assert!(loss.sent > 0 && loss.received + loss.lost == loss.sent);
    // And the next test is served as well.
    Client::new(&format!("{} -t 0.2 --no-probe", server.address())).document();
}

#[test]
fn a_connection_that_says_nothing_is_dropped_after_its_time() {
    let server = Server::start("");
    for start in [&b""[..], b"NETDYNO", &PREAMBLE] {
        // The read's own time is longer than the server's patience: the server closes.
        let answer = stranger::visit(server.address(), start);
        assert!(answer.len() < 4096, "{answer:?}");
    }
    Client::new(&format!("{} -t 0.2 --no-probe", server.address())).document();
}
