//! Two hosts of the test's own: network namespaces without a name, so nothing of them outlasts
//! the test, however it ends.

use std::collections::HashMap;
use std::fs;
use std::net::IpAddr;

use plan::{Family, Link};
use record::{End, InterfaceCounters};
use testbed::Testbed;

use crate::process::netdyno;
use crate::server::Server;

/// The hosts. The thread that sees them is on the client's.
pub struct Hosts<'a> {
    pub testbed: &'a Testbed,
}

/// Runs `test` on the client's host; `link` as `--link` takes it, or nothing.
pub fn hosts(link: &str, family: Family, test: impl FnOnce(&Hosts<'_>) + Send + 'static) {
    let link = match link {
        "" => Link::default(),
        link => Link::parse(link).unwrap(),
    };
    // The testbed moves its thread; the test's own stays where it is.
    let thread = std::thread::spawn(move || {
        let mut testbed = Testbed::create(&link, family).unwrap();
        testbed.start().unwrap();
        test(&Hosts { testbed: &testbed });
    });
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

impl Hosts<'_> {
    pub fn address(&self, end: End) -> IpAddr {
        self.testbed.address(end)
    }

    /// A server on the server's host.
    pub fn serve(&self, words: &str) -> Server {
        let mut command = netdyno();
        self.testbed.place_on_server(&mut command).unwrap();
        Server::launch(command, self.address(End::Server), words)
    }

    /// Does something on a host.
    pub fn on<T: Send>(&self, end: End, run: impl FnOnce() -> T + Send) -> T {
        match end {
            End::Client => run(),
            End::Server => std::thread::scope(|scope| {
                let thread = scope.spawn(|| {
                    self.testbed.enter_server().unwrap();
                    run()
                });
                thread.join().unwrap()
            }),
        }
    }

    /// What the link's device counted, by /proc/net/dev of its host.
    pub fn interface(&self, end: End) -> InterfaceCounters {
        let table = self.on(end, || {
            fs::read_to_string("/proc/thread-self/net/dev").unwrap()
        });
        let prefix = format!("{}:", self.testbed.device(end));
        let row = table
            .lines()
            .find_map(|line| line.trim_start().strip_prefix(&prefix));
        let figures: Vec<u64> = row
            .unwrap()
            .split_whitespace()
            .map(|figure| figure.parse().unwrap())
            .collect();
        // Columns of dev_seq_printf_stats() in net/core/net-procfs.c.
        InterfaceCounters {
            rx_bytes: figures[0],
            rx_packets: figures[1],
            rx_dropped: figures[3],
            tx_bytes: figures[8],
            tx_packets: figures[9],
            tx_dropped: figures[11],
        }
    }

    /// The protocol counters of a host: `Tcp.OutSegs` and the like (/proc/net/snmp),
    /// `Udp6InDatagrams` and the like (/proc/net/snmp6).
    pub fn protocols(&self, end: End) -> HashMap<String, u64> {
        let [v4, v6] = self.on(end, || {
            ["snmp", "snmp6"].map(|file| {
                fs::read_to_string(format!("/proc/thread-self/net/{file}")).unwrap_or_default()
            })
        });
        let mut counters = HashMap::new();
        let lines: Vec<&str> = v4.lines().collect();
        // A line of names, then one of figures; both begin with the protocol.
        for pair in lines.chunks_exact(2) {
            let (protocol, names) = pair[0].split_once(':').unwrap();
            let figures = pair[1].split_once(':').unwrap().1;
            for (name, figure) in names.split_whitespace().zip(figures.split_whitespace()) {
                // Tcp.MaxConn is -1: no limit.
                counters.insert(
                    format!("{protocol}.{name}"),
                    figure.parse().unwrap_or_default(),
                );
            }
        }
        for line in v6.lines() {
            let (name, figure) = line.split_once(char::is_whitespace).unwrap();
            counters.insert(name.to_owned(), figure.trim().parse().unwrap());
        }
        counters
    }
}
