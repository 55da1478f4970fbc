//! What `-d` tells: what the ends say to each other, and the kernel's word on each interval.
//! Credentials are left out.

use engine::iperf3::{Event, Outcome};
use proto::iperf3::{Parameters, Results};
use report::dialect::iperf3::Role;

/// How much is wanted: the parameters, the results too, every interval too.
const RESULTS: u8 = 2;
const INTERVALS: u8 = 3;

/// Lines before an event's own.
pub(super) fn event(level: Option<u8>, role: Role, event: &Event<'_>) -> Vec<String> {
    let Some(level) = level else {
        return Vec::new();
    };
    match event {
        Event::Contact(contact) => {
            let way = match role {
                Role::Client => "parameters to the server",
                Role::Server => "parameters from the client",
            };
            vec![format!("{way}: {}", parameters(&contact.parameters))]
        }
        Event::Interval(interval) if level >= INTERVALS => {
            let paths = interval
                .streams
                .iter()
                .filter_map(|stream| Some((stream.number, stream.path?)));
            let lines = paths.map(|(number, path)| {
                let field = |field: Option<u64>| field.map_or("?".to_owned(), |n| n.to_string());
                let info = &path.info;
                format!(
                    "[{number:3}] tcpi_snd_cwnd {} tcpi_snd_mss {} tcpi_rtt {}",
                    field(info.tcpi_snd_cwnd),
                    field(info.tcpi_snd_mss),
                    field(info.tcpi_rtt)
                )
            });
            lines.collect()
        }
        _ => Vec::new(),
    }
}

/// Lines before the summary.
pub(super) fn outcome(level: Option<u8>, outcome: &Outcome) -> Vec<String> {
    let of = |whose: &str, told: &Option<Results>| {
        let told = told.as_ref()?;
        Some(format!("results of {whose}: {}", results(told)))
    };
    match level {
        Some(RESULTS..) => [
            of("this end", &outcome.local),
            of("the other end", &outcome.remote),
        ]
        .into_iter()
        .flatten()
        .collect(),
        _ => Vec::new(),
    }
}

fn parameters(parameters: &Parameters) -> String {
    let token = parameters
        .auth_token
        .as_ref()
        .map(|_| "(not shown)".to_owned());
    Parameters {
        auth_token: token,
        ..parameters.clone()
    }
    .encode()
}

/// A server's output is shown as it is, further down.
fn results(results: &Results) -> String {
    Results {
        output: None,
        ..results.clone()
    }
    .encode()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::iperf3::Protocol;

    #[test]
    fn credentials_are_not_shown() {
        let asked = Parameters {
            auth_token: Some("c2VjcmV0".to_owned()),
            ..Parameters::new(Protocol::Tcp)
        };
        let shown = parameters(&asked);
        assert!(shown.contains("\"authtoken\":\"(not shown)\"") && !shown.contains("c2VjcmV0"));
    }
}
