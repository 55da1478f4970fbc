//! The inputs that netperf's corpora begin with.

use proto::netperf::{Frame, Request, TestRequest};

use super::scene;
use crate::seeds::{Seed, Streams, controls};

/// All of them.
pub(crate) fn seeds() -> Vec<Seed> {
    let server = controls("netperf_server", &client_streams());
    let client = controls("netperf_client", &server_streams());
    [server, client].into_iter().flatten().collect()
}

fn bytes(frame: &Frame) -> Vec<u8> {
    frame.as_bytes().to_vec()
}

fn ask(test: TestRequest) -> Vec<u8> {
    let request = Request::Test { cpu: Some(1), test };
    bytes(&request.encode())
}

/// `message` with another word at `at`.
fn with(message: &[u8], at: usize, word: u32) -> Vec<u8> {
    let mut changed = message.to_vec();
    changed[4 * at..4 * at + 4].copy_from_slice(&word.to_be_bytes());
    changed
}

/// What a server gets.
fn client_streams() -> Streams {
    let [omni, stream, maerts, exchange, udp] = scene::tests().map(ask);
    let passphrase = |text: &str| bytes(&Request::Passphrase(text.into()).encode());
    let small = [Request::DebugOn, Request::SystemInfo, Request::DebugOff];
    let small: Vec<_> = small.iter().flat_map(|one| bytes(&one.encode())).collect();
    let unlocked: &[u8] = &[1];
    let whole = [
        passphrase(scene::PASSPHRASE),
        omni.clone(),
        stream.clone(),
        bytes(&Request::Calibrate.encode()),
    ];
    let mut streams: Streams = vec![
        ("whole-run", whole.concat(), &[0]),
        ("wrong-passphrase", passphrase("open"), &[0, 1]),
        ("no-passphrase", omni.clone(), &[0]),
        ("small-messages", small, unlocked),
        ("calibrate", bytes(&Request::Calibrate.encode()), unlocked),
        ("omni", omni.clone(), &[1, 2, 3, 4, 5, 6]),
        ("stream", stream, unlocked),
        ("maerts", maerts, unlocked),
        ("exchange", exchange, unlocked),
        ("udp-stream", udp, unlocked),
        ("omni-twice", [&omni[..], &omni].concat(), unlocked),
        ("absurd-send-size", with(&omni, 3, 0x7fff_ffff), unlocked),
        ("absurd-buffer", with(&omni, 2, 0x8000_0000), unlocked),
        ("zero-sizes", with(&with(&omni, 3, 0), 9, 0), unlocked),
        ("zero-alignments", with(&with(&omni, 4, 0), 10, 0), unlocked),
        ("far-port", with(&omni, 22, 65536), unlocked),
        ("no-family", with(&omni, 23, 7), unlocked),
        ("dccp", with(&with(&omni, 24, 3), 25, 33), unlocked),
        ("connect-udp", with(&with(&omni, 24, 2), 25, 17), unlocked),
        ("for-ever", with(&omni, 16, 0), unlocked),
        ("most-seconds", with(&omni, 16, 0x7fff_ffff), unlocked),
        ("most-transactions", with(&omni, 16, 0x8000_0000), unlocked),
        ("far-cpu", with(&omni, 1, 0x7fff_ffff), unlocked),
        (
            "terminal-congestion",
            with(&omni, 40, 0x1b5b_324a),
            unlocked,
        ),
        (
            "swapped-type",
            with(&omni, 0, 97_u32.swap_bytes()),
            unlocked,
        ),
        ("unknown-type", with(&omni, 0, 777), &[0, 1, 4]),
        ("message-of-2.5", omni[..256].to_vec(), unlocked),
        ("truncated", omni[..655].to_vec(), &[0, 1, 4]),
        ("many-debugs", debugs(120), unlocked),
    ];
    streams.extend(hostile());
    streams
}

/// What a client gets.
fn server_streams() -> Streams {
    let [omni, ..] = scene::tests();
    let response = bytes(&scene::opened().encode(&omni));
    let results = bytes(&scene::tally().encode(&omni));
    // netserver leaves the swapped type of its response in its results.
    let stale = with(&results, 0, 98_u32.swap_bytes());
    let mut streams: Streams = vec![
        ("whole-test", [&response[..], &stale].concat(), &[3]),
        (
            "two-tests",
            [&response[..], &results, &response, &results].concat(),
            &[3],
        ),
        ("response", response.clone(), &[0, 1, 2, 3, 4, 5]),
        ("no-port", with(&response, 13, 0), &[3]),
        ("far-port", with(&response, 13, 65536), &[3]),
        ("results", results.clone(), &[4, 5]),
        ("no-numbers", with(&with(&results, 18, !0), 12, !0), &[5]),
        ("endless-time", with(&results, 12, 0x7f7f_ffff), &[5]),
        ("negative-time", with(&results, 12, 0xbf80_0000), &[5]),
        ("no-method", with(&results, 20, !0), &[5]),
        ("terminal-congestion", with(&results, 69, 0x1b5b_324a), &[5]),
        ("error-98", with(&response, 1, 98), &[1, 3]),
        ("error-992", with(&results, 1, 992), &[4, 5]),
        ("error-998", bytes(&Frame::new(97, 998)), &[0, 1, 3]),
        ("truncated", results[..655].to_vec(), &[1, 3, 5]),
        ("message-of-2.5", response[..256].to_vec(), &[3]),
        ("results-twice", [&results[..], &results].concat(), &[4, 5]),
    ];
    for (name, layout, stage) in [
        ("stream", 1, &[6][..]),
        ("maerts", 2, &[9]),
        ("exchange", 3, &[12]),
        ("udp-stream", 4, &[15]),
    ] {
        let test = &scene::tests()[layout];
        let response = bytes(&scene::opened().encode(test));
        let results = bytes(&scene::tally().encode(test));
        streams.push((name, [&response[..], &results].concat(), stage));
    }
    streams.extend(hostile());
    streams
}

/// What neither end should get.
fn hostile() -> Streams {
    vec![
        ("empty", vec![], &[0, 1, 4]),
        (
            "http",
            b"GET / HTTP/1.1\r\nHost: example.net\r\n\r\n".repeat(20),
            &[0, 1],
        ),
        ("zeros", vec![0; 2 * Frame::LEN], &[1, 3, 5]),
        ("ones", vec![0xff; 2 * Frame::LEN], &[1, 3, 5]),
    ]
}

fn debugs(count: usize) -> Vec<u8> {
    Request::DebugOn.encode().as_bytes().repeat(count)
}
