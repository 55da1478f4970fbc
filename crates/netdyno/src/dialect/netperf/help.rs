//! What the programs say of themselves.

use super::Refusal;

/// netperf's `-h` ends as a wrong command line does; `--help` is ours.
pub(super) fn netperf(code: u8) -> Refusal {
    Refusal::answer([NETPERF, OF_TESTS].concat(), code)
}

/// As netperf's.
pub(super) fn netserver(code: u8) -> Refusal {
    Refusal::answer(NETSERVER, code)
}

/// Ours alone: the script has none.
pub(super) fn super_netperf() -> Refusal {
    Refusal::answer([SUPER_NETPERF, NETPERF, OF_TESTS].concat(), 0)
}

const SUPER_NETPERF: &str = "\
Usage: super_netperf N [--detail] [options] [-- options of the test]

N of netperf's tests at once, in one process, started together. Standard output has one number:
their sum over one common window.

  --detail                   a row for each flow, how fairly they shared, how long all ran at once

All else is netperf's:

";

const NETPERF: &str = "\
Usage: netperf [options] [-- options of the test]

netperf 2.7.0's command line, protocol and output, on netdyno's engine, against netserver or
'netdyno serve'. Every run is kept: 'netdyno show' shows it again.

A,B is a value for either side. One value without a comma is for both, A, for the first and ,B for
the second; with (*) one value is for the first only. Numbers take K, M, G (powers of 1024) and k, m,
g (powers of 1000).

What and where
  -t TEST                    TCP_STREAM (this unless said), TCP_MAERTS, TCP_SENDFILE, TCP_RR, TCP_CRR,
                             TCP_CC, UDP_STREAM, UDP_RR, SCTP_STREAM, SCTP_RR, OMNI, LOC_CPU, REM_CPU
  -H HOST[,FAMILY]           the server (localhost); FAMILY is 4 or 6 (*)
  -L HOST[,FAMILY]           our own address (*)
  -p PORT[,LOCAL]            the server's port (12865), our own of the control connection (*)
  -4, -6                     IPv4 or IPv6
  -N                         no control connection and no server: send, and count what was sent
  -Z PHRASE                  what the server wants to hear first
  -l N                       seconds (10); -N is N bytes or transactions; 0 is without end
  -s SECONDS                 wait before data begins to move
  -i MOST,LEAST              repeat until the confidence interval is narrow enough (10,3; 3 to 30)
  -I LEVEL[,WIDTH]           95 or 99 (99), and the interval's full width in percent of the mean (5)
  -r                         the interval of the result counts, not that of the CPU

How
  -T LOCAL,REMOTE            CPUs to run on
  -c [RATE], -C [RATE]       CPU use of this end, of the server's
  -b N, -w MS                bursts of N sends, one every MS milliseconds (*)
      --google-pacing-rate N SO_MAX_PACING_RATE of each flow, bytes per second (ours, too: -- -q N)
  -y LOCAL,REMOTE            SO_PRIORITY
  -Y LOCAL,REMOTE            type of service: a number, or a name such as af11, cs1, ef
  -S                         SO_KEEPALIVE on the data connection
  -a, -A SEND,RECV           alignment of buffers here, at the server (8)
  -o, -O SEND,RECV           offset of buffers here, at the server
  -W SEND,RECV               how many buffers to send from in turn
  -F LOCAL[,REMOTE]          what to fill buffers with; the server of netdyno reads no file (*)

Output
  -P 0|1                     without or with banners (1)
  -v LEVEL                   0 the number alone, 1 the table, 2 more of it
  -f G|M|K|g|m|k|x           unit: bytes (powers of 1024), bits (powers of 1000), transactions
  -B TEXT                    a word behind the number of -P 0
  -D SECONDS                 interim lines; as exactly as possible if negative
  -j                         times of single calls: min_latency, p99_latency and so on for -- -o;
                             -j -v 2 adds their histogram
  -V                         the version
  -h, --help                 this

Without effect, and said so: -d, -k, -K, -n

";

const OF_TESTS: &str = "\
Options of a test, behind --
  -m SEND[,REMOTE]           bytes of each send (*)
  -M RECV[,LOCAL]            bytes of each receive (*)
  -r REQUEST,RESPONSE        bytes of a transaction (1,1)
  -s SEND,RECV               socket buffers here
  -S SEND,RECV               socket buffers at the server
  -D                         TCP_NODELAY
  -C                         TCP_CORK
  -K LOCAL,REMOTE            congestion control
  -G BYTES                   TCP_MAXSEG
  -F                         TCP_FASTOPEN
  -a                         TCP_DEFER_ACCEPT
  -b N                       N transactions more on their way at once (_RR)
  -e SECONDS                 how long a datagram's answer is waited for (UDP_RR)
  -U                         go on when nobody listens yet (UDP)
  -n, -N                     connect the UDP socket here, at the server
  -B                         answer each datagram from the address that it came to
  -f                         path MTU discovery by the kernel's setting
  -l HOPS                    IP_MULTICAST_TTL
  -q N                       SO_MAX_PACING_RATE, bytes per second
  -R 0|1                     whether data may be routed (UDP_STREAM: 0, all others 1)
  -V                         send without a copy (sendfile)
  -H, -L HOST[,FAMILY]       other addresses for data than for control
  -P LOCAL,REMOTE            ports of the data connection
  -p FIRST,LAST              ports that connections are made from (TCP_CRR, TCP_CC)
  -4, -6                     IPv4 or IPv6 for data
  -o, -O, -k [FILE|NAMES]    output as CSV, as a table, as NAME=VALUE, of what is named; ? lists
                             all names, and all in place of them is all
  -u TEXT                    the test's UUID
  OMNI: -d send|recv|rr      which way data goes; -c a connection for each transaction;
        -T tcp|udp|sctp      the protocol; -t stream|dgram the kind of socket
  SCTP: -T N                 associations
Other letters say that they have no effect.
";

const NETSERVER: &str = "\
Usage: netserver [options]

The server of netperf's tests, on netdyno's engine: many clients at once, no process for each.

  -p PORT                    the control connections' port (12865)
  -L HOST[,FAMILY]           listen on this address
  -4, -6                     IPv4 or IPv6 only
  -D                         stay in the foreground
  -f                         one client after the other
  -Z PHRASE                  what a client has to say first
  -N                         no debug log: there never is one
  -V                         the version
  -h, --help                 this

Without effect, and said so: -d, -n, -v
'netdyno serve' does the same beside all else.
";

#[cfg(test)]
mod tests {
    use super::super::test_options::letters;
    use super::super::{global, server};
    use super::*;
    use proto::netperf::TestName;

    /// Whether a text has a word that begins with the option.
    fn names(text: &str, letter: char) -> bool {
        let option = format!("-{letter}");
        let words = text.split(|c: char| c.is_whitespace() || c == ',');
        words.into_iter().any(|word| word == option)
    }

    #[test]
    fn every_letter_is_explained() {
        let letters_of = |known: &'static str| known.chars().filter(|letter| *letter != ':');
        for letter in letters_of(global::LETTERS.known) {
            assert!(names(NETPERF, letter), "netperf -{letter}");
        }
        for letter in letters_of(server::LETTERS.known) {
            assert!(names(NETSERVER, letter), "netserver -{letter}");
        }
        let idle = ['g', 'h', 'i', 'I', 'j', 'w', 'W'];
        for letter in letters_of(letters(TestName::Omni).known) {
            let known = names(OF_TESTS, letter) || idle.contains(&letter);
            assert!(known, "netperf -- -{letter}");
        }
    }

    #[test]
    fn help_is_asked_for_in_either_way() {
        let none = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        let argv = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
        for (line, code) in [
            ("netperf -h", 1),
            ("netperf --help", 0),
            ("netperf -t UDP_RR -- -h", 1),
            ("netperf -- --help", 0),
        ] {
            let refusal = super::super::parse(&argv(line), none).unwrap_err();
            assert!(refusal.output.contains("-H HOST"), "{line}");
            assert_eq!(refusal.code, code, "{line}");
        }
        for line in [
            "super_netperf --help",
            "super_netperf -h",
            "super_netperf 4 --help",
        ] {
            let refusal = super::super::parse_several(&argv(line), none).unwrap_err();
            assert!(refusal.output.starts_with("Usage: super_netperf") || line.contains('4'));
            assert_eq!(refusal.code, 0, "{line}");
        }
        let refusal = super::super::parse_server(&argv("netserver --help")).unwrap_err();
        assert!(refusal.output.starts_with("Usage: netserver"));
        assert_eq!(refusal.code, 0);
    }
}
