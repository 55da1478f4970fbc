//! `netdyno lab qdisc`.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::str::FromStr;

use clap::Args;
use sim::Picos;
use sim::qdisc::{Discipline, Nic, RootProtocol, Setup, Switches};
use units::BitRate;

use super::machine::MachineArgs;
use super::{Form, FormArgs, bits, count};

/// Senders on a qdisc and its transmit queues, simulated
#[derive(Debug, Args)]
pub struct QdiscArgs {
    /// Sending processes; one to a CPU when left out
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    senders: Option<usize>,
    /// Bytes of a UDP message
    #[arg(long, value_name = "BYTES", default_value_t = 6)]
    message: u64,
    /// Spinlocks: as in 'netdyno lab spinlock'
    #[arg(long, value_name = "NAME", default_value = "ticket")]
    lock: String,
    /// How CPUs come to the root lock: none, busylock (2010), lockless (2021) or deferred (2025)
    #[arg(long, value_name = "NAME", default_value = "none")]
    root: String,
    /// fifo, htb, tbf or pfifo_fast (which goes with --root lockless)
    #[arg(long, value_name = "NAME")]
    qdisc: Option<String>,
    /// tbf's rate
    #[arg(long, value_name = "RATE", default_value = "100M")]
    tbf_rate: BitRate,
    /// tbf's burst in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 16_000)]
    tbf_burst: u64,
    /// Packets of a sender that may be unfreed before it sleeps
    #[arg(long, value_name = "N", default_value_t = Setup::SOCKET_PACKETS)]
    socket_packets: usize,
    /// Packets that the qdisc holds
    #[arg(long, value_name = "N", default_value_t = 1000)]
    limit: usize,
    /// Transmit queues
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        allow_negative_numbers = true
    )]
    queues: usize,
    /// A qdisc for each transmit queue
    #[arg(long)]
    multiqueue: bool,
    /// Which transmit queue: single, hash (by flow) or xps (by CPU)
    #[arg(long, value_name = "NAME", default_value = "xps")]
    mapping: String,
    /// Packets of one dequeue, at most
    #[arg(long, value_name = "N", default_value_t = 1)]
    batch: usize,
    /// Packets of one run of the qdisc, at most
    #[arg(long, value_name = "N", default_value_t = 64)]
    quota: usize,
    /// Rate of the device; when left out, packets are gone as soon as the driver has them
    #[arg(long, value_name = "RATE")]
    line_rate: Option<BitRate>,
    /// Packets that a transmit queue's ring holds
    #[arg(long, value_name = "N", default_value_t = 512)]
    ring: usize,
    /// An interrupt after so many packets, or after 50 us
    #[arg(long, value_name = "N", default_value_t = 32)]
    coalesce: usize,
    /// Byte queue limits
    #[arg(long)]
    bql: bool,
    /// Where senders run: pinned, floating or random
    #[arg(long, value_name = "NAME", default_value = "pinned")]
    placement: String,
    /// When they start: together or staggered
    #[arg(long, value_name = "NAME", default_value = "together")]
    start: String,
    /// Turn a cause on or off: separate-line, drop-inside, softirq-trylock, no-bypass,
    /// dequeuer-first, drain-one, no-flow-caching, no-txq-lock; repeatable
    #[arg(long, value_name = "NAME")]
    switch: Vec<String>,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    form: FormArgs,
}

/// Senders on a qdisc.
#[derive(Debug, Clone, PartialEq)]
pub struct QdiscRequest {
    /// What is simulated.
    pub setup: Setup,
    /// How to show it.
    pub form: Form,
}

/// Of a UDP datagram: Ethernet, IPv4 and UDP headers, and preamble, checksum and gap.
const OVERHEAD: u64 = 42 + 24;
/// The least on the wire, all of that included.
const LEAST: u64 = 84;

impl QdiscArgs {
    pub(super) fn request(
        self,
        read: impl FnOnce(&Path) -> io::Result<String>,
    ) -> Result<QdiscRequest, String> {
        let machine = self.machine.machine("westmere", 8, read)?;
        let root = word("--root", &self.root)?;
        if self.message > 65_507 {
            return Err(format!(
                "--message: {} bytes do not fit a datagram; give at most 65507",
                self.message
            ));
        }
        let discipline = match self.qdisc.as_deref() {
            None if root == RootProtocol::Lockless => Discipline::PfifoFast,
            None | Some("fifo") => Discipline::Fifo,
            Some("htb") => Discipline::HtbDirect,
            Some("pfifo_fast") => Discipline::PfifoFast,
            Some("tbf") => Discipline::Tbf {
                rate: bits("--tbf-rate", self.tbf_rate)?,
                burst: self.tbf_burst,
            },
            Some(other) => {
                return Err(format!(
                    "--qdisc: '{other}' is none of: fifo, htb, tbf, pfifo_fast"
                ));
            }
        };
        let nic = match self.line_rate {
            None => Nic::INFINITE,
            Some(rate) => Nic {
                rate: Some(bits("--line-rate", rate)?),
                ring: count("--ring", self.ring, 1 << 20)?,
                coalesce_frames: count("--coalesce", self.coalesce, self.ring)?,
                coalesce_time: Picos::from_micros(50),
                bql: self.bql,
            },
        };
        if self.bql && self.line_rate.is_none() {
            return Err("--bql: a device without --line-rate never holds a byte".to_owned());
        }
        let duration = Picos::new(machine.time.get() * 1000);
        let setup = Setup {
            cpus: machine.cpus,
            senders: count("--senders", self.senders.unwrap_or(machine.cpus), 1 << 16)?,
            placement: word("--placement", &self.placement)?,
            start: word("--start", &self.start)?,
            socket_packets: count("--socket-packets", self.socket_packets, usize::MAX)?,
            wire_bytes: (self.message + OVERHEAD).max(LEAST),
            lock: word("--lock", &self.lock)?,
            root,
            discipline,
            limit: count("--limit", self.limit, 1 << 20)?,
            txqs: count("--queues", self.queues, machine.cpus).map_err(|_| {
                format!(
                    "--queues: {} for {} CPUs; give at least 1 and no more than there are CPUs",
                    self.queues, machine.cpus
                )
            })?,
            multiqueue: self.multiqueue,
            mapping: word("--mapping", &self.mapping)?,
            batch: count("--batch", self.batch, 1 << 16)?,
            nic,
            switches: switches(&self.switch, count("--quota", self.quota, 1 << 16)?)?,
            duration,
            warm_up: Picos::new(duration.get() / 2),
            seed: machine.seed,
            platform: machine.platform,
        };
        setup.check().map_err(|error| error.to_string())?;
        Ok(QdiscRequest {
            setup,
            form: self.form.form(),
        })
    }
}

fn switches(words: &[String], quota: usize) -> Result<Switches, String> {
    let mut switches = Switches {
        quota,
        ..Switches::default()
    };
    for word in words {
        match word.as_str() {
            "separate-line" => switches.embedded = false,
            "drop-inside" => switches.drop_outside = false,
            "softirq-trylock" => switches.softirq_trylock = true,
            "no-bypass" => switches.bypass = false,
            "dequeuer-first" => switches.dequeuer_first = true,
            "drain-one" => switches.drain_one = true,
            "no-flow-caching" => switches.flow_caching = false,
            "no-txq-lock" => switches.txq_lock = false,
            other => {
                return Err(format!(
                    "--switch: '{other}' is none of: separate-line, drop-inside, softirq-trylock, \
                     no-bypass, dequeuer-first, drain-one, no-flow-caching, no-txq-lock"
                ));
            }
        }
    }
    Ok(switches)
}

/// A word that names something.
pub(super) fn word<T: FromStr>(option: &str, text: &str) -> Result<T, String>
where
    T::Err: Display,
{
    text.parse().map_err(|error| format!("{option}: {error}"))
}
