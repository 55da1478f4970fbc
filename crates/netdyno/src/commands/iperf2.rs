//! `iperf`

mod background;
mod client;
mod kept;
mod order;
mod screen;
mod seen;
mod server;
mod sums;

use std::fs::File;
use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use engine::iperf2::Event;
use plan::Family;
use sys::signal::{self, Signals};

use self::screen::Screen;
use crate::dialect::iperf2::{Common, Request, parse};
use crate::say;

/// Which end this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Client,
    Server,
}

/// A client or a server of iperf 2; the first word is the program's name.
pub fn iperf(argv: &[String]) -> ExitCode {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since_1970.map_or(0.0, |time| time.as_secs_f64());
    let request = match parse(argv, |variable| std::env::var(variable).ok(), now) {
        Ok(request) => request,
        Err(refusal) => return super::refuse(&refusal),
    };
    if let Request::Server(request) = &request
        && request.daemon
        && !background::is_there()
    {
        return background::leave(argv, &request.common);
    }
    if let Err(reason) = redirect(request.common()) {
        say!("{reason}");
        return ExitCode::FAILURE;
    }
    for note in &request.common().notes {
        say!("{note}");
    }
    signal::ignore_broken_pipes();
    let signals = match Signals::take() {
        Ok(signals) => signals,
        Err(error) => {
            say!("taking signals: {error}");
            return ExitCode::FAILURE;
        }
    };
    if request.common().realtime
        && let Err(error) = sys::thread::run_realtime()
    {
        say!("-z has no effect: {error}");
    }
    match &request {
        Request::Server(request) => server::serve(request, &signals),
        Request::Client(request) => client::test(request, argv, &signals),
    }
}

/// `-o`: everything goes to a file.
fn redirect(common: &Common) -> Result<(), String> {
    let Some(path) = &common.output else {
        return Ok(());
    };
    let file = File::create(path);
    let file = file.map_err(|error| format!("-o {}: {error}", path.display()))?;
    let said = |error| format!("-o {}: {error}", path.display());
    sys::redirect::output_to(&file).map_err(said)
}

/// Says what an event has to say.
fn tell(screen: &mut Screen, event: &Event) {
    let said = screen.take(event);
    print(&said.output);
    let _ = std::io::stderr().write_all(said.errors.as_bytes());
}

/// Writes what scripts read. A reader that went away is no reason to stop.
fn print(text: &str) {
    if text.is_empty() {
        return;
    }
    let mut output = std::io::stdout().lock();
    let _ = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
}

/// All addresses of the family; at least one.
fn look_up(host: &str, port: u16, family: Family) -> Result<Vec<SocketAddr>, String> {
    let found = (host, port).to_socket_addrs();
    let found = found.map_err(|_| format!("{host}: Unknown host"))?;
    let fits = |address: &SocketAddr| match family {
        Family::Any => true,
        Family::V4 => address.is_ipv4(),
        Family::V6 => address.is_ipv6(),
    };
    let found: Vec<_> = found.filter(fits).collect();
    if found.is_empty() {
        return Err(format!("{host} has no address of the family asked for"));
    }
    Ok(found)
}
