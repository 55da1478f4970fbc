//! From what was typed to what it means.

use std::io;
use std::path::Path;

use plan::Family;
use proto::netperf::{Length, PORT, TestName, Transport};
use report::dialect::netperf::{Form, Layout, Protocol, Selection, Test, Unit, Way};
use units::Bytes;

use super::getopt::getopt;
use super::global::{self, Globals};
use super::test_options::{self, TestOptions};
use super::{Control, Data, Ends, NetperfRequest, Refusal, Sizes, Socket, family};

pub(super) fn parse(
    argv: &[String],
    read: &dyn Fn(&Path) -> io::Result<String>,
) -> Result<NetperfRequest, Refusal> {
    let words = argv.get(1..).unwrap_or_default();
    let (finds, rest) = getopt(words, &global::LETTERS);
    let globals = global::globals(finds)?;
    let test = globals.test.unwrap_or(TestName::TcpStream);
    let (finds, _) = getopt(rest, test_options::letters(test));
    let options = test_options::test_options(test, finds, read)?;
    request(argv, test, globals, options)
}

fn request(
    argv: &[String],
    test: TestName,
    mut globals: Globals,
    mut options: TestOptions,
) -> Result<NetperfRequest, Refusal> {
    let transport = transport(test, &options);
    let way = way(test, &options);
    if transport == Transport::Udp && matches!(way, Way::Connect | Way::ConnectBoth) {
        return Err(Refusal::usage("-c: UDP has no connections to make"));
    }
    let times = globals.latency;
    if let Some(layout) = &options.layout
        && !options.layout_of_file
    {
        globals.latency |= selection(layout).is_some_and(Selection::needs_latency);
    }
    let notes = [
        std::mem::take(&mut globals.notes),
        std::mem::take(&mut options.notes),
        without_effect(&globals, &options, way),
    ];
    let form = form(test, way, transport, &globals, &options);
    let paces = globals.paces();
    let repeat = match test {
        // These never iterate, whatever their first line says.
        TestName::TcpCc | TestName::TcpMss => super::Repeat {
            least: 1,
            most: 1,
            ..globals.repeat()
        },
        _ => globals.repeat(),
    };
    let control = control(&globals);
    has_family(&control.host, globals.family)?;
    let data_host = options.hosts.remote.as_ref().unwrap_or(&control.host);
    has_family(data_host, options.families.remote)?;
    Ok(NetperfRequest {
        test,
        length: globals.length.unwrap_or(Length::Seconds(10)),
        delay: globals.delay,
        repeat,
        interim: globals.interim,
        cpu_rates: globals.cpu_rates,
        cpus: globals.cpus,
        paces,
        latency: globals.latency,
        times,
        data: data(transport, way, &control, globals, options),
        control,
        form,
        notes: notes.concat(),
        command_line: argv.join(" "),
    })
}

fn transport(test: TestName, options: &TestOptions) -> Transport {
    match test {
        TestName::UdpStream | TestName::UdpRr => Transport::Udp,
        TestName::SctpStream | TestName::SctpRr => Transport::Sctp,
        TestName::SctpStreamMany | TestName::SctpRrMany => Transport::SctpMany,
        // Test options change the protocol of any test that omni carries out.
        _ => options.transport.unwrap_or(Transport::Tcp),
    }
}

fn way(test: TestName, options: &TestOptions) -> Way {
    let (way, reconnects) = match test {
        TestName::TcpMaerts => (Way::Receive, false),
        TestName::TcpCc => (Way::Connect, true),
        TestName::TcpCrr => (Way::Both, true),
        TestName::TcpRr | TestName::UdpRr | TestName::SctpRr | TestName::SctpRrMany => {
            (Way::Both, options.reconnects)
        }
        TestName::Omni => (omni_way(options), options.reconnects),
        _ => (Way::Send, false),
    };
    match way {
        Way::Both if reconnects => Way::ConnectBoth,
        way => way,
    }
}

/// A direction that is not said follows from the sizes that are.
fn omni_way(options: &TestOptions) -> Way {
    let sizes = &options.sizes;
    let exchanges = sizes.request.is_some() || sizes.response.is_some();
    let sends = sizes.send.local.is_some() || sizes.recv.remote.is_some();
    let receives = sizes.send.remote.is_some() || sizes.recv.local.is_some();
    match options.direction.unwrap_or(0) {
        2 => Way::Send,
        4 => Way::Receive,
        0 if exchanges || (sends && receives) => Way::Both,
        0 if sends => Way::Send,
        0 if receives => Way::Receive,
        0 if options.reconnects => Way::Connect,
        0 => Way::Send,
        _ => Way::Both,
    }
}

/// An address that is written out has the family that was asked for.
fn has_family(host: &str, asked: Option<Family>) -> Result<(), Refusal> {
    match (family::of_literal(host), asked) {
        (Some(own), Some(asked)) if asked != Family::Any && asked != own => Err(Refusal::fatal(
            format!("'{host}' has no address of the family asked for"),
        )),
        _ => Ok(()),
    }
}

fn control(globals: &Globals) -> Control {
    let host = globals.host.clone();
    let family = host
        .as_deref()
        .and_then(family::of_literal)
        .or(globals.family)
        .unwrap_or_default();
    let localhost = || match family {
        Family::V6 => "::1".to_owned(),
        _ => "localhost".to_owned(),
    };
    Control {
        host: host.unwrap_or_else(localhost),
        family,
        port: globals.port.unwrap_or(PORT),
        local_host: globals.local_host.clone(),
        local_port: globals.local_port,
        passphrase: globals.passphrase.clone(),
        absent: globals.no_control,
    }
}

fn data(
    transport: Transport,
    way: Way,
    control: &Control,
    globals: Globals,
    options: TestOptions,
) -> Data {
    let one_way = !way.counts_transactions();
    let family_of = |end: &Option<String>, asked: Option<Family>| {
        let literal = end.as_deref().and_then(family::of_literal);
        literal.or(asked)
    };
    let families = Ends {
        local: family_of(&options.hosts.local, options.families.local).unwrap_or_default(),
        remote: family_of(&options.hosts.remote, options.families.remote).unwrap_or(control.family),
    };
    let pacing = options.socket.pacing_bytes_per_second;
    // One-way UDP stays on the link unless it is said otherwise.
    let routed = options
        .routing
        .unwrap_or(!(transport == Transport::Udp && one_way));
    let aligned = |(send, recv): (Option<u32>, Option<u32>)| {
        (send.unwrap_or(8).max(1), recv.unwrap_or(8).max(1))
    };
    let offset = |(send, recv): (Option<u32>, Option<u32>)| (send.unwrap_or(0), recv.unwrap_or(0));
    Data {
        transport,
        way,
        sizes: sizes(way, options.sizes, control.absent),
        families,
        hosts: options.hosts,
        ports: Ends {
            local: options.ports.local.unwrap_or(0),
            remote: options
                .ports
                .remote
                .unwrap_or_else(|| if control.absent { service(way) } else { 0 }),
        },
        port_range: options.port_range,
        burst: options.burst.filter(|_| way == Way::Both).unwrap_or(0),
        answer_timeout_seconds: options
            .answer_timeout_seconds
            .filter(|seconds| *seconds > 0),
        keeps_trying: options.keeps_trying,
        socket: Socket {
            keepalive: globals.keepalive,
            dontroute: !routed,
            priority: globals.priority,
            tos: globals.tos,
            pacing_bytes_per_second: pacing.or(globals.pacing_bytes_per_second),
            nodelay: options.socket.nodelay && transport != Transport::Udp,
            ..options.socket
        },
        avoids_copies: options.avoids_copies,
        fill_files: globals.fill_files,
        alignments: Ends {
            local: aligned(globals.alignments.local),
            remote: aligned(globals.alignments.remote),
        },
        offsets: Ends {
            local: offset(globals.offsets.local),
            remote: offset(globals.offsets.remote),
        },
        widths: offset(globals.widths),
        associations: options.associations,
        uuid: options.uuid,
    }
}

/// The services that a test without a server talks to: discard, chargen, echo.
const fn service(way: Way) -> u16 {
    match way {
        Way::Send => 9,
        Way::Receive => 19,
        Way::Both | Way::Connect | Way::ConnectBoth => 7,
    }
}

/// Transactions have sizes; a stream with `-r` sends that much at once. An echo answers with what
/// it was asked.
fn sizes(way: Way, typed: Sizes, echoed: bool) -> Sizes {
    match way {
        Way::Both | Way::ConnectBoth => {
            let one = Bytes::new(1);
            let request = typed.request.unwrap_or(one);
            let response = if echoed {
                request
            } else {
                typed.response.unwrap_or(one)
            };
            Sizes {
                request: Some(request),
                response: Some(response),
                ..typed
            }
        }
        Way::Connect => typed,
        Way::Send => Sizes {
            send: Ends {
                local: typed.request.or(typed.send.local),
                ..typed.send
            },
            recv: Ends {
                remote: typed.request.or(typed.recv.remote),
                ..typed.recv
            },
            ..typed
        },
        Way::Receive => Sizes {
            send: Ends {
                remote: typed.response.or(typed.send.remote),
                ..typed.send
            },
            recv: Ends {
                local: typed.response.or(typed.recv.local),
                ..typed.recv
            },
            ..typed
        },
    }
}

fn form(
    test: TestName,
    way: Way,
    transport: Transport,
    globals: &Globals,
    options: &TestOptions,
) -> Form {
    let unit = match (globals.unit, way.counts_transactions()) {
        (None, true) => Unit::Trans,
        (None | Some(Unit::Trans), false) => Unit::MBits,
        (Some(unit), _) => unit,
    };
    let usual = match test {
        TestName::Omni => Layout::Human(Selection::Usual),
        _ => Layout::Classic,
    };
    Form {
        test: shown_test(test),
        way,
        protocol: match transport {
            Transport::Tcp => Protocol::Tcp,
            Transport::Udp => Protocol::Udp,
            Transport::Sctp => Protocol::Sctp,
            Transport::SctpMany => Protocol::SctpMany,
        },
        headers: !globals.no_headers,
        verbosity: globals.verbosity.unwrap_or(1),
        unit,
        brand: globals.brand.clone(),
        layout: options.layout.clone().unwrap_or(usual),
        local_cpu: globals.cpu_rates.local.is_some(),
        // Without a control connection nobody tells it.
        remote_cpu: globals.cpu_rates.remote.is_some() && !globals.no_control,
    }
}

fn shown_test(test: TestName) -> Test {
    match test {
        TestName::TcpStream => Test::TcpStream,
        TestName::TcpMaerts => Test::TcpMaerts,
        TestName::TcpSendfile => Test::TcpSendfile,
        TestName::TcpRr => Test::TcpRr,
        TestName::TcpCrr => Test::TcpCrr,
        TestName::TcpCc => Test::TcpCc,
        TestName::TcpMss => Test::TcpMss,
        TestName::UdpStream => Test::UdpStream,
        TestName::UdpRr => Test::UdpRr,
        TestName::Omni | TestName::LocCpu | TestName::RemCpu | TestName::Uuid => Test::Omni,
        TestName::SctpStream => Test::SctpStream,
        TestName::SctpStreamMany => Test::SctpStreamMany,
        TestName::SctpRr => Test::SctpRr,
        TestName::SctpRrMany => Test::SctpRrMany,
    }
}

fn selection(layout: &Layout) -> Option<&Selection> {
    match layout {
        Layout::Classic => None,
        Layout::Csv(selection) | Layout::Keyval(selection) | Layout::Human(selection) => {
            Some(selection)
        }
    }
}

/// Sentences about options that are fine and do nothing here.
fn without_effect(globals: &Globals, options: &TestOptions, way: Way) -> Vec<String> {
    let buffers = match way {
        Way::Send => None,
        Way::Receive => globals.widths.1,
        Way::Both | Way::ConnectBoth | Way::Connect => globals.widths.0.or(globals.widths.1),
    };
    let far = |place: u32| place > u32::from(u16::MAX);
    let beyond = |(a, b): (Option<u32>, Option<u32>)| a.is_some_and(far) || b.is_some_and(far);
    let lone = globals.intervals.local.is_some() && globals.bursts.local.is_none();
    [
        (
            beyond(globals.alignments.local),
            "-a",
            "more than 65535 has no effect",
        ),
        (
            beyond(globals.alignments.remote),
            "-A",
            "a netdyno server takes no more than 65535",
        ),
        (
            beyond(globals.offsets.remote),
            "-O",
            "a netdyno server takes no more than 65535",
        ),
        (
            beyond(globals.offsets.local),
            "-o",
            "more than 65535 has no effect",
        ),
        (
            buffers.is_some(),
            "-W",
            "only streams are sent from several buffers here, it has no effect at this end",
        ),
        (
            globals.fill_files.remote.is_some(),
            "-F",
            "a netdyno server reads no file that a client names, the second one has no effect there",
        ),
        (lone, "-w", "without -b it has no effect, as with netperf"),
        (
            options.burst.is_some() && way != Way::Both,
            "-b",
            "only transactions on one connection are outstanding, it has no effect",
        ),
        (
            options.reconnects && !matches!(way, Way::Connect | Way::ConnectBoth),
            "-c",
            "only transactions and connections are made anew, it has no effect",
        ),
        (
            globals.cpu_rates.remote.is_some() && globals.no_control,
            "-C",
            "without a control connection (-N) nobody measures the server's CPUs, it has no effect",
        ),
    ]
    .into_iter()
    .filter(|(so, ..)| *so)
    .map(|(_, option, reason)| format!("{option}: {reason}"))
    .collect()
}
