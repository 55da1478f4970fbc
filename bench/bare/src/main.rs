//! The bare loops: the same sockets, options and message sizes as netdyno's, one system call a
//! message, and nothing else: no statistics, no clock, no readiness, no pacing. What netdyno moves
//! less than these is its own cost. Beside them, two meters that serve for any tool: the gaps
//! between datagrams as the kernel saw them, and the CPU time and memory of a child process; and
//! netperf processes by the hundred that are paced from outside.

mod alarm;
mod cost;
mod exchange;
mod gap;
mod netperfs;
mod percentiles;
mod tally;
mod tcp;
mod udp;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use units::BitRate;

const USAGE: &str = "\
bare tcp-send  ADDRESS:PORT SIZE SECONDS   write until the time is over
bare tcp-recv  ADDRESS:PORT SIZE           one connection, read to its end
bare udp-send  ADDRESS:PORT SIZE SECONDS   one datagram a call; empty ones end it
bare udp-recv  ADDRESS:PORT SIZE           until an empty datagram
bare rr-ask    ADDRESS:PORT SIZE SECONDS   write, read, and again
bare rr-answer ADDRESS:PORT SIZE           read, write, and again
bare udp-gap   PORT SIZE GAP_NS SECONDS    gaps between datagrams of SIZE to PORT (needs CAP_NET_RAW)
bare netperfs  NUMBER BYTES_PER_SECOND -- OPTION…   netperf processes, each paced; the sum of what they print
bare cost      FILE -- PROGRAM ARGUMENT…   run it; its CPU time and memory go into FILE";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("bare: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<ExitCode> {
    let result = match *words {
        ["tcp-send", to, size, time] => tcp::send(address(to)?, bytes(size)?, seconds(time)?)?,
        ["tcp-recv", at, size] => tcp::receive(address(at)?, bytes(size)?)?,
        ["udp-send", to, size, time] => udp::send(address(to)?, bytes(size)?, seconds(time)?)?,
        ["udp-recv", at, size] => udp::receive(address(at)?, bytes(size)?)?,
        ["rr-ask", to, size, time] => exchange::ask(address(to)?, bytes(size)?, seconds(time)?)?,
        ["rr-answer", at, size] => exchange::answer(address(at)?, bytes(size)?)?,
        ["udp-gap", port, size, gap, time] => {
            let stream = gap::Stream {
                port: port
                    .parse()
                    .with_context(|| format!("'{port}' is not a port"))?,
                payload: bytes(size)?,
                gap: Duration::from_nanos(
                    gap.parse()
                        .with_context(|| format!("'{gap}' is not a number of ns"))?,
                ),
            };
            println!("{}", gap::watch(&stream, seconds(time)?)?);
            return Ok(ExitCode::SUCCESS);
        }
        ["netperfs", number, rate, "--", ref options @ ..] => {
            let number = bytes(number)?;
            let rate = BitRate::new(bytes(rate)? as u64 * 8);
            println!("{}", netperfs::run(number, rate, options)?);
            return Ok(ExitCode::SUCCESS);
        }
        ["cost", file, "--", program, ref arguments @ ..] => {
            return cost::run(file.as_ref(), program, arguments);
        }
        _ => bail!("these words are no command\n\n{USAGE}"),
    };
    println!("{}", result.to_json());
    Ok(ExitCode::SUCCESS)
}

fn address(word: &str) -> Result<SocketAddr> {
    word.parse()
        .with_context(|| format!("'{word}' is not an address and port, such as 127.0.0.1:5000"))
}

fn bytes(word: &str) -> Result<usize> {
    match word.parse() {
        Ok(bytes) if bytes > 0 => Ok(bytes),
        _ => bail!("'{word}' is not a size in bytes, at least 1"),
    }
}

fn seconds(word: &str) -> Result<Duration> {
    let seconds: f64 = word
        .parse()
        .with_context(|| format!("'{word}' is not a time in s"))?;
    Duration::try_from_secs_f64(seconds).with_context(|| format!("'{word}' is not a time in s"))
}
