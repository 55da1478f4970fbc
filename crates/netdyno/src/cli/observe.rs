//! `netdyno observe`.

use clap::Args;
use plan::{Family, Path};
use units::Nanos;

use super::Target;

/// Watch this host, or a server's, without load
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, long_about = LONG)]
pub struct ObserveArgs {
    /// Distance of the lines, at least 100ms
    #[arg(short, long, value_name = "T", default_value = "1s")]
    interval: Nanos,
    /// For how long; until ^C when left out
    #[arg(short, long, value_name = "T")]
    time: Option<Nanos>,
    /// Watch the host of a netdyno server instead of this one
    #[arg(long, value_name = "HOST[:PORT]")]
    on: Option<Target>,
    /// Count this interface only, instead of all but the loopback
    #[arg(short, long, value_name = "NAME")]
    device: Option<String>,
    /// One JSON document a line (schema netdyno.observe/1), with every counter
    #[arg(long)]
    json_lines: bool,
}

/// A host to be watched.
#[derive(Debug, Clone, PartialEq)]
pub struct ObserveRequest {
    /// Distance of the lines.
    pub interval: Nanos,
    /// For how long.
    pub time: Option<Nanos>,
    /// The server whose host it is; none for this one.
    pub on: Option<Path>,
    /// The interface that is counted.
    pub device: Option<String>,
    /// Documents instead of lines.
    pub json_lines: bool,
}

/// Below it the observer's own work would show.
const SHORTEST: Nanos = Nanos::from_millis(100);

impl ObserveArgs {
    pub(super) fn request(self) -> Result<ObserveRequest, String> {
        if self.interval < SHORTEST {
            return Err(format!(
                "-i: {} is less than {SHORTEST}, the shortest interval",
                self.interval
            ));
        }
        if self.time.is_some_and(|time| time < self.interval) {
            return Err("-t: the time holds not even one interval".to_owned());
        }
        let on = match self.on {
            None => None,
            Some(Target::Host { host, port }) => Some(Path::Host {
                host,
                port: port.unwrap_or(Path::DEFAULT_PORT),
                family: Family::Any,
            }),
            Some(Target::File(_)) => return Err("--on: a server, not a file".to_owned()),
        };
        Ok(ObserveRequest {
            interval: self.interval,
            time: self.time,
            on,
            device: self.device,
            json_lines: self.json_lines,
        })
    }
}

const LONG: &str = "\
Watch this host, or a server's, without load: a line an interval, like vmstat's, with the network \
beside it.

us sy si ir st id   CPU time in user mode, kernel, soft and hard interrupts, taken by a hypervisor, \
idle: percent of all CPUs
r                   tasks that run or want to
in/s cs/s           interrupts and context switches a second
rx tx               traffic of all interfaces but the loopback
drops               packets dropped on interfaces, in qdiscs and between driver and protocols
squeezes            times that the receive path ran out of its budget
retrans             TCP segments sent again
throttled           time that control groups were kept off the CPU

A dash is a figure that could not be read; what is missing is said on standard error. No rights are \
needed.";

const EXAMPLES: &str = "\
Examples:
  netdyno observe                           this host, a line a second, until ^C
  netdyno observe -i 100ms -t 10            ten seconds, ten lines each
  netdyno observe --on server -t 60         a server's host, by its netdyno
  netdyno observe --json-lines -t 10 > before.jsonl
                                            every counter, for programs";
