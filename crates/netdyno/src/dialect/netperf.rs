//! netperf's command line, super_netperf's and netserver's. Pure: a file of selectors is read by
//! the caller.

mod data;
mod family;
mod getopt;
mod global;
mod help;
mod load;
mod number;
mod pair;
mod parser;
mod refusal;
mod repeat;
mod request;
mod server;
mod several;
mod shown;
mod test_options;
mod tos;
mod wire;

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;

pub use data::{Data, Sizes, Socket};
pub use refusal::Refusal;
pub use repeat::{Iteration, Level, Means, Repeat, Repeated};
pub use request::{Control, Ends, InterimWish, NetperfRequest};
pub use server::{NetserverRequest, parse_server};
pub use several::{SeveralRequest, parse_several};

/// What netperf's `argv` (program name first) means. `read` gives the text of a file of selectors.
pub fn parse(
    argv: &[String],
    read: impl Fn(&Path) -> io::Result<String>,
) -> Result<NetperfRequest, Refusal> {
    parser::parse(argv, &read)
}
