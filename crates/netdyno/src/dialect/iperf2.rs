//! iperf 2's command line, of all versions. Pure: the environment and the clock are the caller's.

mod client;
mod either_role;
mod mode;
mod number;
mod option;
mod pattern;
mod refusal;
mod request;
mod rules;
mod run;
mod server;
mod tos;
mod typed;
mod usage;

#[cfg(test)]
mod tests;

pub use refusal::Refusal;
pub use request::{
    Amount, Bind, Bounceback, ClientRequest, Common, Connecting, Frames, HistogramWish, Interval,
    Key, Mode, Pace, Pattern, Rate, Request, ServerRequest, Socket, Source, Start, Steps,
    WorkingLoad,
};

use option::Opt;
use refusal::{answer, refused};
use typed::Typed;

/// What iperf's `argv` (program name first) means. `environment` gives the text of a variable,
/// `now_unix_seconds` is the time since 1970.
pub fn parse(
    argv: &[String],
    environment: impl Fn(&str) -> Option<String>,
    now_unix_seconds: f64,
) -> Result<Request, Refusal> {
    let mut typed = Typed::new(argv.get(1..).unwrap_or_default(), &environment)?;
    if typed.has(Opt::Help) {
        return Err(answer(usage::HELP));
    }
    if typed.has(Opt::Version) {
        return Err(answer(usage::version()));
    }
    if typed.has(Opt::Client) && typed.has(Opt::Server) {
        let (kept, other) = match typed.is_client {
            Some(true) => ("client", "-s"),
            _ => ("server", "-c"),
        };
        typed.note(format!(
            "WARNING: option {other} is not valid for {kept} mode"
        ));
    }
    match typed.is_client {
        Some(true) => {
            client::client(typed, now_unix_seconds).map(|client| Request::Client(Box::new(client)))
        }
        Some(false) => server::server(typed).map(|server| Request::Server(Box::new(server))),
        None => Err(refused(
            "either -s (a server) or -c and a host (a client) is needed (see 'iperf --help')",
        )),
    }
}
