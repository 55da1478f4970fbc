//! When data is written.

use units::{Bytes, Nanos};

use super::number::{self, not_a};
use super::option::Opt;
use super::refusal::{Refusal, refused};
use super::request::{ClientRequest, Frames, Pattern};
use super::typed::Typed;

/// Round trips of a pause without a number.
const WEIGHT: f64 = 0.5;
/// Bytes of a burst when nothing else is asked.
const BURST_SIZE: u64 = 1 << 20;
/// Video of 60 frames per second at 20 Mbit/s.
const USUAL_FRAMES: Frames = Frames {
    per_second: 60.0,
    mean: 20e6,
    deviation: 0.0,
};

pub(super) fn pattern(typed: &mut Typed, request: &ClientRequest) -> Result<Pattern, Refusal> {
    let length = request.length().get();
    if typed.has(Opt::Isochronous) {
        let frames = typed.read(Opt::Isochronous, |option, text| {
            frames(option, text, length)
        })?;
        return Ok(Pattern::Frames(frames.unwrap_or(USUAL_FRAMES)));
    }
    if typed.has(Opt::NearCongestion) {
        let weight = typed.read(Opt::NearCongestion, number::real)?;
        return Ok(Pattern::NearCongestion(weight.unwrap_or(WEIGHT)));
    }
    if typed.has_any(&[Opt::BurstPeriod, Opt::BurstSize]).is_none() {
        return Ok(Pattern::Even);
    }
    let size = typed.scaled(Opt::BurstSize)?.unwrap_or(BURST_SIZE);
    if size < length {
        return Err(refused(format!(
            "--burst-size {size} must be equal or larger to write length (-l) {length}"
        )));
    }
    if !typed.has(Opt::BurstPeriod) {
        typed.note("WARNING: --burst-size without --burst-period, using a period of 1 second");
    }
    let period = typed
        .seconds(Opt::BurstPeriod)?
        .unwrap_or(Nanos::from_secs(1));
    if period.is_zero() {
        return Err(refused("--burst-period '0': a time above 0 is accepted"));
    }
    Ok(Pattern::Bursts {
        period,
        size: Bytes::new(size),
    })
}

/// `fps:mean,deviation`; a mean with `p` is of datagrams per frame.
fn frames(option: &str, text: &str, length: u64) -> Result<Frames, Refusal> {
    let (fps, rates) = match text.split_once(':') {
        Some((fps, rates)) => (fps, Some(rates)),
        None => (text, None),
    };
    let per_second = number::real(option, fps)?;
    if per_second <= 0.0 {
        return Err(not_a(option, text, "frames per second above 0"));
    }
    let Some(rates) = rates else {
        return Ok(Frames {
            per_second,
            ..USUAL_FRAMES
        });
    };
    let (mean, deviation) = rates.split_once(',').unwrap_or((rates, "0"));
    let packets = length as f64 * 8.0 * per_second;
    let rate = |text: &str| match text.strip_suffix('p') {
        Some(number) => Ok(number::real(option, number)? * packets),
        None => number::bits_or_bytes(option, text).map(|bits| bits as f64),
    };
    Ok(Frames {
        per_second,
        mean: rate(mean)?,
        deviation: rate(deviation)?,
    })
}
