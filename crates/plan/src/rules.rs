//! The rules of a load: which values it may have, whoever wrote them.

use std::fmt::Display;
use std::ops::RangeInclusive;

use units::{BitRate, Bytes, CpuList};

use crate::{Arrival, Key, Load, LoadError, Stop, Timing, Transport};

/// Above 2^53 a JSON number no longer names one integer (RFC 8259, section 6); 8 PiB of one flow
/// take a 400 Gbit/s link two days.
const MOST_BYTES: u64 = 1 << 53;
const MOST_RATE: BitRate = BitRate::new(1_000_000_000_000_000);
/// SO_MAX_PACING_RATE counts whole bytes per second.
const LEAST_PACE: BitRate = BitRate::new(8);
/// One request a nanosecond, the resolution of our deadlines.
const MOST_RPS: f64 = 1e9;
const LEAST_RPS: f64 = 0.001;
/// SO_SNDBUF and SO_RCVBUF are ints that the kernel doubles.
const LARGEST_BUFFER: u64 = 1 << 30;
/// TCP_MIN_MSS and MAX_TCP_WINDOW of include/net/tcp.h, as do_tcp_setsockopt checks them.
const MSS: RangeInclusive<u64> = 88..=32_767;
/// CONFIG_NR_CPUS is at most 8192 on x86.
const MOST_CPUS: usize = 8192;
const LONGEST_NAME: usize = 64;

impl Load {
    /// Whether such a load can be.
    pub fn check(&self) -> Result<(), LoadError> {
        for (key, _) in self.settings() {
            if let Some(reason) = key.refusal(self.kind) {
                return Err(LoadError::NotFor {
                    key,
                    kind: self.kind,
                    reason,
                });
            }
        }
        self.check_name()?;
        let within = |key, value: u64, range: RangeInclusive<u64>, accepted| {
            require(key, range.contains(&value), value, accepted)
        };
        let flows = self.flows.get();
        require(
            Key::Flows,
            flows <= Self::MOST_FLOWS,
            flows,
            &format!("1 to {}", Self::MOST_FLOWS),
        )?;
        let depth = self.depth.get();
        require(
            Key::Depth,
            depth <= Self::MOST_DEPTH,
            depth,
            &format!("1 to {} outstanding requests", Self::MOST_DEPTH),
        )?;
        self.check_sizes()?;
        self.check_rates()?;
        match self.stop {
            Stop::Time => {}
            Stop::Bytes { bytes } => {
                within(Key::Bytes, bytes.get(), 1..=MOST_BYTES, "1 byte to 8192T")?;
            }
            Stop::Count { count } => {
                within(Key::Count, count, 1..=MOST_BYTES, "1 to 9007199254740992")?;
            }
        }
        if self.delay > Timing::LONGEST {
            return Err(out_of_range(Key::Delay, self.delay, "at most 30 days"));
        }
        check_cpus(Key::Cpu, &self.cpu)?;
        check_cpus(Key::PeerCpu, &self.peer_cpu)?;
        for (key, buffer) in [
            (Key::Sndbuf, self.socket.sndbuf),
            (Key::Rcvbuf, self.socket.rcvbuf),
        ] {
            if let Some(buffer) = buffer {
                within(key, buffer.get(), 1..=LARGEST_BUFFER, "1 byte to 1G")?;
            }
        }
        if let Some(mss) = self.socket.mss {
            within(Key::Mss, mss.get(), MSS, "88 to 32767 bytes")?;
        }
        self.check_source_port()
    }

    /// A name goes into CSV, into the grammar and into a terminal's line.
    fn check_name(&self) -> Result<(), LoadError> {
        let fits = (1..=LONGEST_NAME).contains(&self.name.len())
            && self.name.trim() == self.name
            && self
                .name
                .bytes()
                .all(|b| (b == b' ' || b.is_ascii_graphic()) && !matches!(b, b',' | b'"'));
        let reason = "a name is 1 to 64 printable ASCII characters without comma or quote";
        if fits {
            Ok(())
        } else {
            Err(LoadError::Value {
                key: Key::Name,
                reason: reason.to_owned(),
            })
        }
    }

    fn check_sizes(&self) -> Result<(), LoadError> {
        let (range, accepted) = match self.kind.transport() {
            Transport::Tcp => (Bytes::new(1)..=Self::LARGEST_MESSAGE, "1 byte to 64M"),
            Transport::Udp => (
                Self::DATAGRAM_HEADER..=Self::LARGEST_DATAGRAM,
                "24 to 65507 bytes of UDP payload",
            ),
        };
        let sizes: &[(Key, Bytes)] = if self.kind.is_exchange() {
            &[(Key::Request, self.request), (Key::Reply, self.reply)]
        } else {
            &[(Key::Size, self.size)]
        };
        for &(key, size) in sizes {
            require(key, range.contains(&size), size.get(), accepted)?;
        }
        Ok(())
    }

    fn check_rates(&self) -> Result<(), LoadError> {
        if let Some(rate) = self.rate {
            let fits = (BitRate::new(1)..=MOST_RATE).contains(&rate);
            let accepted = "1 bit/s to 1000T; leave it out for no limit";
            require(Key::Rate, fits, rate.get(), accepted)?;
        }
        if let Some(pace) = self.pace {
            let fits = (LEAST_PACE..=MOST_RATE).contains(&pace);
            let accepted = "8 bit/s to 1000T; leave it out for no limit";
            require(Key::Pace, fits, pace.get(), accepted)?;
        }
        if self.rate.is_some() && self.pace.is_some() {
            let reason = "'rate' is paced by us, 'pace' by the kernel";
            return Err(LoadError::Exclusive(Key::Rate, Key::Pace, reason));
        }
        match self.arrival {
            Arrival::Closed if self.is_probe() => Err(LoadError::ClosedProbe),
            Arrival::Closed => Ok(()),
            Arrival::Paced {
                requests_per_second: rps,
            }
            | Arrival::Poisson {
                requests_per_second: rps,
            } => {
                // A NaN is in no range.
                let fits = (LEAST_RPS..=MOST_RPS).contains(&rps);
                require(
                    Key::Rps,
                    fits,
                    rps,
                    "0.001 to 1000000000 requests per second",
                )
            }
        }
    }

    fn check_source_port(&self) -> Result<(), LoadError> {
        let Some(first) = self.socket.source_port else {
            return Ok(());
        };
        let last = u64::from(first) + u64::from(self.flows.get()) - 1;
        let accepted = "the flows take ports from there on, within 1 to 65535";
        require(
            Key::SourcePort,
            first > 0 && last <= u64::from(u16::MAX),
            first,
            accepted,
        )
    }
}

fn check_cpus(key: Key, cpus: &CpuList) -> Result<(), LoadError> {
    let cpus = cpus.as_slice();
    require(
        key,
        cpus.len() <= MOST_CPUS,
        format!("{} CPUs", cpus.len()),
        "at most 8192 CPUs",
    )?;
    match cpus.iter().find(|cpu| usize::from(**cpu) >= MOST_CPUS) {
        Some(cpu) => Err(out_of_range(key, cpu, "0 to 8191")),
        None => Ok(()),
    }
}

fn require(key: Key, fits: bool, value: impl Display, accepted: &str) -> Result<(), LoadError> {
    if fits {
        Ok(())
    } else {
        Err(out_of_range(key, value, accepted))
    }
}

fn out_of_range(key: Key, value: impl Display, accepted: &str) -> LoadError {
    LoadError::Value {
        key,
        reason: format!("{value} is out of range: {accepted}"),
    }
}
