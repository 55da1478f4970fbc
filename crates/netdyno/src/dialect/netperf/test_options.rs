//! The options of a test, behind `--`.

use plan::Family;
use proto::netperf::{TestName, Transport};
use report::dialect::netperf::{Layout, Selection, SelectionError, Selector};
use units::Bytes;

use std::io;
use std::path::Path;

use super::getopt::{Found, Letters, Wrong};
use super::global::both;
use super::pair::{explicit, mirrored};
use super::{Ends, Refusal, Sizes, Socket, family, help, number};

/// Of omni tests.
const OMNI: Letters = Letters {
    known: "aBb:cCd:De:fFgG:hH:i:Ij:kK:l:L:m:M:nNoOp:P:q:r:R:s:S:t:T:u:UVw:W:46",
    optional: "koO",
    is_optional_value: |word| !word.starts_with('-'),
    long: &[],
};

/// Of TCP_SENDFILE, TCP_CC and TCP_MSS.
const CLASSIC: Letters = Letters {
    known: "aAb:CDnNhH:L:m:M:p:P:r:R:s:S:T:Vw:W:z46",
    ..OMNI
};

/// Of SCTP tests.
const SCTP: Letters = Letters {
    known: "BDhH:I:L:m:M:P:r:s:S:VN:T:46",
    ..OMNI
};

/// The option letters of a test.
pub(super) fn letters(test: TestName) -> &'static Letters {
    match test {
        TestName::TcpSendfile | TestName::TcpCc | TestName::TcpMss => &CLASSIC,
        TestName::SctpStream
        | TestName::SctpStreamMany
        | TestName::SctpRr
        | TestName::SctpRrMany => &SCTP,
        _ => &OMNI,
    }
}

/// What was typed. None is what the test does by itself.
#[derive(Debug, Clone, Default)]
pub(super) struct TestOptions {
    pub sizes: Sizes,
    pub socket: Socket,
    pub routing: Option<bool>,
    pub transport: Option<Transport>,
    /// netperf's bits: 2 sends, 4 receives.
    pub direction: Option<u32>,
    pub reconnects: bool,
    pub hosts: Ends<Option<String>>,
    pub families: Ends<Option<Family>>,
    pub ports: Ends<Option<u16>>,
    pub port_range: Option<(u16, u16)>,
    pub burst: Option<u32>,
    pub answer_timeout_seconds: Option<u32>,
    pub keeps_trying: bool,
    pub avoids_copies: bool,
    pub uuid: Option<String>,
    pub layout: Option<Layout>,
    pub layout_of_file: bool,
    pub associations: Option<u32>,
    pub notes: Vec<String>,
}

/// The options of `test` that were found. Unknown ones have no effect, as with netperf, which goes
/// on with IPv4 there.
pub(super) fn test_options(
    test: TestName,
    finds: Vec<Result<Found<'_>, Wrong>>,
    read: &dyn Fn(&Path) -> io::Result<String>,
) -> Result<TestOptions, Refusal> {
    let mut options = TestOptions::default();
    let of = letters(test).known;
    for find in finds {
        match find {
            Ok(Found::Option(letter, value)) if of == SCTP.known => {
                options.take_sctp(letter, value.unwrap_or_default())?;
            }
            Ok(Found::Option(letter, value)) => {
                options.take(letter, value, of == CLASSIC.known, read)?;
            }
            Ok(Found::Long(name, _)) => options.note(format!("--{name} has no effect")),
            Ok(Found::Operand(word)) => {
                options.note(format!("'{word}' is no option and has no effect"));
            }
            Err(Wrong::Unknown(option)) if option == "--help" => return Err(help::netperf(0)),
            Err(Wrong::Unknown(option)) => {
                let test = test.as_str();
                options.note(format!("{option} is no option of {test} and has no effect"));
            }
            Err(Wrong::NoValue(option)) => {
                options.note(format!("{option} needs a value and has no effect"));
            }
        }
    }
    Ok(options)
}

impl TestOptions {
    fn take(
        &mut self,
        letter: char,
        value: Option<&str>,
        classic: bool,
        read: &dyn Fn(&Path) -> io::Result<String>,
    ) -> Result<(), Refusal> {
        let option = &format!("-{letter}");
        let text = value.unwrap_or_default();
        let socket = &mut self.socket;
        match letter {
            'a' | 'A' if classic => self.has_none(option, "data is not sent asynchronously here"),
            'z' => self.has_none(option, "netperf knows no meaning of it"),
            '4' => self.families = Ends::of(Some(Family::V4)),
            '6' => self.families = Ends::of(Some(Family::V6)),
            'a' => socket.defer_accept = true,
            'b' => self.burst = Some(number::count(option, text)?),
            'B' => socket.pktinfo = true,
            'c' => self.reconnects = true,
            'C' => socket.cork = true,
            'd' => self.direction = Some(direction(option, text)?),
            'D' => socket.nodelay = true,
            'e' => self.answer_timeout_seconds = Some(number::count(option, text)?),
            'f' => socket.mtu_discover = true,
            'F' => socket.fastopen = true,
            'g' => self.has_none(option, "SO_DEBUG does nothing on Linux"),
            'G' => socket.mss = Some(Bytes::new(number::count(option, text)?.into())),
            'h' => return Err(help::netperf(1)),
            'H' => self.take_host(option, text, true),
            'L' => self.take_host(option, text, false),
            'i' => self.has_none(option, "netperf has given it up"),
            'I' => self.has_none(option, "data is sent in one way only here"),
            'j' => self.has_none(option, "netperf reads it and does nothing"),
            'k' | 'o' | 'O' => {
                let (selection, of_file) = selection(letter, value, read)?;
                self.layout_of_file = of_file;
                self.layout = Some(match letter {
                    'k' => Layout::Keyval(selection),
                    'o' => Layout::Csv(selection),
                    _ => Layout::Human(selection),
                });
            }
            'K' => socket.congestion = both(mirrored(text), |name| Ok(name.to_owned()))?,
            'l' => socket.multicast_ttl = u8::try_from(number::count(option, text)?).ok(),
            'm' if classic => self.sizes.send.local = size(option, text)?,
            'M' if classic => self.sizes.recv.remote = size(option, text)?,
            'm' => self.sizes.send = sizes(explicit(text), option)?,
            // The server's comes first.
            'M' => {
                let Ends { local, remote } = sizes(explicit(text), option)?;
                self.sizes.recv = Ends {
                    local: remote,
                    remote: local,
                };
            }
            'n' => socket.connected.local = true,
            'N' => socket.connected.remote = true,
            'p' => self.port_range = range(option, text)?,
            'P' => self.ports = both(mirrored(text), |text| number::port(option, text))?,
            'q' => socket.pacing_bytes_per_second = Some(number::long(option, text)?),
            'r' => self.take_exchange(option, text)?,
            'R' => self.routing = Some(number::count(option, text)? != 0),
            's' | 'S' => self.take_buffers(letter, text)?,
            't' => {
                self.transport = match text {
                    "stream" => self.transport,
                    "dgram" => self.transport.or(Some(Transport::Udp)),
                    _ => return Err(number::refused(option, text, "stream or dgram")),
                };
            }
            'T' if classic => self.has_none(option, "the test is of TCP"),
            'T' => self.transport = Some(transport(option, text)?),
            'u' => self.uuid = Some(text.chars().take(LONGEST_UUID).collect()),
            'U' => self.keeps_trying = true,
            'V' => self.avoids_copies = true,
            'w' | 'W' => self.has_none(option, "data is sent from one buffer here"),
            _ => {}
        }
        Ok(())
    }

    fn take_sctp(&mut self, letter: char, text: &str) -> Result<(), Refusal> {
        let option = &format!("-{letter}");
        match letter {
            '4' => self.families = Ends::of(Some(Family::V4)),
            '6' => self.families = Ends::of(Some(Family::V6)),
            'B' | 'I' | 'N' => self.has_none(option, "associations carry what time allows"),
            'D' => self.socket.nodelay = true,
            'h' => return Err(help::netperf(1)),
            'H' => self.take_host(option, text, true),
            'L' => self.take_host(option, text, false),
            'm' => self.sizes.send.local = size(option, text)?,
            'M' => self.sizes.recv.remote = size(option, text)?,
            'P' => self.ports = both(mirrored(text), |text| number::port(option, text))?,
            'r' => self.take_exchange(option, text)?,
            's' | 'S' => self.take_buffers(letter, text)?,
            'T' => self.associations = Some(number::count(option, text)?),
            'V' => self.avoids_copies = true,
            _ => {}
        }
        Ok(())
    }

    fn take_exchange(&mut self, option: &str, text: &str) -> Result<(), Refusal> {
        let Ends { local, remote } = sizes(mirrored(text), option)?;
        self.sizes.request = local.or(self.sizes.request);
        self.sizes.response = remote.or(self.sizes.response);
        Ok(())
    }

    fn take_buffers(&mut self, letter: char, text: &str) -> Result<(), Refusal> {
        let option = &format!("-{letter}");
        let Ends { local, remote } = both(mirrored(text), |text| number::size(option, text))?;
        let (send, recv) = (local.flatten(), remote.flatten());
        let socket = &mut self.socket;
        match letter {
            's' => (socket.send_buffer.local, socket.recv_buffer.local) = (send, recv),
            _ => (socket.send_buffer.remote, socket.recv_buffer.remote) = (send, recv),
        }
        Ok(())
    }

    fn take_host(&mut self, option: &str, text: &str, remote: bool) {
        let (host, family) = explicit(text);
        let host = host.map(|host| match host.split_once('/') {
            None => host.to_owned(),
            Some((host, mask)) => {
                self.note(format!(
                    "{option}: hosts are not made up here, /{mask} has no effect"
                ));
                host.to_owned()
            }
        });
        let family = family.and_then(family::family);
        let (to, its_family) = match remote {
            true => (&mut self.hosts.remote, &mut self.families.remote),
            false => (&mut self.hosts.local, &mut self.families.local),
        };
        *to = host.or(to.take());
        *its_family = family.or(*its_family);
    }

    fn has_none(&mut self, option: &str, reason: &str) {
        self.note(format!("{option}: {reason}, it has no effect"));
    }

    fn note(&mut self, sentence: String) {
        self.notes.push(sentence);
    }
}

/// netperf has room for so many characters.
const LONGEST_UUID: usize = 37;

/// A size of a message; 0 is the default, as -1.
fn size(option: &str, text: &str) -> Result<Option<Bytes>, Refusal> {
    let size = number::size(option, text)?;
    Ok(size.filter(|size| !size.is_empty()))
}

fn sizes(pair: (Option<&str>, Option<&str>), option: &str) -> Result<Ends<Option<Bytes>>, Refusal> {
    let Ends { local, remote } = both(pair, |text| size(option, text))?;
    Ok(Ends {
        local: local.flatten(),
        remote: remote.flatten(),
    })
}

/// Words or numbers with `|` between them.
fn direction(option: &str, text: &str) -> Result<u32, Refusal> {
    text.split('|').try_fold(0, |bits, word| {
        let bit = match word.trim().to_ascii_lowercase().as_str() {
            "xmit" | "send" | "stream" | "transmit" => 2,
            "recv" | "receive" | "maerts" => 4,
            "rr" => 6,
            number => match number.parse() {
                Ok(bits @ (0 | 2 | 4 | 6)) => bits,
                _ => {
                    let accepted = "send, recv, rr, or 0, 2, 4, 6";
                    return Err(number::refused(option, text, accepted));
                }
            },
        };
        Ok(bits | bit)
    })
}

fn transport(option: &str, text: &str) -> Result<Transport, Refusal> {
    match text.to_ascii_lowercase().as_str() {
        "tcp" => Ok(Transport::Tcp),
        "udp" => Ok(Transport::Udp),
        "sctp" => Ok(Transport::Sctp),
        _ => Err(number::refused(option, text, "tcp, udp or sctp")),
    }
}

/// Ports from the first to the last; 0 leaves them to the kernel.
fn range(option: &str, text: &str) -> Result<Option<(u16, u16)>, Refusal> {
    let port = |text: &str| match number::count(option, text)?.try_into() {
        Ok(port) => Ok(port),
        Err(_) => Err(number::refused(option, text, "a port from 0 to 65535")),
    };
    let (first, last) = mirrored(text);
    let first = first.map(port).transpose()?.unwrap_or(0);
    let last = last.map(port).transpose()?.unwrap_or(u16::MAX);
    Ok(Some((first, last)).filter(|(first, last)| *first > 0 && first <= last))
}

/// The selection, and whether it stands in a file.
fn selection(
    letter: char,
    value: Option<&str>,
    read: &dyn Fn(&Path) -> io::Result<String>,
) -> Result<(Selection, bool), Refusal> {
    let Some(text) = value else {
        return Ok((Selection::Usual, false));
    };
    if text == "?" {
        let between = if letter == 'O' { "\n" } else { "," };
        let names: Vec<_> = Selector::all().map(Selector::name).collect();
        return Err(Refusal::answer(names.join(between) + "\n", 1));
    }
    match text.parse() {
        Ok(selection) => Ok((selection, false)),
        Err(SelectionError::File(name)) => match read(Path::new(&name)) {
            Ok(text) => Ok((Selection::of_file(&text), true)),
            Err(error) => {
                let number = error.raw_os_error().unwrap_or(0);
                Err(Refusal::fatal(format!(
                    "Could not open output selection file '{name}' errno {number}"
                )))
            }
        },
    }
}
