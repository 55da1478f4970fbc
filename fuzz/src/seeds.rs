//! The inputs that a corpus begins with: real exchanges, and what an enemy would try first.

use proto::native::{Claim, DatagramHeader, DatagramKind, Preamble};
use units::Nanos;

use crate::scene;

/// One file of a corpus.
#[derive(Debug, Clone)]
pub struct Seed {
    /// The entry point.
    pub target: &'static str,
    /// The file's name.
    pub name: String,
    /// Its content.
    pub data: Vec<u8>,
}

/// All of them.
pub fn seeds() -> Vec<Seed> {
    let server = controls("native_control_server", &client_streams());
    let client = controls("native_control_client", &server_streams());
    let netperf = crate::netperf::seeds();
    let iperf2 = crate::iperf2::seeds();
    let iperf3 = crate::iperf3::seeds();
    [
        server,
        client,
        preambles(),
        datagrams(),
        netperf,
        iperf2,
        iperf3,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Streams of a control target by name, each with the stages in which it is tried.
pub(crate) type Streams = Vec<(&'static str, Vec<u8>, &'static [u8])>;

/// Size of the fragments: a prime that cuts lengths and texts in the middle.
const FRAGMENT: u8 = 6;

pub(crate) fn controls(target: &'static str, streams: &Streams) -> Vec<Seed> {
    let seed = |name: &str, stream: &[u8], stage: u8| Seed {
        target,
        name: format!("{name}-{stage:02}"),
        data: [&[stage, FRAGMENT], stream].concat(),
    };
    let all = streams.iter();
    all.flat_map(|(name, stream, stages)| {
        stages.iter().map(move |stage| seed(name, stream, *stage))
    })
    .collect()
}

/// What a server gets.
fn client_streams() -> Streams {
    let frames = scene::client_says().map(|m| m.encode());
    let [hello, propose, start, done, bye] = frames.clone();
    let text = |message: &[u8]| String::from_utf8_lossy(&message[4..]).into_owned();
    let mut streams = vec![
        ("whole-run", frames.concat(), &[0][..]),
        ("hello-bye", [&hello[..], &bye].concat(), &[0]),
        (
            "observe",
            [
                &hello[..],
                &frame(r#"{"observe":{"interval_ns":1000000000}}"#),
                &bye,
            ]
            .concat(),
            &[0],
        ),
        (
            "abort",
            frame(r#"{"abort":{"reason":"\u001b[2Jinterrupted"}}"#),
            &[0, 3, 6, 9],
        ),
        ("start", start, &[4, 5]),
        ("done", done.clone(), &[3, 6, 7]),
        ("done-bye", [&done[..], &bye].concat(), &[7]),
        ("bye", bye, &[6, 10]),
        ("truncated", propose[..propose.len() / 2].to_vec(), &[1]),
        (
            "later-version",
            frame(r#"{"hello":{"protocol":99,"netdyno":"9.9","new":[1]}}"#),
            &[0],
        ),
        (
            "no-flows",
            frame(&text(&propose).replace("\"flows\":3", "\"flows\":0")),
            &[1],
        ),
        (
            "many-flows",
            frame(&text(&propose).replace("\"flows\":3", "\"flows\":4294967295")),
            &[1],
        ),
        (
            "deep-plan",
            frame(&format!(r#"{{"propose":{{"plan":{}"#, "[".repeat(20_000))),
            &[1],
        ),
        (
            "totals-of-nothing",
            frame(r#"{"done":{"sent":[{"load":99999999,"flows":[]}]}}"#),
            &[6],
        ),
        (
            "many-totals",
            frame(&text(&done).replace("30]", &"30,".repeat(3000).replace("30,30", "30]"))),
            &[6],
        ),
    ];
    streams.extend(hostile());
    streams
}

/// What a client gets.
fn server_streams() -> Streams {
    let frames = scene::server_says().map(|m| m.encode());
    let [
        hello,
        accept,
        attached,
        started,
        edge,
        _,
        done,
        report,
        flows,
        _,
        end,
    ] = frames.clone();
    let text = |message: &[u8]| String::from_utf8_lossy(&message[4..]).into_owned();
    let mut streams = vec![
        ("whole-run", frames.concat(), &[0][..]),
        (
            "refuse",
            frame(r#"{"refuse":{"code":"too-many-tests","reason":"64 \u0007 run"}}"#),
            &[0, 1, 2, 3],
        ),
        (
            "refuse-later",
            frame(r#"{"refuse":{"code":"later","reason":"no"}}"#),
            &[2],
        ),
        (
            "abort",
            frame(r#"{"abort":{"reason":"stopping"}}"#),
            &[0, 4, 6, 9, 11],
        ),
        ("hello", hello.clone(), &[0, 1]),
        ("accept", accept.clone(), &[2, 5]),
        ("attached", attached.clone(), &[3, 4]),
        ("started-edges", [&started[..], &edge, &edge].concat(), &[5]),
        ("edges-done", [&edge[..], &done, &edge].concat(), &[6, 7]),
        ("report", [&report[..], &flows, &end].concat(), &[8]),
        ("flows-again", [&flows[..], &flows].concat(), &[9]),
        ("truncated", report[..report.len() / 2].to_vec(), &[8]),
        (
            "later-version",
            frame(&text(&hello).replace("{\"protocol\":", "{\"protocol\":9")),
            &[0],
        ),
        (
            "terminal-facts",
            frame(&text(&hello).replace("\"server\"", r#""\u001b]0;owned\u0007""#)),
            &[0],
        ),
        (
            "short-token",
            frame(&text(&accept).replace("abab", "ab")),
            &[2],
        ),
        ("no-grants", frame(r#"{"attached":{"grants":[]}}"#), &[3]),
        (
            "edge-of-client",
            frame(&text(&edge).replace("server", "client")),
            &[6],
        ),
        (
            "edge-of-none",
            frame(&text(&edge).replace("\"loads\":[", "\"loads\":[],\"x\":[")),
            &[6],
        ),
        (
            "far-flows",
            frame(&text(&flows).replace("\"first\":0", "\"first\":4294967295")),
            &[9],
        ),
        (
            "flows-of-nothing",
            frame(&text(&flows).replace("\"load\":0", "\"load\":18446744073709551615")),
            &[9],
        ),
        ("end-too-soon", end, &[8, 9]),
    ];
    streams.extend(hostile());
    streams
}

/// What neither end should get.
fn hostile() -> Streams {
    let deep = |open: &str| frame(&format!("{{\"hello\":{}", open.repeat(20_000)));
    vec![
        ("empty", vec![], &[0, 6][..]),
        (
            "http",
            b"GET / HTTP/1.1\r\nHost: example.net\r\n\r\n".to_vec(),
            &[0],
        ),
        (
            "tls",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
            &[0],
        ),
        ("length-4g", vec![0xff; 9], &[0, 1, 6]),
        (
            "length-1m",
            [&[0x00, 0x10, 0x00, 0x00], &b"{\"hello\":{"[..]].concat(),
            &[0],
        ),
        (
            "length-1m-and-1",
            [0x00, 0x10, 0x00, 0x01].to_vec(),
            &[0, 6],
        ),
        (
            "length-64m",
            [&[0x04, 0x00, 0x00, 0x00], &b"{\"hello\":{"[..]].concat(),
            &[0],
        ),
        ("length-64m-and-1", [0x04, 0x00, 0x00, 0x01].to_vec(), &[0]),
        ("length-0", vec![0; 12], &[0]),
        ("no-json", frame("hello"), &[0]),
        (
            "no-utf8",
            [&[0, 0, 0, 4], &b"\"\xff\xfe\""[..]].concat(),
            &[0],
        ),
        ("unknown", frame(r#"{"\u001b[2Jsing":{"song":1}}"#), &[0, 6]),
        ("two-in-one", frame(r#"{"bye":{},"start":{}}"#), &[1, 4]),
        (
            "twice-a-key",
            frame(r#"{"hello":{"protocol":1,"protocol":1,"netdyno":""}}"#),
            &[0],
        ),
        (
            "huge-number",
            frame(r#"{"hello":{"protocol":1e999,"netdyno":""}}"#),
            &[0],
        ),
        (
            "no-number",
            frame(r#"{"hello":{"protocol":NaN,"netdyno":""}}"#),
            &[0],
        ),
        ("deep-lists", deep("["), &[0]),
        ("deep-objects", deep("{\"a\":"), &[0]),
        ("deep-skipped", deep("{\"protocol\":1,\"x\":["), &[0]),
    ]
}

fn preambles() -> Vec<Seed> {
    let claim = Claim {
        token: scene::TOKEN,
        load: 1,
        flow: 0x0203_0405,
    };
    let seed = |name: &str, data: &[u8]| Seed {
        target: "native_preamble",
        name: name.into(),
        data: data.into(),
    };
    let data = Preamble::Data(claim).encode();
    let mut load_in_control = Preamble::Control.encode();
    load_in_control[11] = 1;
    vec![
        seed("control", &Preamble::Control.encode()),
        seed("data", &data),
        seed("data-and-payload", &[&data[..], &[0; 50]].concat()),
        seed("data-truncated", &data[..31]),
        seed("udp-hello", &Preamble::UdpHello(claim).encode()),
        seed("udp-welcome", &Preamble::UdpWelcome(claim).encode()),
        seed("load-in-control", &load_in_control),
        seed("later-version", b"NETDYNO\x02\x01"),
        seed("unknown-kind", b"NETDYNO\x01\x05"),
        seed("not-zero", b"NETDYNO\x01\x02\x01"),
        seed("http", b"GET / HTTP/1.1\r\n\r\n"),
        seed("nearly", b"NETDYNX"),
        seed("empty", b""),
    ]
}

fn datagrams() -> Vec<Seed> {
    let seed = |name: &str, data: &[u8]| Seed {
        target: "native_datagram",
        name: name.into(),
        data: data.into(),
    };
    let header = |kind| {
        let mut datagram = vec![0x55; 60];
        DatagramHeader {
            kind,
            load: 1,
            flow: 2,
            seq: u64::MAX,
            sent: Nanos::from_secs(3),
        }
        .encode_into(&mut datagram);
        datagram
    };
    let data = header(DatagramKind::Data);
    let hello = Preamble::UdpHello(Claim {
        token: scene::TOKEN,
        load: 1,
        flow: 2,
    });
    vec![
        seed("data", &data),
        seed("data-smallest", &data[..24]),
        seed("data-truncated", &data[..23]),
        seed("request", &header(DatagramKind::Request)),
        seed("reply", &header(DatagramKind::Reply)),
        seed("goodbye", &header(DatagramKind::Goodbye)),
        seed("unknown-kind", &[&[0xd5], &data[1..]].concat()),
        seed("not-zero", &[&[0xd1, 1], &data[2..]].concat()),
        seed("hello", &hello.encode()),
        seed("empty", b""),
    ]
}

fn frame(json: &str) -> Vec<u8> {
    let length = u32::try_from(json.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes(), json.as_bytes()].concat()
}
