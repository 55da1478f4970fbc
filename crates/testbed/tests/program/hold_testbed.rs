//! Makes a testbed (with a relay or a rate if its argument is `relay` or `rate`), starts a child on
//! its server's host, prints how it was permitted, the child's number and both namespaces' names,
//! and holds it all until its standard input ends.

use std::error::Error;
use std::fs::read_link;
use std::io::{Read, stdin};
use std::process::{Command, ExitCode};

use plan::{Family, Link};
use testbed::{Permission, Testbed};
use units::{BitRate, Nanos};

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
    let kind = std::env::args().nth(1).unwrap_or_default();
    let link = Link {
        delay: (kind == "relay").then_some(Nanos::from_millis(1)),
        rate: (kind == "rate").then_some(BitRate::new(1_000_000)),
        ..Link::default()
    };
    let permission = Permission::probe();
    let mut testbed = Testbed::create(&link, Family::V4)?;
    testbed.start()?;
    let mut command = Command::new("sleep");
    command.arg("1000");
    testbed.place_on_server(&mut command)?;
    let mut child = command.spawn()?;
    println!(
        "{permission:?} {} {} {}",
        child.id(),
        read_link("/proc/thread-self/ns/net")?.display(),
        read_link(format!("/proc/{}/ns/net", child.id()))?.display(),
    );
    stdin().read_to_end(&mut Vec::new())?;
    child.kill()?;
    child.wait()?;
    Ok(())
}
