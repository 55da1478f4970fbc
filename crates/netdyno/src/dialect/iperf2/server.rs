//! From what was typed to a server.

use units::Nanos;

use super::either_role::{common, histogram};
use super::number::not_a;
use super::option::{CLIENT_ONLY, Opt};
use super::refusal::Refusal;
use super::request::{Key, ServerRequest};
use super::rules;
use super::typed::Typed;

/// How long a key is taken when nothing else is asked.
const KEY_TIMEOUT: Nanos = Nanos::from_secs(20);

pub(super) fn server(mut typed: Typed) -> Result<ServerRequest, Refusal> {
    rules::check_server(&typed)?;
    let common = common(&mut typed, "server", CLIENT_ONLY)?;
    let timeout = typed.seconds(Opt::PermitKeyTimeout)?.unwrap_or(KEY_TIMEOUT);
    let never_zero = |time: &Nanos| !time.is_zero();
    let key = common.key.is_some();
    Ok(ServerRequest {
        time: typed.seconds(Opt::Time)?.filter(never_zero),
        flows: typed.count(Opt::Parallel, 0)?.filter(|flows| *flows > 0),
        one_at_a_time: typed.has(Opt::SingleClient),
        daemon: typed.has(Opt::Daemon),
        source: typed.read(Opt::SsmHost, |option, text| {
            let source = text.parse().ok();
            source.ok_or_else(|| not_a(option, text, "an address"))
        })?,
        key_timeout: Some(timeout).filter(|timeout| key && !timeout.is_zero()),
        sums_by_destination: typed.has(Opt::SumDstip),
        jitter_histogram: histogram(&typed, Opt::JitterHistograms)?,
        common: super::Common {
            notes: std::mem::take(&mut typed.notes),
            ..common
        },
    })
}

impl ServerRequest {
    /// Whether the key is to be made up.
    pub fn makes_up_key(&self) -> bool {
        self.common.key == Some(Key::MadeUp)
    }
}
