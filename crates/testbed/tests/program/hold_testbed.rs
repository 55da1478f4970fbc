//! Makes a testbed, with `relay` as first argument one with a relay, starts a child on its
//! server's host, prints the child's number and both namespaces' names, and holds it all until
//! its standard input ends.

use std::error::Error;
use std::fs::read_link;
use std::io::{Read, stdin};
use std::process::{Command, ExitCode};

use plan::{Family, Link};
use testbed::Testbed;
use units::Nanos;

fn main() -> ExitCode {
    match hold() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn hold() -> Result<(), Box<dyn Error>> {
    let relay = std::env::args().any(|argument| argument == "relay");
    let link = Link {
        delay: relay.then_some(Nanos::from_millis(1)),
        ..Link::default()
    };
    let mut testbed = Testbed::create(&link, Family::V4)?;
    testbed.start()?;
    let mut command = Command::new("sleep");
    command.arg("1000");
    testbed.place_on_server(&mut command)?;
    let mut child = command.spawn()?;
    println!(
        "{} {} {}",
        child.id(),
        read_link("/proc/thread-self/ns/net")?.display(),
        read_link(format!("/proc/{}/ns/net", child.id()))?.display(),
    );
    stdin().read_to_end(&mut Vec::new())?;
    child.kill()?;
    child.wait()?;
    Ok(())
}
