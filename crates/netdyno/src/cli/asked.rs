//! What a run is asked to be: path, loads and times, for every command that makes runs.

use std::io;
use std::path::Path as FilePath;

use clap::Args;
use plan::{Family, Kind, Link, Load, Path, Plan, Timing, runfile};
use units::Nanos;

use super::Target;
use super::habit::HabitArgs;
use super::target::is_ipv6;

#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    /// The server, or a run file; without it a testbed on this machine
    #[arg(value_name = "HOST[:PORT]|FILE.toml")]
    target: Option<Target>,

    /// A load; repeatable
    #[arg(long = "load", value_name = "KIND[:KEY=VALUE,…]", value_parser = Load::parse, long_help = LOAD)]
    loads: Vec<Load>,
    /// No latency probe beside the loads
    #[arg(long)]
    no_probe: bool,

    /// Measured time, such as 10, 500ms or 2m [default: 10 s; none for loads that end by bytes or count]
    #[arg(short, long, value_name = "T")]
    time: Option<Nanos>,
    /// Warm-up before it that is not counted
    #[arg(short = 'O', long, value_name = "T")]
    omit: Option<Nanos>,
    /// Distance of the interval lines, at least 10ms; 0 for none [default: 1 s]
    #[arg(short, long, value_name = "T")]
    interval: Option<Nanos>,

    /// The server's port [default: 12866]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// IPv4 only
    #[arg(short = '4', long, conflicts_with = "ipv6")]
    ipv4: bool,
    /// IPv6 only
    #[arg(short = '6', long)]
    ipv6: bool,
    /// The testbed's link: rate, delay, loss, qdisc, queues, mtu, offload
    #[arg(long, value_name = "KEY=VALUE,…", value_parser = Link::parse, long_help = LINK)]
    link: Option<Link>,
    /// Count a run as valid though the server turns out to be on this host; a loopback address
    /// means that without saying
    #[arg(long)]
    allow_local: bool,

    #[command(flatten)]
    habits: HabitArgs,
}

impl PlanArgs {
    /// The plan.
    pub(super) fn plan(
        &self,
        read: impl FnOnce(&FilePath) -> io::Result<String>,
    ) -> Result<Plan, String> {
        let plan = match &self.target {
            Some(Target::File(file)) => self.plan_of_file(file, read)?,
            _ => self.plan_of_options()?,
        };
        if self.allow_local && matches!(plan.path, Path::Testbed { .. }) {
            return Err("--allow-local: a testbed is always on this host".to_owned());
        }
        Ok(plan)
    }

    /// Whether a server on this host is meant.
    pub(super) fn allow_local(&self) -> bool {
        self.allow_local
    }

    /// Whether the measured time and the warm-up were said.
    pub(super) fn times_said(&self) -> (bool, bool) {
        let by_file = matches!(self.target, Some(Target::File(_)));
        (
            self.time.is_some() || by_file,
            self.omit.is_some() || by_file,
        )
    }

    /// A file says everything; only its times may be said anew.
    fn plan_of_file(
        &self,
        file: &FilePath,
        read: impl FnOnce(&FilePath) -> io::Result<String>,
    ) -> Result<Plan, String> {
        let name = file.display();
        let beside = [
            (!self.loads.is_empty(), "--load"),
            (self.no_probe, "--no-probe"),
            (self.port.is_some(), "-p"),
            (self.ipv4, "-4"),
            (self.ipv6, "-6"),
            (self.link.is_some(), "--link"),
        ]
        .into_iter()
        .filter_map(|(typed, option)| typed.then_some(option))
        .chain(self.habits.typed().map(|(option, _)| option))
        .next();
        if let Some(option) = beside {
            return Err(format!(
                "{option} does not go with a run file: say it in {name} (only -t, -O and -i go beside it)"
            ));
        }
        let text = read(file).map_err(|error| format!("cannot read {name}: {error}"))?;
        let plan = runfile::parse(&text).map_err(|error| format!("{name}: {error}"))?;
        let timing = self.timing(plan.timing);
        let observe = plan.observe;
        let plan = Plan::new(plan.path, timing, plan.loads);
        let mut plan = plan.map_err(|error| error.to_string())?;
        plan.observe = observe;
        Ok(plan)
    }

    fn plan_of_options(&self) -> Result<Plan, String> {
        let path = self.path()?;
        let loads = self.loads()?;
        let timing = self.timing(Timing::for_loads(&loads));
        Plan::new(path, timing, loads).map_err(|error| error.to_string())
    }

    fn path(&self) -> Result<Path, String> {
        let family = match (self.ipv4, self.ipv6) {
            (true, _) => Family::V4,
            (_, true) => Family::V6,
            _ => Family::Any,
        };
        let Some(Target::Host { host, port }) = &self.target else {
            if self.port.is_some() {
                return Err("-p: only a HOST has a port".to_owned());
            }
            let link = self.link.clone().unwrap_or_default();
            return Ok(Path::Testbed { family, link });
        };
        if self.link.is_some() {
            return Err(
                "--link does not go with a HOST: only the testbed's link can be made".to_owned(),
            );
        }
        if port.is_some() && self.port.is_some() {
            return Err(format!("-p: '{host}' has a port already"));
        }
        let literal = if is_ipv6(host) {
            Some(Family::V6)
        } else {
            host.parse::<std::net::Ipv4Addr>().ok().map(|_| Family::V4)
        };
        match (family, literal) {
            (Family::V4, Some(Family::V6)) => Err(format!("-4: '{host}' is an IPv6 address")),
            (Family::V6, Some(Family::V4)) => Err(format!("-6: '{host}' is an IPv4 address")),
            _ => Ok(Path::Host {
                host: host.clone(),
                port: port.or(self.port).unwrap_or(Path::DEFAULT_PORT),
                family,
            }),
        }
    }

    fn loads(&self) -> Result<Vec<Load>, String> {
        let loads = if self.loads.is_empty() {
            vec![self.habits.load()?]
        } else if let Some((option, keys)) = self.habits.typed().next() {
            let words = match keys {
                [] => "its kind says it".to_owned(),
                [key] if key.is_flag() => format!("write '{key}' in the load"),
                keys => {
                    let words: Vec<_> = keys.iter().map(|key| format!("{key}=…")).collect();
                    format!("write '{}' in the load", words.join(","))
                }
            };
            return Err(format!("{option} does not go with --load: {words}"));
        } else {
            self.loads.clone()
        };
        if !self.no_probe {
            return Ok(Load::with_probe(loads));
        }
        if loads.iter().any(|load| load.kind == Kind::Probe) {
            return Err("--no-probe does not go with --load probe".to_owned());
        }
        Ok(loads)
    }

    /// `usual`, with what was typed.
    fn timing(&self, usual: Timing) -> Timing {
        Timing {
            idle: usual.idle,
            omit: self.omit.unwrap_or(usual.omit),
            duration: self.time.or(usual.duration),
            interval: self.interval.map_or(usual.interval, Timing::interval_of),
        }
    }
}

const LINK: &str = "\
The link of the testbed that a run without HOST makes. Both directions alike.

rate=100mbit       line rate, by a tbf at each end (needs tc, of iproute2)
delay=10ms         each way, so a round trip takes twice as long; by a relay in user space
loss=1% (or 0.01)  of the packets each way, at random; by the same relay
qdisc='WORDS'      root qdisc of both ends, in tc's words, such as qdisc='htb r2q 1000 default 3'
queues=4           transmit queues of each end
mtu=9000           in bytes
offload=on|off     segmentation and checksum offloads; on is the default

With delay or loss the ends are TAP devices without offloads instead of a veth pair, and the relay \
carries some 2 Gbit/s at most.";

const LOAD: &str = "\
A load; repeatable. All loads of a run start at the same instant.

Kinds: stream, maerts (from the server), bidir, rr (request and response), crr (connect, request, \
response, close), udp-stream, udp-maerts, udp-bidir, udp-rr, probe.

Keys: name, flows, size, request, reply, depth, rate (bit/s of each flow, paced by us), pace (paced \
by the kernel), rps (requests/s of each flow, open loop), arrival (closed, paced, poisson), bytes, \
count, delay, cpu, peer-cpu, sndbuf, rcvbuf, mss, nodelay, cc, dscp, dontroute, bind, device, \
source-port, trunc.

stream, maerts, bidir: 128K a write; udp-stream, udp-maerts, udp-bidir: 1400 a datagram; request, \
reply, depth, rps and arrival are for rr, crr, udp-rr and probe (1 byte each way; 24 for udp-rr); \
size, rate, pace and trunc for the others.

Sizes take K, M, G (powers of 1024), rates k, M, G (powers of 1000), times ns, us, ms, s, m, h.";
