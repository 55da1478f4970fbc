//! From what was typed to a client.

use std::net::IpAddr;

use plan::{Family, Transport};
use units::{Bytes, Nanos};

use super::either_role::common;
use super::mode::mode;
use super::number::{self, not_a};
use super::option::{Opt, SERVER_ONLY};
use super::pattern::pattern;
use super::refusal::{Refusal, refused};
use super::request::{
    Amount, ClientRequest, Common, Connecting, HistogramWish, Interval, Key, Mode, Pace, Pattern,
    Rate, Source, Start, Steps,
};
use super::rules;
use super::typed::Typed;

/// iperf's longest gap from datagram to datagram.
const LONGEST_GAP_SECONDS: f64 = 60.0;
/// How far ahead a start may be.
const LONGEST_WAIT_SECONDS: f64 = 3600.0;
/// The most that a header can ask of a server.
const MOST_REVERSE_BYTES: u64 = i32::MAX as u64;
/// Trip times of both directions need the whole header in a datagram.
const LEAST_TWO_WAY_TRIP_TIMES: u64 = 128;

pub(super) fn client(mut typed: Typed, now_unix_seconds: f64) -> Result<ClientRequest, Refusal> {
    rules::check_client(&typed)?;
    let common = common(&mut typed, "client", SERVER_ONLY)?;
    let typed_host = typed.text(Opt::Client).unwrap_or_default().to_owned();
    let (host, device) = match typed_host.split_once('%') {
        Some((host, device)) => (host.to_owned(), Some(device.to_owned())),
        None => (typed_host, None),
    };
    if host.is_empty() {
        return Err(refused("-c needs the server's name or address"));
    }
    let mode = mode(&typed, &common)?;
    let source = match (typed.text(Opt::FileInput), typed.has(Opt::StdinInput)) {
        (Some(path), _) => Source::File(path.into()),
        (None, true) => Source::Stdin,
        (None, false) => Source::Digits,
    };
    let mut request = ClientRequest {
        flows: flows(&mut typed, &common)?,
        amount: amount(&typed, &source)?,
        pattern: Pattern::Even,
        gap: typed.read(Opt::Ipg, number::milliseconds)?,
        compatible: typed.has(Opt::Compatibility),
        detects_peer: typed.has(Opt::PeerDetect),
        trip_times: typed.has(Opt::TripTimes),
        write_times: false,
        no_udp_fin: typed.has(Opt::NoUdpFin),
        ignores_shutdown: typed.has(Opt::IgnoreShutdown),
        syncs_transfer_id: typed.has(Opt::SyncTransferId),
        steps: steps(&mut typed, &common)?,
        connecting: connecting(&typed)?,
        start: start(&typed, now_unix_seconds)?,
        common,
        host,
        device,
        mode,
        source,
    };
    request.pattern = pattern(&mut typed, &request)?;
    request.common.socket.pace = pace(&typed)?;
    request.imply(&typed);
    request.check()?;
    request.common.notes = typed.notes;
    Ok(request)
}

impl ClientRequest {
    /// What some options bring with them.
    fn imply(&mut self, typed: &Typed) {
        let common = &mut self.common;
        let bounces = matches!(self.mode, Mode::Bounceback(_));
        if bounces || matches!(self.pattern, Pattern::Frames(_) | Pattern::Bursts { .. }) {
            common.form.enhanced = true;
        }
        if bounces {
            common.socket.nodelay = true;
            common.histogram = common.histogram.or(Some(HistogramWish::USUAL));
            if !typed.has(Opt::Interval) {
                common.interval = Some(Interval::Every(Nanos::from_secs(1)));
            }
        }
        let tcp = common.transport == Transport::Tcp && !bounces;
        self.write_times = tcp && (typed.has(Opt::TcpWriteTimes) || common.histogram.is_some());
    }

    fn check(&self) -> Result<(), Refusal> {
        let udp = self.common.transport == Transport::Udp;
        let length = self.length().get();
        let two_way = self.is_two_way();
        if let (false, Some(Rate::Packets(_))) = (udp, self.common.rate) {
            return Err(refused("-b: packets per second are for UDP (-u) only"));
        }
        if let (false, Some(Rate::Bits { mean, .. })) = (udp, self.common.rate)
            && mean / 8 < length
            && !matches!(self.mode, Mode::Bounceback(_))
        {
            return Err(refused(format!(
                "-b and -l of {length} are incompatible, consider setting -l to {} or lower",
                mean / 8
            )));
        }
        if let Some(gap) = self.gap_seconds().filter(|gap| *gap > LONGEST_GAP_SECONDS) {
            return Err(refused(format!(
                "IPG delay target of {gap:.1} secs too large (max value is 60 secs)"
            )));
        }
        if self.compatible && matches!(self.common.rate, Some(Rate::Bits { deviation: 1.., .. })) {
            return Err(refused("-C and a deviation of -b exclude each other"));
        }
        if udp && self.trip_times && two_way && length < LEAST_TWO_WAY_TRIP_TIMES {
            return Err(refused(format!(
                "--trip-times both ways needs -l of {LEAST_TWO_WAY_TRIP_TIMES} or more"
            )));
        }
        if self.common.key == Some(Key::MadeUp) {
            return Err(refused("--permit-key requires a value on the client"));
        }
        if let (true, Amount::Bytes(bytes)) = (two_way, self.amount)
            && bytes.get() > MOST_REVERSE_BYTES
        {
            return Err(refused(format!(
                "-n: a server can be asked for {MOST_REVERSE_BYTES} bytes at most, use -t"
            )));
        }
        self.check_multicast()
    }

    fn check_multicast(&self) -> Result<(), Refusal> {
        let address: Option<IpAddr> = self.host.parse().ok();
        if !address.is_some_and(|address| address.is_multicast()) {
            return Ok(());
        }
        let refusal = match () {
            () if self.common.transport == Transport::Tcp => "needs UDP (-u)",
            () if self.is_two_way() => "has no way back: -d, -r, -R and --full-duplex are refused",
            () if self.flows > 1 && !self.steps.destination_address => "with -P needs --incr-dstip",
            () => return Ok(()),
        };
        Err(refused(format!("multicast to {} {refusal}", self.host)))
    }

    /// Whether the server sends.
    pub fn is_two_way(&self) -> bool {
        matches!(
            self.mode,
            Mode::Dual(_) | Mode::Tradeoff(_) | Mode::Reverse | Mode::FullDuplex
        )
    }
}

fn flows(typed: &mut Typed, common: &Common) -> Result<u32, Refusal> {
    let asked = typed.count(Opt::Parallel, 0)?;
    let ports = common.ports.clone().count() as u32;
    let flows = asked.unwrap_or(1).max(1);
    if ports == 1 || flows == ports {
        return Ok(flows);
    }
    if asked.is_some() {
        typed.note(format!(
            "WARNING: port-range and -P mismatch (adjusting -P to {ports})"
        ));
    }
    Ok(ports)
}

/// A number of bytes comes before a time. Input ends by itself.
fn amount(typed: &Typed, source: &Source) -> Result<Amount, Refusal> {
    if let Some(bytes) = typed.scaled(Opt::Num)? {
        return match bytes {
            0 => Err(refused("-n '0': a number of bytes from 1 is accepted")),
            bytes => Ok(Amount::Bytes(Bytes::new(bytes))),
        };
    }
    match typed.seconds(Opt::Time)? {
        Some(Nanos::ZERO) => Ok(Amount::ForEver),
        Some(time) => Ok(Amount::Time(time)),
        None if *source != Source::Digits => Ok(Amount::ForEver),
        None => Ok(Amount::Time(Nanos::from_secs(10))),
    }
}

fn steps(typed: &mut Typed, common: &Common) -> Result<Steps, Refusal> {
    let steps = Steps {
        source_address: typed.has(Opt::IncrSrcip),
        source_port: typed.has(Opt::IncrSrcport),
        destination_address: typed.has(Opt::IncrDstip),
        destination_port: typed.has(Opt::IncrDstport),
    };
    if steps.source_address && common.bind.is_none() {
        return Err(refused("--incr-srcip needs -B, the first address"));
    }
    let port = common.bind.as_ref().and_then(|bind| bind.port);
    if steps.source_port && port.is_none() {
        typed.note("--incr-srcport has no effect without -B host:port, the first port");
    }
    if steps.destination_address && common.family == Family::V6 {
        typed.note("--incr-dstip counts in the last 32 bits of an IPv6 address");
    }
    Ok(steps)
}

fn connecting(typed: &Typed) -> Result<Connecting, Refusal> {
    let patience = typed.seconds(Opt::ConnectRetryTime)?.unwrap_or_default();
    let retries = typed.count(Opt::ConnectRetries, 0)?;
    let timed = !patience.is_zero();
    Ok(Connecting {
        retries: match retries {
            None if timed => None,
            retries => Some(retries.unwrap_or(0)),
        },
        spacing: match typed.seconds(Opt::ConnectRetryTimer)? {
            Some(spacing) => spacing,
            None if timed => Nanos::from_secs(1),
            None => Nanos::from_millis(200),
        },
        patience,
        synchronised: !typed.has(Opt::NoConnectSync),
        exchange_timeout: typed.seconds(Opt::TestExchangeTimeout)?,
    })
}

fn start(typed: &Typed, now_unix_seconds: f64) -> Result<Start, Refusal> {
    let at_unix_seconds = typed.read(Opt::TxstartTime, |option, text| {
        let at = number::real(option, text)?;
        match at - now_unix_seconds {
            ahead if ahead > LONGEST_WAIT_SECONDS => Err(not_a(
                option,
                text,
                "a time since 1970 that is at most 3600 seconds ahead",
            )),
            _ => Ok(at),
        }
    })?;
    Ok(Start {
        // A time that has passed is now.
        at_unix_seconds: at_unix_seconds.filter(|at| *at > now_unix_seconds),
        delay: typed.seconds(Opt::TxdelayTime)?.unwrap_or_default(),
        spacing: typed.seconds(Opt::SendDelay)?.unwrap_or_default(),
    })
}

fn pace(typed: &Typed) -> Result<Option<Pace>, Refusal> {
    let Some(bits_per_second) = typed.read(Opt::FqRate, number::bits_or_bytes)? else {
        return Ok(None);
    };
    let step = typed.read(Opt::FqRateStep, number::bits_or_bytes)?;
    let every = typed.seconds(Opt::FqRateStepInterval)?;
    Ok(Some(Pace {
        bits_per_second,
        step: step.map(|step| (step, every.unwrap_or(Nanos::from_secs(1)))),
    }))
}
