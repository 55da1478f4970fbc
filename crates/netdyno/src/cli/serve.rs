//! `netdyno serve`.

use std::net::IpAddr;
use std::num::NonZeroU32;

use clap::{Args, ValueEnum};
use plan::{Cidr, Path};
use units::{BitRate, Nanos};

/// Be the other end: one process, many clients at once
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// Listen on this address only; on all of them when left out
    #[arg(long, value_name = "ADDR")]
    bind: Option<IpAddr>,
    /// Port for control and all data, TCP and UDP; 0 lets the kernel choose, and the log tells
    #[arg(short, long, default_value_t = Path::DEFAULT_PORT)]
    port: u16,
    /// Port for clients of netperf
    #[arg(long, value_name = "PORT")]
    netperf_port: Option<u16>,
    /// Do not serve clients of netperf
    #[arg(long, conflicts_with = "netperf_port")]
    no_netperf: bool,
    /// Port for clients of iperf 2, TCP and UDP
    #[arg(long, value_name = "PORT")]
    iperf2_port: Option<u16>,
    /// Do not serve clients of iperf 2
    #[arg(long, conflicts_with = "iperf2_port")]
    no_iperf2: bool,
    /// Port for clients of iperf3, TCP and UDP
    #[arg(long, value_name = "PORT")]
    iperf3_port: Option<u16>,
    /// Do not serve clients of iperf3
    #[arg(long, conflicts_with = "iperf3_port")]
    no_iperf3: bool,
    /// Tests at once; more are refused
    #[arg(long, value_name = "N", default_value = "64", value_parser = tests)]
    max_tests: NonZeroU32,
    /// Serve only clients of this block of addresses; repeatable
    #[arg(long, value_name = "CIDR")]
    allow: Vec<Cidr>,
    /// Longest test granted, such as 60 or 5m
    #[arg(long, value_name = "T")]
    max_duration: Option<Nanos>,
    /// Highest rate granted to each direction of one test, such as 1G; datagrams that iperf 2 and
    /// netperf send here are not held back
    #[arg(long, value_name = "RATE")]
    max_rate: Option<BitRate>,
    /// Trace nothing in this kernel for clients, whatever they ask by --explain
    #[arg(long)]
    no_tracing: bool,
    /// Let clients have sysctls of this host's network set for their test, and put back after it
    /// (net.core, net.ipv4.tcp, net.ipv4.udp, net.mptcp, kernel.timer_migration); needs root
    #[arg(long)]
    allow_sysctl: bool,
    /// End after one test
    #[arg(short = '1', long)]
    one_off: bool,
    /// Form of the log on standard error
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    log: Log,
    /// Log only what needs attention
    #[arg(short, long)]
    quiet: bool,
}

/// Form of the log lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Log {
    /// For eyes.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// A server to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeRequest {
    /// The one address to listen on; none for all.
    pub bind: Option<IpAddr>,
    /// The port; 0 for any.
    pub port: u16,
    /// Where clients of netperf are served, if they are.
    pub netperf: Option<Dialect>,
    /// Where clients of iperf 2 are served, if they are.
    pub iperf2: Option<Dialect>,
    /// Where clients of iperf3 are served, if they are.
    pub iperf3: Option<Dialect>,
    /// Most tests at once.
    pub max_tests: NonZeroU32,
    /// Who may come; empty for everyone.
    pub allow: Vec<Cidr>,
    /// Longest test; above zero.
    pub max_duration: Option<Nanos>,
    /// Highest rate of one test; above zero.
    pub max_rate: Option<BitRate>,
    /// Clients may have this kernel's locks, timers and queues traced, where the rights are there.
    pub tracing: bool,
    /// Clients may have sysctls set for their tests.
    pub sysctls: bool,
    /// One test and out.
    pub one_off: bool,
    /// Form of the log.
    pub log: Log,
    /// Only what needs attention is logged.
    pub quiet: bool,
}

/// The port of another tool's clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The port; 0 for any.
    pub port: u16,
    /// Somebody asked for it, so that it must be had.
    pub must: bool,
}

impl ServeArgs {
    pub(super) fn request(self) -> Result<ServeRequest, String> {
        if self.max_duration.is_some_and(Nanos::is_zero) {
            return Err("--max-duration: 0 grants no test: leave it out for no limit".to_owned());
        }
        if self.max_rate.is_some_and(|rate| rate.get() == 0) {
            return Err("--max-rate: 0 grants no test: leave it out for no limit".to_owned());
        }
        // A server of one test has no second dialect to wait for.
        let dialect = |not: bool, port: Option<u16>, usual: u16| {
            (!not && (!self.one_off || port.is_some())).then_some(Dialect {
                port: port.unwrap_or(usual),
                must: port.is_some(),
            })
        };
        Ok(ServeRequest {
            netperf: dialect(self.no_netperf, self.netperf_port, proto::netperf::PORT),
            iperf2: dialect(self.no_iperf2, self.iperf2_port, proto::iperf2::PORT),
            iperf3: dialect(self.no_iperf3, self.iperf3_port, proto::iperf3::PORT),
            bind: self.bind,
            port: self.port,
            max_tests: self.max_tests,
            allow: self.allow,
            max_duration: self.max_duration,
            max_rate: self.max_rate,
            tracing: !self.no_tracing,
            sysctls: self.allow_sysctl,
            one_off: self.one_off,
            log: self.log,
            quiet: self.quiet,
        })
    }
}

fn tests(text: &str) -> Result<NonZeroU32, String> {
    text.parse()
        .map_err(|_| format!("'{text}' is not a number of tests above 0"))
}

const EXAMPLES: &str = "\
Examples:
  netdyno serve                                     everyone, on every address
  netdyno serve --allow 10.0.0.0/8 --max-rate 1G    a server that others may use
  netdyno serve --allow-sysctl --allow 10.0.0.7     a client may compare this host's sysctls
  netdyno serve --one-off --log json                one test, for scripts";
