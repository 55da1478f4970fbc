//! iperf3's command line, of client and server. Pure: files, names and sizes are looked up by
//! whoever carries a request out.

mod client;
mod either_role;
mod gather;
mod help;
mod load;
mod number;
mod option;
mod refusal;
mod request;
mod server;
mod stamp;
mod tos;
mod value;

#[cfg(test)]
mod tests;

use super::getopt_long::{Found, getopt_long};
use gather::Typed;
use option::{KNOWN, MAX_TESTS, Opt};

pub use client::{Ask, Credentials};
pub use either_role::{Common, Keepalive};
pub use refusal::Refusal;
pub use server::{Authorization, RateLimit, Serve};
pub use stamp::stamp;

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Iperf3Request {
    /// Ask a server for a test.
    Client(Box<Ask>),
    /// Be one.
    Server(Box<Serve>),
}

/// What iperf3's `argv` (program name first) means.
pub fn parse(argv: &[String]) -> Result<Iperf3Request, Refusal> {
    let words = argv.get(1..).unwrap_or_default();
    // Ours is found by its whole name only, so that no short form of iperf3's names is in doubt.
    let mut known = KNOWN.to_vec();
    let ours = MAX_TESTS.names[0];
    let is_ours = |word: &String| {
        let name = word.strip_prefix("--").unwrap_or_default();
        name.split('=').next() == Some(ours)
    };
    if words.iter().any(is_ours) {
        known.push(MAX_TESTS);
    }
    let finds = getopt_long(words, &known).map_err(Refusal::option)?;
    let mut typed = Typed::default();
    for find in finds {
        match find {
            Found::Option(Opt::Help, ..) => return Err(Refusal::Answer(help::HELP.to_owned())),
            Found::Option(Opt::Version, ..) => return Err(Refusal::Answer(help::version())),
            Found::Option(option, shown, value) => {
                typed.take(option, &shown, value.unwrap_or_default())?;
            }
            Found::Operand(word) => {
                let note = format!("'{word}' is no option and has no effect");
                typed.common.notes.push(note);
            }
        }
    }
    typed.request()
}
