//! Peers that misbehave: they get a sentence or their number, and nothing of them lasts.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::Stdio;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use plan::Family;
use proto::iperf3::{Cookie, Results, StreamId};
use record::End;

use super::{Said, Served, Whose};
use crate::hosts::{Hosts, hosts};
use crate::process::{eventually, netdyno};

const PATIENCE: Option<Duration> = Some(Duration::from_secs(30));

/// A client of our own making.
struct Raw {
    stream: TcpStream,
    cookie: Cookie,
}

/// Cookies so far.
static COOKIES: AtomicU8 = AtomicU8::new(0);

impl Raw {
    fn connect(at: SocketAddr) -> Self {
        let mut stream = TcpStream::connect(at).unwrap();
        stream.set_read_timeout(PATIENCE).unwrap();
        // What comes with the cookie of a test that goes on is a stream of it.
        let number = COOKIES.fetch_add(1, Ordering::Relaxed);
        let cookie = Cookie::new(std::array::from_fn(|n| 0x80 | n as u8 ^ number));
        stream.write_all(cookie.bytes()).unwrap();
        Self { stream, cookie }
    }

    fn byte(&mut self) -> u8 {
        let mut byte = [0];
        self.stream.read_exact(&mut byte).unwrap();
        byte[0]
    }

    fn say(&mut self, text: &str) {
        let length = (text.len() as u32).to_be_bytes();
        self.stream.write_all(&length).unwrap();
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    fn hear(&mut self) -> Vec<u8> {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).unwrap();
        let mut text = vec![0; u32::from_be_bytes(length) as usize];
        self.stream.read_exact(&mut text).unwrap();
        text
    }

    /// To where streams may be opened.
    fn asked(at: SocketAddr, parameters: &str) -> Self {
        let mut raw = Self::connect(at);
        assert_eq!(raw.byte(), 9, "PARAM_EXCHANGE");
        raw.say(parameters);
        assert_eq!(raw.byte(), 10, "CREATE_STREAMS");
        raw
    }

    /// From the end of the test to its results.
    fn results(mut self) -> Results {
        self.stream.write_all(&[4]).unwrap();
        assert_eq!(self.byte(), 13, "EXCHANGE_RESULTS");
        // The keys that are needed, and no more.
        self.say(
            r#"{"cpu_util_total":0,"cpu_util_user":0,"cpu_util_system":0,"sender_has_retransmits":0,"streams":[]}"#,
        );
        let results = Results::decode(&self.hear()).unwrap();
        assert_eq!(self.byte(), 14, "DISPLAY_RESULTS");
        self.stream.write_all(&[16]).unwrap();
        // It closes at once.
        assert_eq!(self.stream.read(&mut [0]).unwrap(), 0);
        results
    }
}

const UDP: &str =
    r#"{"udp":true,"omit":0,"time":10,"num":0,"blockcount":0,"parallel":1,"len":1000}"#;
const TCP: &str =
    r#"{"tcp":true,"omit":0,"time":10,"num":0,"blockcount":0,"parallel":1,"len":1000}"#;

/// A UDP stream that has had its reply.
fn stream(at: SocketAddr, hello: &[u8; 4], reply: &[u8; 4]) -> UdpSocket {
    let any: SocketAddr = if at.is_ipv4() {
        "0.0.0.0:0".parse().unwrap()
    } else {
        "[::]:0".parse().unwrap()
    };
    let socket = UdpSocket::bind(any).unwrap();
    socket.set_read_timeout(PATIENCE).unwrap();
    socket.connect(at).unwrap();
    socket.send(hello).unwrap();
    let mut answer = [0; 64];
    let n = socket.recv(&mut answer).unwrap();
    assert_eq!(&answer[..n], reply);
    socket
}

#[test]
fn numbers_of_datagrams_count_as_at_every_iperf3() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6500, "");
        let hellos: [([u8; 4], [u8; 4]); 2] = [
            (*b"9876", *b"6789"),
            ([0x15, 0xcd, 0x5b, 0x07], [0xb1, 0x68, 0xde, 0x3a]),
        ];
        let vectors: [(&[u32], i64, i64); 7] = [
            (&[1, 2, 3], 0, 3),
            (&[1, 2, 5, 6], 2, 6),
            (&[1, 2, 5, 3, 4, 6], 0, 6),
            (&[3, 4], 2, 4),
            (&[1, 5, 3, 3, 3, 3, 6], 0, 6),
            (&[0, 1, 2], 0, 2),
            (&[1, 2, 4_294_967_295], 4_294_967_292, 4_294_967_295),
        ];
        for (n, (numbers, lost, packets)) in vectors.into_iter().enumerate() {
            let mut raw = Raw::asked(served.at, UDP);
            let (hello, reply) = hellos[n % 2];
            let socket = stream(served.at, &hello, &reply);
            assert_eq!((raw.byte(), raw.byte()), (1, 2));
            for number in numbers {
                let mut datagram = [0; 1000];
                datagram[8..12].copy_from_slice(&number.to_be_bytes());
                socket.send(&datagram).unwrap();
            }
            let results = raw.results();
            let one = results.stream(StreamId::of_index(0)).unwrap();
            assert_eq!((one.lost, one.packets), (lost, packets), "{numbers:?}");
            assert_eq!(one.bytes, 1000 * numbers.len() as u64);
        }
    });
}

#[test]
fn a_stranger_among_the_streams_takes_no_place() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6501, "--max-tests 1");
        let mut raw = Raw::asked(served.at, TCP);
        let mut stranger = TcpStream::connect(served.at).unwrap();
        stranger.set_read_timeout(PATIENCE).unwrap();
        stranger.write_all(&[b'x'; 37]).unwrap();
        let mut answer = Vec::new();
        stranger.read_to_end(&mut answer).unwrap();
        assert_eq!(answer, [0xff], "ACCESS_DENIED");
        let mut data = TcpStream::connect(served.at).unwrap();
        data.write_all(raw.cookie.bytes()).unwrap();
        assert_eq!((raw.byte(), raw.byte()), (1, 2));
        data.write_all(&[7; 2500]).unwrap();
        assert_eq!(raw.results().streams[0].bytes, 2500);
    });
}

#[test]
fn nonsense_is_answered_with_its_number() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(
            hosts,
            Whose::Ours,
            6502,
            "--server-bitrate-limit 10M --server-max-duration 30",
        );
        let long: &[u8] = &[0x7f, 0xff, 0xff, 0xff];
        let text = |text: &str| [&(text.len() as u32).to_be_bytes(), text.as_bytes()].concat();
        for (says, number) in [
            (long.to_vec(), 114),
            (text("nonsense"), 114),
            (text(r#"{"tcp":true,"parallel":0}"#), 6),
            (text(r#"{"tcp":true,"bandwidth":20000000}"#), 27),
            (
                text(r#"{"tcp":true,"bandwidth":6000000,"bidirectional":true}"#),
                27,
            ),
            (text(r#"{"tcp":true,"time":31}"#), 37),
            (text(r#"{"tcp":true,"time":0}"#), 37),
        ] {
            let mut raw = Raw::connect(served.at);
            assert_eq!(raw.byte(), 9);
            raw.stream.write_all(&says).unwrap();
            let mut answer = Vec::new();
            raw.stream.read_to_end(&mut answer).unwrap();
            assert_eq!(answer, [0xfe, 0, 0, 0, number, 0, 0, 0, 0]);
        }
    });
}

fn threads(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/task")).unwrap().count()
}

#[test]
fn clients_that_vanish_leave_nothing() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6503, "");
        let pid = served.child.id();
        eventually("it is alone", || (threads(pid) == 1).then_some(()));
        let descriptors = || fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
        let before = descriptors();
        let mut gone = Vec::new();
        // Half a cookie.
        let mut half = TcpStream::connect(served.at).unwrap();
        half.write_all(b"half").unwrap();
        // A cookie and no parameters; half of them.
        let cookie = Raw::connect(served.at);
        let mut parameters = Raw::connect(served.at);
        parameters.stream.write_all(&[0, 0, 0, 99, b'{']).unwrap();
        gone.extend([half, cookie.stream, parameters.stream]);
        // No stream, and one of two.
        gone.push(Raw::asked(served.at, TCP).stream);
        let two = TCP.replace("\"parallel\":1", "\"parallel\":2");
        let one = Raw::asked(served.at, &two);
        let mut data = TcpStream::connect(served.at).unwrap();
        data.write_all(one.cookie.bytes()).unwrap();
        gone.extend([one.stream, data]);
        drop(gone);
        // In the middle of tests, in either direction.
        for more in ["", "\"reverse\":true,"] {
            let parameters = TCP.replace("\"omit\"", &format!("{more}\"omit\""));
            let mut raw = Raw::asked(served.at, &parameters);
            let mut data = TcpStream::connect(served.at).unwrap();
            data.write_all(raw.cookie.bytes()).unwrap();
            assert_eq!((raw.byte(), raw.byte()), (1, 2));
        }
        for more in ["", "\"reverse\":true,"] {
            let parameters = UDP.replace("\"omit\"", &format!("{more}\"omit\""));
            let mut raw = Raw::asked(served.at, &parameters);
            let _socket = stream(served.at, b"9876", b"6789");
            assert_eq!((raw.byte(), raw.byte()), (1, 2));
        }
        eventually("all of it is gone", || {
            (threads(pid) == 1 && descriptors() <= before).then_some(())
        });
        Said::asking(Whose::Ours, served.at, "-n 1M").well("the next test");
    });
}

/// A server that says these bytes, each when the client has said something, and then does `then`.
fn fake(hosts: &Hosts<'_>, says: &'static [u8], last: &'static [u8]) -> Said {
    let at = SocketAddr::new(hosts.address(End::Client), 0);
    let listener = TcpListener::bind(at).unwrap();
    let at = listener.local_addr().unwrap();
    std::thread::scope(|scope| {
        let server = scope.spawn(move || {
            let (mut control, _) = listener.accept().unwrap();
            control.set_read_timeout(PATIENCE).unwrap();
            let mut streams = Vec::new();
            let mut cookie = [0; Cookie::LEN];
            control.read_exact(&mut cookie).unwrap();
            for byte in says {
                control.write_all(&[*byte]).unwrap();
                let mut buffer = [0; 4096];
                match byte {
                    9 | 13 => drop(control.read(&mut buffer)),
                    10 => {
                        let (mut data, _) = listener.accept().unwrap();
                        data.read_exact(&mut cookie).unwrap();
                        streams.push(data);
                    }
                    // The end of the test, which the client says.
                    2 if says.len() > 4 => drop(control.read(&mut buffer)),
                    _ => (),
                }
            }
            control.write_all(last).unwrap();
            // What the client says in the end is read, so that it gets all of the above.
            let _ = control.shutdown(std::net::Shutdown::Write);
            let _ = control.read_to_end(&mut Vec::new());
        });
        let said = Said::asking(Whose::Ours, at, "-n 10K -l 1000 --connect-timeout 5000");
        server.join().unwrap();
        said
    })
}

#[test]
fn a_server_that_gives_up_is_quoted_in_every_state() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let whole: &'static [u8] = &[9, 10, 1, 2, 13];
        for n in 0..=whole.len() {
            let says = &whole[..n];
            let said = fake(hosts, says, &[0xfe, 0, 0, 0, 27, 0, 0, 0, 0]);
            assert_eq!(said.code, Some(1), "{says:?}: {said:?}");
            assert!(said.error("27").contains("limit"), "{says:?}: {said:?}");
            let said = fake(hosts, says, &[0xfe, 0, 0, 0, 142]);
            assert!(said.error("142").contains("credentials"), "{said:?}");
            let said = fake(hosts, says, &[]);
            assert_eq!(said.code, Some(1), "{says:?}: {said:?}");
            assert!(
                said.error("closed").contains("closed"),
                "{says:?}: {said:?}"
            );
        }
        let said = fake(hosts, &[], &[0xff]);
        assert!(said.error("busy").contains("busy"));
        let said = fake(hosts, &whole[..4], &[11]);
        assert!(said.error("terminated").contains("terminated"));
        let said = fake(hosts, whole, &[0x7f, 0xff, 0xff, 0xff]);
        assert!(said.error("length").contains("2147483647"));
        let said = fake(hosts, &whole[..1], &[0x55]);
        assert!(said.error("unknown").contains("0x55"));
    });
}

/// A server that is killed in the middle of a test: an error, and all that was measured.
#[test]
fn a_server_that_is_killed_takes_no_figures_along() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        let cells = [
            (Whose::Theirs, "", "sent"),
            (Whose::Theirs, "-R", "received"),
            (Whose::Ours, "-u -R", "received"),
        ];
        for (port, (server, words, way)) in (6530..).zip(cells) {
            let mut served = Served::start(hosts, server, port, "");
            let state = tempfile::tempdir().unwrap();
            let mut command = Whose::Ours.command();
            command.env("XDG_STATE_HOME", state.path());
            command.args(["-c", &served.at.ip().to_string(), "-p", &port.to_string()]);
            command.args("-t 60 -b 5M -i 0.2 --json-stream".split(' '));
            command.args(words.split_whitespace());
            let mut client = command.stdout(Stdio::piped()).spawn().unwrap();
            let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
            let of = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
            // Data moves.
            while of(&lines.next().unwrap().unwrap())["data"]["sum"]["bytes"]
                .as_u64()
                .unwrap_or(0)
                == 0
            {}
            served.child.kill().unwrap();
            let rest: Vec<_> = lines.map(|line| of(&line.unwrap())).collect();
            assert_eq!(client.wait().unwrap().code(), Some(1), "{words}");
            let events: Vec<_> = rest.iter().map(|event| &event["event"]).collect();
            assert!(events.contains(&&"error".into()), "{words}: {rest:?}");
            assert_eq!(*events[events.len() - 1], "end", "{words}: {rest:?}");
            let mut show = netdyno();
            show.args(["show", "--json"]);
            show.env("XDG_STATE_HOME", state.path());
            let shown = of(std::str::from_utf8(&show.output().unwrap().stdout).unwrap());
            assert_eq!(shown["status"], "failed", "{words}: {shown}");
            let bytes = shown["loads"][0][way]["bytes"].as_u64();
            assert!(
                bytes.is_some_and(|bytes| bytes > 10_000),
                "{words}: {shown}"
            );
        }
    });
}
