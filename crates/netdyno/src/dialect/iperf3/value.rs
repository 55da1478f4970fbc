//! Values of single options that are more than a number.

use plan::Device;
use proto::iperf3::ErrorNumber;
use report::dialect::iperf3::Unit;
use units::Nanos;

use super::{Keepalive, RateLimit, Refusal, number};

const DEVICE: ErrorNumber = ErrorNumber::BIND_DEVICE;

pub(super) fn port(option: &str, text: &str) -> Result<u16, Refusal> {
    let port = number::whole(option, text, (1, 65_535), ErrorNumber::new(26))?;
    Ok(port as u16)
}

/// The first letter counts.
pub(super) fn unit(option: &str, text: &str) -> Result<Unit, Refusal> {
    text.chars().next().and_then(Unit::of).ok_or_else(|| {
        let sentence = format!("{option} '{text}': one of k, m, g, t, K, M, G, T is accepted");
        Refusal::wrong(ErrorNumber::new(24), sentence)
    })
}

/// `host%device`. The `%` of a link-local IPv6 address is part of the address.
pub(super) fn host_and_device(text: &str) -> Result<(String, Option<Device>), Refusal> {
    let link_local = text.to_ascii_lowercase().starts_with("fe80:");
    match text.split_once('%') {
        Some((host, name)) if !link_local => Ok((host.to_owned(), Some(device(name)?))),
        _ => Ok((text.to_owned(), None)),
    }
}

pub(super) fn device(name: &str) -> Result<Device, Refusal> {
    name.parse()
        .map_err(|sentence: String| Refusal::wrong(DEVICE, sentence))
}

/// `idle/interval/count`, each of which may be left out.
pub(super) fn keepalive(option: &str, text: &str) -> Result<Keepalive, Refusal> {
    let error = ErrorNumber::new(36);
    let mut parts = text.split('/');
    let mut next = |most| match parts.next().filter(|part| !part.is_empty()) {
        Some(part) => number::whole(option, part, (1, most), error).map(|value| Some(value as u32)),
        None => Ok(None),
    };
    // The kernel's own limits (MAX_TCP_KEEPIDLE, MAX_TCP_KEEPINTVL, MAX_TCP_KEEPCNT).
    let keepalive = Keepalive {
        idle_seconds: next(32_767)?,
        interval_seconds: next(32_767)?,
        count: next(127)?,
    };
    if let Keepalive {
        idle_seconds: Some(idle),
        interval_seconds: Some(interval),
        count: Some(count),
    } = keepalive
        && idle <= interval * count
    {
        let sentence = format!("{option} '{text}': idle has to be more than interval x count");
        return Err(Refusal::wrong(error, sentence));
    }
    Ok(keepalive)
}

/// `rate/seconds`; a rate of 0 is no limit.
pub(super) fn rate_limit(option: &str, text: &str) -> Result<Option<RateLimit>, Refusal> {
    let (rate, over) = match text.split_once('/') {
        Some((rate, over)) => (rate, Some(over)),
        None => (text, None),
    };
    let over = over.map(|over| number::seconds(option, over, (0.1, 60.0), ErrorNumber::new(28)));
    let limit = RateLimit {
        rate: number::rate(option, rate)?,
        over: over.transpose()?.flatten().unwrap_or(Nanos::from_secs(5)),
    };
    Ok((limit.rate.get() > 0).then_some(limit))
}
