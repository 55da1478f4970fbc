//! What is done on each connection.

use units::{Bytes, Nanos};

use super::number::{self, not_a};
use super::option::{Opt, written};
use super::refusal::{Refusal, refused};
use super::request::{Bounceback, Common, Mode, WorkingLoad};
use super::typed::Typed;

/// A request holds 64 bytes of times and sizes.
const LEAST_REQUEST: u64 = 64;
/// Connections of `--connect-only` without a number.
const CONNECTIONS: u32 = 10;
/// Requests of a burst without a number.
const BURST: u32 = 10;

pub(super) fn mode(typed: &Typed, common: &Common) -> Result<Mode, Refusal> {
    let back = typed.read(Opt::ListenPort, number::port)?;
    let back = back.unwrap_or(*common.ports.start());
    Ok(match () {
        () if typed.has(Opt::Dualtest) => Mode::Dual(back),
        () if typed.has(Opt::Tradeoff) => Mode::Tradeoff(back),
        () if typed.has(Opt::Reverse) => Mode::Reverse,
        () if typed.has(Opt::FullDuplex) => Mode::FullDuplex,
        () if typed.has(Opt::Bounceback) => Mode::Bounceback(bounceback(typed, common)?),
        () if typed.has(Opt::ConnectOnly) => {
            let count = typed.count(Opt::ConnectOnly, 0)?.unwrap_or(CONNECTIONS);
            Mode::ConnectOnly(Some(count).filter(|count| *count > 0))
        }
        () => Mode::Forward,
    })
}

fn bounceback(typed: &Typed, common: &Common) -> Result<Bounceback, Refusal> {
    let short = |bytes: &Bytes| bytes.get() < LEAST_REQUEST;
    if let Some(bytes) = common.length.filter(short) {
        return Err(refused(format!(
            "--bounceback: {bytes} are too few for a request, {LEAST_REQUEST} bytes are needed"
        )));
    }
    let hold = typed.read(Opt::BouncebackHold, number::milliseconds)?;
    Ok(Bounceback {
        burst: typed.count(Opt::Bounceback, 1)?.unwrap_or(BURST),
        period: typed
            .seconds(Opt::BouncebackPeriod)?
            .unwrap_or(Nanos::from_secs(1)),
        hold: hold.unwrap_or_default(),
        quickack: !typed.has(Opt::BouncebackNoQuickack),
        delay: typed.seconds(Opt::BouncebackTxdelay)?.unwrap_or_default(),
        reply: typed
            .scaled(Opt::BouncebackReply)?
            .filter(|bytes| *bytes > 0)
            .map(Bytes::new),
        load: load(typed)?,
    })
}

/// `up`, `down` or `bidir`, and a number of connections.
fn load(typed: &Typed) -> Result<Option<WorkingLoad>, Refusal> {
    let opt = Opt::BouncebackCongest;
    if !typed.has(opt) {
        return Ok(None);
    }
    let text = typed.text(opt).unwrap_or("bidir");
    let (way, flows) = text.split_once(',').unwrap_or((text, "1"));
    let (up, down) = match way {
        "up" => (true, false),
        "down" => (false, true),
        "bidir" | "" => (true, true),
        _ => {
            let accepted = "up, down or bidir, and ',' with a number of connections,";
            return Err(not_a(&written(opt), text, accepted));
        }
    };
    Ok(Some(WorkingLoad {
        up,
        down,
        flows: number::count(&written(opt), flows, 1)?,
        congestion: typed.text(Opt::WorkingLoadCca).map(str::to_owned),
    }))
}
