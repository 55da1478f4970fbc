//! The first line.

use std::fmt::Write as _;
use std::net::IpAddr;

use super::Form;

/// What the first line says of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Banner {
    /// The client's end of data connections.
    pub local: Endpoint,
    /// The server's.
    pub remote: Endpoint,
    /// Level and full width in percent, if confidence was asked.
    pub confidence: Option<(u32, f64)>,
    /// The width counts for the result only.
    pub on_result_only: bool,
    /// TCP_NODELAY.
    pub nodelay: bool,
    /// `-V`.
    pub avoids_copies: bool,
    /// `-N`.
    pub no_control: bool,
    /// Messages are sent in bursts at intervals.
    pub paced: bool,
    /// Requests beyond the first one that are outstanding.
    pub burst: u32,
    /// Either end is bound to a CPU.
    pub cpu_bound: bool,
}

/// One end, as asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The resolver's name of it.
    pub name: String,
    /// Its address.
    pub address: IpAddr,
    /// 0 is any.
    pub port: u16,
}

/// netperf writes the address into eight bytes, or not at all if it does not fit.
const ADDRESS_ROOM: usize = 7;

/// The line with its end; nothing without heads.
pub fn banner(banner: &Banner, form: &Form) -> String {
    if !form.headers {
        return String::new();
    }
    let title = form.test.title(form.way);
    let (local, remote) = (end(&banner.local), end(&banner.remote));
    let mut line = format!("{title} from {local} to {remote}");
    if let Some((level, width)) = banner.confidence {
        let half = width / 2.0;
        // Writing to a string cannot fail.
        let _ = write!(line, " : +/-{half:.3}% @ {level:2}% conf. ");
        if banner.on_result_only {
            line.push_str(" on result only");
        }
    }
    for (so, words) in [
        (banner.nodelay, " : nodelay"),
        (banner.avoids_copies, " : copy avoidance"),
        (banner.no_control, " : no control"),
        (banner.paced, " : interval"),
        // Interim results are built into every netperf that matters.
        (true, " : demo"),
    ] {
        if so {
            line.push_str(words);
        }
    }
    if title.contains("REQUEST/RESPONSE") {
        let _ = write!(line, " : first burst {}", banner.burst);
    }
    if banner.cpu_bound {
        line.push_str(" : cpu bind");
    }
    line + "\n"
}

fn end(end: &Endpoint) -> String {
    let mut address = end.address.to_string();
    if address.len() > ADDRESS_ROOM {
        address.clear();
    }
    let family = if end.address.is_ipv4() {
        "AF_INET"
    } else {
        "AF_INET6"
    };
    format!("{} ({address}) port {} {family}", end.name, end.port)
}
