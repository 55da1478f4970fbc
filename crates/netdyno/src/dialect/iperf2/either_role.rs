//! Options that clients and servers share.

use plan::{Family, Transport};
use report::dialect::iperf2::{Excluded, Form, Unit};
use units::{Bytes, Nanos};

use super::number::{self, not_a};
use super::option::{Opt, WITHOUT_EFFECT, written};
use super::refusal::{Refusal, refused};
use super::request::{Bind, Common, HistogramWish, Interval, Key, Rate, Socket};
use super::tos::tos;
use super::typed::Typed;

/// Rows at shorter distances would be of the reporter's own cost.
const SHORTEST_INTERVAL: Nanos = Nanos::from_millis(5);
/// Keys are of 4 to 128 characters.
const KEY_LENGTHS: std::ops::RangeInclusive<usize> = 4..=128;

/// What `typed` says of both roles. `others` are the options of the other role.
pub(super) fn common(typed: &mut Typed, role: &str, others: &[Opt]) -> Result<Common, Refusal> {
    for opt in others {
        if typed.has(*opt) {
            typed.note(format!(
                "WARNING: option {} is not valid for {role} mode",
                written(*opt)
            ));
        }
    }
    for (opt, reason) in WITHOUT_EFFECT {
        if typed.has(*opt) && !others.contains(opt) {
            typed.note(format!("{} has no effect: {reason}", written(*opt)));
        }
    }
    let form = form(typed)?;
    let interval = interval(typed)?;
    let transport = match typed.has(Opt::Udp) {
        true => Transport::Udp,
        false => Transport::Tcp,
    };
    Ok(Common {
        transport,
        family: family(typed)?,
        ports: typed.read(Opt::Port, number::ports)?.unwrap_or(5001..=5001),
        bind: typed.read(Opt::Bind, bind)?,
        length: length(typed, transport)?,
        rate: typed.read(Opt::Bandwidth, rate)?,
        interval,
        socket: socket(typed)?,
        prints_mss: typed.has(Opt::PrintMss),
        key: key(typed)?,
        histogram: histogram(typed, Opt::Histograms)?,
        realtime: typed.has(Opt::Realtime),
        checks_packets: typed.has(Opt::L2Checks),
        skips_copy: typed.has(Opt::SkipRxCopy),
        omit: typed.seconds(Opt::Omit)?.unwrap_or_default(),
        output: typed.text(Opt::Output).map(Into::into),
        form,
        utc: typed.has(Opt::Utc),
        notes: Vec::new(),
    })
}

/// `--histograms` and what is like it: width with `u` or `m`, bins, lower and upper limit.
pub(super) fn histogram(typed: &Typed, opt: Opt) -> Result<Option<HistogramWish>, Refusal> {
    if !typed.has(opt) {
        return Ok(None);
    }
    let mut wish = HistogramWish::USUAL;
    typed.read(opt, |option, text| {
        let accepted = "a bin's width with u or m, a number of bins, and two limits in percent";
        let slip = || not_a(option, text, accepted);
        let mut parts = text.split(',').map(str::trim);
        if let Some(width) = parts.next().filter(|width| !width.is_empty()) {
            wish.width = width_of(option, width)?;
        }
        if let Some(bins) = parts.next() {
            wish.bins = number::count(option, bins, 1)?.into();
        }
        for limit in [&mut wish.low_percent, &mut wish.high_percent] {
            if let Some(percent) = parts.next() {
                *limit = number::real(option, percent)?;
            }
        }
        let fits = wish.low_percent <= wish.high_percent && wish.high_percent <= 100.0;
        if parts.next().is_some() || wish.width.is_zero() || !fits {
            return Err(slip());
        }
        Ok(())
    })?;
    Ok(Some(wish))
}

impl HistogramWish {
    /// 10000 bins of 100 us.
    pub const USUAL: Self = Self {
        width: Nanos::new(100_000),
        bins: 10_000,
        low_percent: 5.0,
        high_percent: 95.0,
    };
}

/// Milliseconds without a letter, as `--udp-histogram` had them.
fn width_of(option: &str, text: &str) -> Result<Nanos, Refusal> {
    let milliseconds = match text.strip_suffix('u') {
        Some(number) => number::real(option, number)? / 1e3,
        None => number::real(option, text.strip_suffix('m').unwrap_or(text))?,
    };
    Ok(Nanos::new((milliseconds * 1e6) as u64))
}

fn form(typed: &mut Typed) -> Result<Form, Refusal> {
    let mut excluded = Excluded::default();
    for letter in typed
        .text(Opt::ReportExclude)
        .unwrap_or_default()
        .to_owned()
        .chars()
    {
        match letter.to_ascii_uppercase() {
            'C' => excluded.connections = true,
            'D' => excluded.data = true,
            'M' => excluded.multicast = true,
            'S' => excluded.settings = true,
            'V' => excluded.server = true,
            _ => typed.note(format!(
                "WARNING: unknown reporting type \"{letter}\", ignored: C (connection), D (data), \
                 M (multicast), S (settings) and V (server) are known"
            )),
        }
    }
    let style = typed.text(Opt::ReportStyle).map(str::to_owned);
    let csv = style
        .as_deref()
        .is_some_and(|style| matches!(style, "c" | "C"));
    if let Some(style) = style.filter(|_| !csv) {
        typed.note(format!(
            "WARNING: unknown reporting style \"{style}\", switching to default"
        ));
    }
    let letter = typed.text(Opt::Format).and_then(|text| text.chars().next());
    Ok(Form {
        // As with iperf, some have enhanced rows without being asked.
        enhanced: typed.has_any(&ENHANCED).is_some() || typed.text(Opt::Interval) == Some(BY_FRAME),
        // Other letters are as none.
        unit: letter.and_then(Unit::of).unwrap_or(Unit::AdaptiveBits),
        csv,
        excluded,
        sum_only: typed.has(Opt::SumOnly),
        hides_addresses: typed.has(Opt::HideIps),
    })
}

/// Options that come with enhanced reports.
const ENHANCED: [Opt; 3] = [Opt::Enhanced, Opt::Histograms, Opt::TxstartTime];

/// What `-i` has for rows of frames instead of a time.
const BY_FRAME: &str = "f";

fn interval(typed: &mut Typed) -> Result<Option<Interval>, Refusal> {
    if typed.text(Opt::Interval) == Some(BY_FRAME) {
        if !typed.has(Opt::Server) {
            typed.note("-i f: frames are told one by one where they are received, by a server");
        }
        return Ok(Some(Interval::Frames));
    }
    let Some(interval) = typed.seconds(Opt::Interval)?.filter(|i| !i.is_zero()) else {
        return Ok(None);
    };
    if interval < SHORTEST_INTERVAL {
        typed.note("WARNING: interval too small, increasing to 5 milliseconds");
    }
    Ok(Some(Interval::Every(interval.max(SHORTEST_INTERVAL))))
}

fn family(typed: &Typed) -> Result<Family, Refusal> {
    let v6 = typed.has(Opt::V6) || typed.has(Opt::Ipv6Domain);
    match (typed.has(Opt::V4), v6) {
        (true, true) => Err(refused("-4 and -6 (or -V) exclude each other")),
        (true, false) => Ok(Family::V4),
        (false, true) => Ok(Family::V6),
        (false, false) => Ok(Family::Any),
    }
}

/// `host`, `host:port`, `[address]:port`, each with `%device`.
fn bind(option: &str, text: &str) -> Result<Bind, Refusal> {
    let (place, device) = match text.split_once('%') {
        Some((place, device)) => (place, Some(device.to_owned())),
        None => (text, None),
    };
    // A port may stand behind the device too.
    let (device, late_port) = match device.as_deref().and_then(|device| device.split_once(':')) {
        Some((device, port)) => (Some(device.to_owned()), Some(port)),
        None => (device.clone(), None),
    };
    let (host, port) = match place
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
    {
        Some((host, port)) => (host, port.strip_prefix(':')),
        None if place.matches(':').count() == 1 => place
            .split_once(':')
            .map_or((place, None), |(host, port)| (host, Some(port))),
        None => (place, None),
    };
    if host.is_empty() && device.is_none() {
        return Err(not_a(option, text, "host[:port][%device]"));
    }
    let port = port.or(late_port);
    Ok(Bind {
        host: host.to_owned(),
        port: port.map(|port| number::port(option, port)).transpose()?,
        device,
    })
}

fn length(typed: &Typed, transport: Transport) -> Result<Option<Bytes>, Refusal> {
    let opt = match typed.has(Opt::Len) {
        true => Opt::Len,
        false => Opt::BouncebackRequest,
    };
    let Some(length) = typed.scaled(opt)?.filter(|length| *length > 0) else {
        return Ok(None);
    };
    let (least, most) = match transport {
        Transport::Tcp => (1, plan::Load::LARGEST_MESSAGE.get()),
        // A datagram holds its number and time.
        Transport::Udp => (12, plan::Load::LARGEST_DATAGRAM.get()),
    };
    if !(least..=most).contains(&length) {
        let option = written(opt);
        return Err(refused(format!(
            "{option}: {length} bytes are not between {least} and {most}"
        )));
    }
    Ok(Some(Bytes::new(length)))
}

/// `N`, `N,deviation` or `Npps`.
fn rate(option: &str, text: &str) -> Result<Rate, Refusal> {
    if let Some((number, _)) = text.split_once('p') {
        let factor = match number.chars().last() {
            Some('k') => 1e3,
            Some('m') => 1e6,
            Some('K') => 1024.0,
            Some('M') => 1024.0 * 1024.0,
            _ => 1.0,
        };
        let number = number.trim_end_matches(['k', 'm', 'K', 'M']);
        let pps = number::real(option, number)? * factor;
        return match pps > 0.0 {
            true => Ok(Rate::Packets(pps)),
            false => Err(not_a(option, text, "a rate above 0")),
        };
    }
    let (mean, deviation) = text.split_once(',').unwrap_or((text, "0"));
    let mean = number::scaled(option, mean)?;
    if mean == 0 {
        return Err(not_a(option, text, "a rate above 0"));
    }
    Ok(Rate::Bits {
        mean,
        deviation: number::scaled(option, deviation)?,
    })
}

fn socket(typed: &mut Typed) -> Result<Socket, Refusal> {
    let bytes = |size: Option<u64>| size.filter(|size| *size > 0).map(Bytes::new);
    let dscp = typed.read(Opt::Dscp, |option, text| {
        let code = text.parse().ok().filter(|code| *code < 64);
        let code: Option<u8> = code.or_else(|| Some(tos(option, text).ok()? >> 2));
        code.ok_or_else(|| not_a(option, text, "a code point from 0 to 63, or its name"))
    })?;
    let window = typed.scaled(Opt::Window)?;
    if window.is_some_and(|size| (1..2048).contains(&size)) {
        typed.note("WARNING: a window below 2048 bytes gives poor performance");
    }
    let tos_byte = typed.read(Opt::Tos, tos)?.or(dscp.map(|code| code << 2));
    let tos_byte = match low_latency(typed) {
        true => Some(tos_byte.unwrap_or(0) & !ECN | ECT_1),
        false => tos_byte,
    };
    Ok(Socket {
        window: bytes(window),
        mss: typed.count(Opt::Mss, 1)?,
        nodelay: typed.has(Opt::Nodelay),
        tos: tos_byte,
        tos_override: typed.read(Opt::TosOverride, tos)?,
        ttl: typed.read(Opt::Ttl, |option, text| {
            let ttl = text.parse().ok();
            ttl.ok_or_else(|| not_a(option, text, "a number from 0 to 255"))
        })?,
        congestion: typed.text(Opt::TcpCongestion).map(str::to_owned),
        pace: None,
        quickack: typed.has(Opt::TcpQuickack),
        local_only: typed.has(Opt::LocalOnly) && typed.text(Opt::LocalOnly) != Some("0"),
        clamp: bytes(typed.scaled(Opt::TcpRxWindowClamp)?),
        prefetch: bytes(typed.scaled(Opt::TcpWritePrefetch)?),
        tx_delay: typed.read(Opt::TcpTxDelay, number::milliseconds)?,
    })
}

/// The two bits of a TOS byte that are ECN's, and what of them asks for low latency (RFC 9331).
const ECN: u8 = 0x03;
const ECT_1: u8 = 0x01;

/// `--udp-l4s`: datagrams ask queues for low latency.
fn low_latency(typed: &mut Typed) -> bool {
    let asked = typed.has_any(&[Opt::UdpL4s, Opt::UdpL4sVideo]);
    match asked {
        None => false,
        Some(opt) if !typed.has(Opt::Udp) => {
            typed.note(format!(
                "{} has no effect: it is for UDP (-u)",
                written(opt)
            ));
            false
        }
        Some(opt) => {
            typed.note(format!(
                "{}: datagrams carry ECT(1), and keep their rate whatever queues mark",
                written(opt)
            ));
            true
        }
    }
}

fn key(typed: &Typed) -> Result<Option<Key>, Refusal> {
    match (typed.has(Opt::PermitKey), typed.text(Opt::PermitKey)) {
        (false, _) => Ok(None),
        (true, None) => Ok(Some(Key::MadeUp)),
        (true, Some(key)) if KEY_LENGTHS.contains(&key.len()) => {
            Ok(Some(Key::Given(key.to_owned())))
        }
        (true, Some(key)) => Err(refused(format!(
            "--permit-key: {} characters are not between 4 and 128",
            key.len()
        ))),
    }
}
