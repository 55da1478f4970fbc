//! A load's socket options: asked, set, read back.

use std::io;
use std::os::fd::OwnedFd;

use plan::{Load, Transport};
use record::Granted;
use sys::Options;
use units::Bytes;

/// Sets what the plan asks for. Options that belong to one end only (device) are set at the
/// client.
///
/// # Errors
/// What the system answered, with the option's name.
pub(crate) fn apply(socket: &OwnedFd, load: &Load, ipv6: bool, client: bool) -> io::Result<()> {
    let options = Options::of(socket);
    let asked = &load.socket;
    let tcp = load.kind.transport() == Transport::Tcp;
    if let Some(size) = asked.sndbuf {
        named("sndbuf", options.set_sndbuf(size), NO_HINT)?;
    }
    if let Some(size) = asked.rcvbuf {
        named("rcvbuf", options.set_rcvbuf(size), NO_HINT)?;
    }
    if let Some(dscp) = asked.dscp {
        named("dscp", options.set_tos(ipv6, dscp.tos()), NO_HINT)?;
    }
    if asked.dontroute {
        named("dontroute", options.set_dontroute(), NO_HINT)?;
    }
    if let Some(rate) = load.pace {
        named("pace", options.set_pacing(rate), NO_HINT)?;
    }
    if client && let Some(device) = &asked.device {
        let key = format!("device={}", device.as_str());
        named(
            &key,
            options.set_device(device.as_str()),
            "see 'ip link' for the interfaces",
        )?;
    }
    if tcp {
        if let Some(size) = asked.mss {
            named("mss", options.set_mss(size), NO_HINT)?;
        }
        if asked.nodelay || load.kind.is_exchange() {
            named("nodelay", options.set_nodelay(), NO_HINT)?;
        }
        if let Some(cc) = &asked.cc {
            let key = format!("cc={}", cc.as_str());
            let hint = "see net.ipv4.tcp_available_congestion_control";
            named(&key, options.set_congestion_control(cc.as_str()), hint)?;
        }
    }
    Ok(())
}

/// The sentence for datagrams that the kernel is asked to pace and does not: TCP paces by its own
/// timers where the qdisc does not, datagrams wait in fq only (net/sched/sch_fq.c). `qdisc` is the
/// root qdisc of the interface that carries the load.
pub(crate) fn unkept_pace(load: &Load, qdisc: Option<&str>) -> Option<String> {
    let udp = load.kind.transport() == Transport::Udp;
    let rate = load.pace.filter(|_| udp && qdisc != Some("fq"))?;
    let qdisc = qdisc.unwrap_or("unknown");
    Some(format!(
        "pace: asked {rate}, not kept: the kernel paces datagrams in the qdisc fq only, here it is \
         {qdisc}; use rate"
    ))
}

/// Reads back what the kernel made of it, and says what it cut.
pub(crate) fn granted(socket: &OwnedFd, load: &Load) -> Granted {
    let options = Options::of(socket);
    let tcp = load.kind.transport() == Transport::Tcp;
    let mut capped = Vec::new();
    let sndbuf = options.sndbuf().ok();
    let rcvbuf = options.rcvbuf().ok();
    // The kernel doubles what was asked for its own bookkeeping (socket(7)).
    let mut compare = |name: &str, asked: Option<Bytes>, got: Option<Bytes>, limit: &str| {
        if let (Some(asked), Some(got)) = (asked, got)
            && got.get() < asked.get().saturating_mul(2)
        {
            let got = Bytes::new(got.get() / 2);
            capped.push(format!("{name}: asked {asked}, got {got}: see {limit}"));
        }
    };
    compare("sndbuf", load.socket.sndbuf, sndbuf, "net.core.wmem_max");
    compare("rcvbuf", load.socket.rcvbuf, rcvbuf, "net.core.rmem_max");
    let mss = tcp.then(|| options.mss().ok()).flatten();
    if let (Some(asked), Some(got)) = (load.socket.mss, mss)
        && got.get() + MOST_TCP_OPTIONS < asked.get()
    {
        let (asked, got) = (asked.get(), got.get());
        capped.push(format!(
            "mss: asked {asked} B, got {got} B: see the path's MTU"
        ));
    }
    Granted {
        sndbuf_bytes: sndbuf.map(Bytes::get),
        rcvbuf_bytes: rcvbuf.map(Bytes::get),
        mss_bytes: mss.map(Bytes::get),
        congestion_control: tcp.then(|| options.congestion_control().ok()).flatten(),
        pace_bits_per_second: options.pacing().ok().flatten().map(|rate| rate.get()),
        rate_bits_per_second: load.rate.map(|rate| rate.get()),
        cpus: Vec::new(),
        capped,
    }
}

/// TCP_MAXSEG as read back leaves out the options that every segment carries (RFC 9293: at most
/// 40 bytes).
const MOST_TCP_OPTIONS: u64 = 40;

/// For options that fail only where the system has no memory, or was built without them.
const NO_HINT: &str = "leave it out to see whether the rest works";

/// Keeps the system's error kind, and says which key of the load it came from and where to look.
fn named(key: &str, result: io::Result<()>, hint: &str) -> io::Result<()> {
    result.map_err(|error| io::Error::new(error.kind(), format!("setting {key}: {error}; {hint}")))
}
