//! What a server's owner permits.

use proto::iperf3::{Direction, ErrorNumber, Parameters, Protocol, Rejected};

use super::Config;

/// Descriptors beside those of streams.
const SPARE_DESCRIPTORS: u64 = 256;

/// Whether the test may be.
///
/// # Errors
/// Why not, and the number that the client is told.
pub(super) fn permits(config: &Config, parameters: &Parameters) -> Result<(), Rejected> {
    let refuse = |number, sentence| Err(Rejected { number, sentence });
    if let Some(authorize) = &config.authorize
        && let Err(sentence) = authorize(parameters.auth_token.as_deref())
    {
        return refuse(ErrorNumber::AUTHORIZATION, sentence);
    }
    if config.file.is_some() && parameters.protocol == Protocol::Udp {
        let sentence = "the client wants datagrams, and this server has a file".to_owned();
        return refuse(ErrorNumber::FILE_OVER_UDP, sentence);
    }
    if let Some(Err(error)) = parameters.server_affinity.map(sys::thread::admits) {
        let sentence = format!("setting the CPU affinity: {error}");
        return refuse(ErrorNumber::AFFINITY, sentence);
    }
    if let Some(most) = config.max_duration {
        let asked = parameters.time.map(|time| time + parameters.omit);
        if asked.is_none_or(|asked| asked > most) {
            let asked = asked.map_or("no end".to_owned(), |asked| asked.to_string());
            let sentence = format!("the client asks for {asked}, {most} are permitted");
            return refuse(ErrorNumber::DURATION_LIMIT, sentence);
        }
    }
    if let Some(limit) = config.rate_limit {
        let streams = u64::from(parameters.parallel)
            * if parameters.direction == Direction::Both {
                2
            } else {
                1
            };
        if limit.holds && parameters.protocol == Protocol::Udp && parameters.rate.is_none() {
            let most = limit.rate;
            let sentence =
                format!("the client asks for no limit of datagrams, {most} are permitted");
            return refuse(ErrorNumber::RATE_LIMIT, sentence);
        }
        let rates = [parameters.rate, parameters.fq_rate];
        let asked = rates.into_iter().flatten().map(|rate| rate.get()).max();
        let asked = asked.unwrap_or(0).saturating_mul(streams);
        if asked > limit.rate.get() {
            let most = limit.rate;
            let sentence = format!("the client asks for {asked} bit/s, {most} are permitted");
            return refuse(ErrorNumber::RATE_LIMIT, sentence);
        }
    }
    let descriptors = u64::from(parameters.streams()) + SPARE_DESCRIPTORS;
    let granted = sys::limits::descriptors(descriptors);
    if granted < descriptors {
        let sentence = format!(
            "{} streams need {descriptors} descriptors, this server may open {granted} (ulimit -n)",
            parameters.streams()
        );
        return refuse(ErrorNumber::STREAMS, sentence);
    }
    Ok(())
}
