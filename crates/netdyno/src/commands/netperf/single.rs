//! One test, repeated as often as asked.

use std::net::SocketAddr;
use std::process::ExitCode;

use engine::netperf::Cpu;
use engine::netperf::client::{Client, ClientError, Job, News, Outcome};
use proto::netperf::{Dialogue, TestName};
use record::Buckets;
use report::dialect::netperf as shown;
use sys::signal::Signals;

use super::facts::Keep;
use super::interim::Lines;
use super::{code, figures, order, print};
use crate::dialect::netperf::{NetperfRequest, Repeated};
use crate::say;

/// Runs it and prints what netperf prints.
pub(super) fn run(request: &NetperfRequest, argv: &[String], signals: Signals) -> ExitCode {
    let control = match order::control(request) {
        Ok(control) => control,
        Err(sentence) => return fail(&sentence, 255),
    };
    let mut keep = Keep::new(request, argv, 1, &control);
    if matches!(request.test.dialogue(), Dialogue::Results(_)) {
        keep.begin();
    }
    let client = match Client::connect(&control, 1, Some(signals)) {
        Ok(client) => client,
        Err(error) => return fail(&format!("waiting for events: {error}"), 1),
    };
    let Some(peer) = client.peer() else {
        return fail("there is no address to go to", 255);
    };
    if let Some(error) = client.error() {
        keep.fail(&error);
        return fail_by(&error);
    }
    match request.test {
        TestName::LocCpu => calibrated(request, "local", Ok((Cpu::RATE, Cpu::count()))),
        TestName::RemCpu => {
            let mut client = client;
            let answer = client.calibrate();
            client.close();
            calibrated(request, "remote", answer)
        }
        TestName::Uuid => {
            print(&request.data.uuid.clone().unwrap_or_else(uuid));
            ExitCode::SUCCESS
        }
        _ => test(request, keep, client, peer),
    }
}

fn calibrated(
    request: &NetperfRequest,
    end: &str,
    answer: Result<(f32, u32), ClientError>,
) -> ExitCode {
    match answer {
        Ok((rate, cpus)) => {
            let verbosity = request.form.verbosity;
            print(&shown::calibration(rate.into(), cpus, end, verbosity));
            ExitCode::SUCCESS
        }
        Err(error) => fail_by(&error),
    }
}

fn test(
    request: &NetperfRequest,
    mut keep: Keep<'_>,
    mut client: Client,
    peer: SocketAddr,
) -> ExitCode {
    let job = match order::job(request, peer) {
        Ok(job) => job,
        Err(sentence) => return fail(&sentence, 255),
    };
    let target = job.data.unwrap_or(peer.ip());
    print(&shown::banner(
        &request.banner(request.data_host(), target),
        &request.form,
    ));
    let mut repeated = Repeated::new(request.repeat);
    let mut response = Buckets::default();
    let mut last: Option<Outcome> = None;
    while repeated.goes_on() && last.as_ref().is_none_or(|outcome| !outcome.interrupted) {
        if last.is_some() {
            keep.begin();
        }
        let outcome = match once(request, &mut client, &job, &mut keep) {
            Ok(outcome) => outcome,
            Err(error) => return fail_by(&error),
        };
        if let Some(flow) = outcome.flows.first() {
            repeated.push(figures::iteration(request, &outcome, flow));
        }
        response = response.with(&outcome.response);
        last = Some(outcome);
    }
    client.close();
    if let Some(outcome) = &last
        && let Some(flow) = outcome.flows.first()
    {
        let mut result = figures::result(request, outcome, flow, repeated.means(), &response);
        result.confidence = repeated.confidence();
        result.iterations = u32::try_from(repeated.len()).unwrap_or(u32::MAX);
        if result.uuid.is_empty() {
            result.uuid = uuid();
        }
        print(&shown::render(&result, &request.form));
    }
    ExitCode::SUCCESS
}

fn once(
    request: &NetperfRequest,
    client: &mut Client,
    job: &Job,
    keep: &mut Keep<'_>,
) -> Result<Outcome, ClientError> {
    let mut lines = Lines::new(request);
    let result = client.run(job, &mut |news| {
        keep.hear(&news);
        if let News::Progress(progress) = news {
            print(&lines.next(progress));
        }
    });
    let mut outcome = match result {
        Ok(outcome) => outcome,
        Err(error) => {
            keep.fail(&error);
            return Err(error);
        }
    };
    keep.end(&outcome);
    match outcome.flows.first_mut().and_then(|flow| flow.error.take()) {
        Some(error) => Err(error),
        None => Ok(outcome),
    }
}

/// A random UUID (RFC 9562, version 4).
fn uuid() -> String {
    let mut bytes = [0; 16];
    // Without randomness it names the run all the same.
    let _ = getrandom::fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let (a, b, c, d, e) = (
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    );
    format!("{a}-{b}-{c}-{d}-{e}")
}

fn fail(sentence: &str, code: u8) -> ExitCode {
    say!("{sentence}");
    code.into()
}

fn fail_by(error: &ClientError) -> ExitCode {
    fail(&error.to_string(), code(error))
}
