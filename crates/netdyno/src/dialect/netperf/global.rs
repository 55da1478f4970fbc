//! The options before `--`.

use plan::Family;
use proto::netperf::{Length, Pace, TestName};
use report::dialect::netperf::Unit;
use units::Nanos;

use super::getopt::{Found, Letters, Wrong};
use super::pair::{explicit, mirrored};
use super::repeat::Level;
use super::{Ends, InterimWish, Refusal, Repeat, family, help, number, tos};

pub(super) const LETTERS: Letters = Letters {
    known: "A:a:b:B:CcdD:f:F:H:hi:I:jk:K:l:L:n:NO:o:P:p:rSs:t:T:v:VW:w:y:Y:Z:46",
    optional: "cC",
    is_optional_value: |word| word.starts_with(|c: char| c.is_ascii_digit()),
    long: &[PACING],
};

/// A switch of Google's netperf, known from commit messages.
const PACING: &str = "google-pacing-rate";

/// What was typed. None is what netperf does by itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Globals {
    pub test: Option<TestName>,
    pub host: Option<String>,
    pub family: Option<Family>,
    pub local_host: Option<String>,
    pub local_family: Option<Family>,
    pub port: Option<u16>,
    pub local_port: u16,
    pub passphrase: Option<String>,
    pub no_control: bool,
    pub length: Option<Length>,
    pub delay: Nanos,
    pub iterations: Option<(u32, u32)>,
    pub confidence: Option<(Level, f64)>,
    pub result_only: bool,
    pub interim: Option<InterimWish>,
    pub cpu_rates: Ends<Option<f32>>,
    pub cpus: Ends<Option<u32>>,
    pub intervals: Ends<Option<Nanos>>,
    pub bursts: Ends<Option<u32>>,
    pub latency: bool,
    pub no_headers: bool,
    pub verbosity: Option<u32>,
    pub unit: Option<Unit>,
    pub brand: Option<String>,
    pub keepalive: bool,
    pub priority: Ends<Option<u32>>,
    pub tos: Ends<Option<u32>>,
    pub fill_files: Ends<Option<String>>,
    pub alignments: Ends<(Option<u32>, Option<u32>)>,
    pub offsets: Ends<(Option<u32>, Option<u32>)>,
    pub widths: (Option<u32>, Option<u32>),
    pub pacing_bytes_per_second: Option<u64>,
    pub notes: Vec<String>,
}

/// The options that were found. A wrong one ends it.
pub(super) fn globals(finds: Vec<Result<Found<'_>, Wrong>>) -> Result<Globals, Refusal> {
    let mut globals = Globals::default();
    for find in finds {
        match find {
            Ok(Found::Option(letter, value)) => globals.take(letter, value)?,
            Ok(Found::Long(_, value)) => {
                globals.pacing_bytes_per_second =
                    Some(number::long(&format!("--{PACING}"), value)?);
            }
            Ok(Found::Operand(word)) => {
                globals.note(format!("'{word}' is no option and has no effect"));
            }
            Err(Wrong::Unknown(option)) if option == "--help" => return Err(help::netperf(0)),
            Err(Wrong::Unknown(option)) => {
                return Err(Refusal::usage(format!(
                    "{option} is no option of netperf's (options of a test stand after --; --help has them all)"
                )));
            }
            Err(Wrong::NoValue(option)) => {
                return Err(Refusal::usage(format!("{option} needs a value")));
            }
        }
    }
    Ok(globals)
}

impl Globals {
    fn take(&mut self, letter: char, value: Option<&str>) -> Result<(), Refusal> {
        let option = &format!("-{letter}");
        let text = value.unwrap_or_default();
        match letter {
            '4' => (self.family, self.local_family) = (Some(Family::V4), Some(Family::V4)),
            '6' => (self.family, self.local_family) = (Some(Family::V6), Some(Family::V6)),
            'a' => self.alignments.local = counts(option, text)?,
            'A' => self.alignments.remote = counts(option, text)?,
            'o' => self.offsets.local = counts(option, text)?,
            'O' => self.offsets.remote = counts(option, text)?,
            'W' => self.widths = counts(option, text)?,
            'b' => self.bursts = both(explicit(text), |text| number::count(option, text))?,
            'B' => self.brand = Some(text.to_owned()),
            'c' => self.cpu_rates.local = Some(rate(option, value)?),
            'C' => self.cpu_rates.remote = Some(rate(option, value)?),
            'd' => self.note("-d: there is no debug output here, it has no effect"),
            'D' => self.interim = interim(option, text)?,
            'f' => self.unit = text.chars().next().map(Unit::of),
            'F' => self.fill_files = both(explicit(text), |text| Ok(text.to_owned()))?,
            'h' => return Err(help::netperf(1)),
            'H' => {
                let (host, family) = explicit(text);
                self.host = host.map(str::to_owned).or(self.host.take());
                self.family = self.family_of(option, family).or(self.family);
            }
            'L' => {
                let (host, family) = explicit(text);
                self.local_host = host.map(str::to_owned).or(self.local_host.take());
                self.local_family = self.family_of(option, family).or(self.local_family);
            }
            'i' => self.iterations = Some(iterations(option, text)?),
            'I' => self.confidence = Some(confidence(option, text)?),
            'j' => self.latency = true,
            'k' | 'K' => self.note(format!("{option}: I don't know how to get dirty.")),
            'l' => self.length = Some(length(option, text)?),
            'n' => self.note("-n: the CPUs are counted, the number has no effect"),
            'N' => self.no_control = true,
            'p' => {
                let (port, local) = explicit(text);
                let port = port.map(|text| number::port(option, text)).transpose()?;
                self.port = port.or(self.port);
                if let Some(local) = local {
                    self.local_port = number::port(option, local)?;
                }
            }
            'P' => self.no_headers = number::count(option, text)? == 0,
            'r' => self.result_only = true,
            's' => self.delay = Nanos::from_secs(number::scaled_count(option, text)?.into()),
            'S' => self.keepalive = true,
            't' => {
                let test = text
                    .parse()
                    .map_err(|error| Refusal::usage(format!("-t: {error}")));
                self.test = Some(test?);
            }
            'T' => self.cpus = both(mirrored(text), |text| number::count(option, text))?,
            'v' => self.verbosity = Some(number::count(option, text)?),
            'V' => return Err(Refusal::answer(VERSION, 0)),
            'w' => self.intervals = both(explicit(text), |text| number::interval(option, text))?,
            'y' => self.priority = both(mirrored(text), |text| number::count(option, text))?,
            'Y' => self.tos = both(mirrored(text), |text| tos::tos(option, text))?,
            'Z' => self.passphrase = Some(text.to_owned()),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    fn family_of(&mut self, option: &str, text: Option<&str>) -> Option<Family> {
        let text = text?;
        let family = family::family(text);
        if family.is_none() {
            self.note(format!(
                "{option}: '{text}' is no family (4, 6, inet, inet6), any is used"
            ));
        }
        family
    }

    /// What `-i` and `-I` mean together.
    pub(super) fn repeat(&self) -> Repeat {
        if self.iterations.is_none() && self.confidence.is_none() {
            return Repeat::default();
        }
        let (most, least) = self.iterations.unwrap_or((10, 3));
        Repeat {
            least,
            most,
            wanted: Some(self.confidence.unwrap_or((Level::P99, DEFAULT_WIDTH))),
            result_only: self.result_only,
        }
    }

    /// `-w` and `-b` together: bursts without an interval come at the shortest that netperf has.
    pub(super) fn paces(&self) -> Ends<Option<Pace>> {
        let pace = |burst: Option<u32>, interval: Option<Nanos>| {
            let burst = burst.filter(|burst| *burst > 0)?;
            let interval = interval.filter(|interval| !interval.is_zero());
            let interval = interval.unwrap_or(Nanos::from_millis(1));
            Some(Pace { burst, interval })
        };
        Ends {
            local: pace(self.bursts.local, self.intervals.local),
            remote: pace(self.bursts.remote, self.intervals.remote),
        }
    }
}

/// Full width in percent of the mean.
const DEFAULT_WIDTH: f64 = 5.0;
/// What scripts ask for to know which options there are.
pub(super) const VERSION: &str = "Netperf version 2.7.0\n";

/// Seconds, or bytes and transactions if negative.
fn length(option: &str, text: &str) -> Result<Length, Refusal> {
    let number = number::scaled(option, text)?;
    let amount = u32::try_from(number.unsigned_abs()).unwrap_or(u32::MAX);
    Ok(match number {
        0 => Length::Unlimited,
        1.. => Length::Seconds(amount),
        _ => Length::Count(amount),
    })
}

fn rate(option: &str, value: Option<&str>) -> Result<f32, Refusal> {
    value.map_or(Ok(0.0), |text| {
        number::real(option, text).map(|rate| rate as f32)
    })
}

/// The most first; netperf has bounds for both.
fn iterations(option: &str, text: &str) -> Result<(u32, u32), Refusal> {
    const BOUNDS: (u32, u32) = (3, 30);
    let Ends { local, remote } = both(mirrored(text), |text| number::count(option, text))?;
    let clamped = |number: u32| number.clamp(BOUNDS.0, BOUNDS.1);
    let least = clamped(remote.unwrap_or(BOUNDS.0));
    let most = clamped(local.unwrap_or(10)).max(least);
    Ok((most, least))
}

/// A lone level is the width too, as netperf has it.
fn confidence(option: &str, text: &str) -> Result<(Level, f64), Refusal> {
    let (level, width) = mirrored(text);
    let level = match level.map(|text| number::count(option, text)).transpose()? {
        Some(95) => Level::P95,
        Some(99) | None => Level::P99,
        Some(_) => {
            return Err(Refusal::fatal(
                "Only 95% and 99% confidence level is supported",
            ));
        }
    };
    let width = width.map(|text| number::real(option, text)).transpose()?;
    match width.unwrap_or(DEFAULT_WIDTH) {
        width if width > 0.0 => Ok((level, width)),
        _ => Err(number::refused(option, text, "a width of more than 0 %")),
    }
}

/// Seconds; what follows a comma is a guess of netperf's at the units in an interval.
fn interim(option: &str, text: &str) -> Result<Option<InterimWish>, Refusal> {
    let seconds = match explicit(text).0 {
        Some(seconds) => number::real(option, seconds)?,
        None => 1.0,
    };
    let wish = InterimWish {
        // The cast saturates.
        interval: Nanos::new((seconds.abs() * 1e9) as u64),
        exact: seconds < 0.0,
    };
    Ok(Some(wish).filter(|wish| !wish.interval.is_zero()))
}

fn counts(option: &str, text: &str) -> Result<(Option<u32>, Option<u32>), Refusal> {
    let Ends { local, remote } = both(mirrored(text), |text| number::scaled_count(option, text))?;
    Ok((local, remote))
}

/// Both parts of a pair.
pub(super) fn both<T>(
    (first, second): (Option<&str>, Option<&str>),
    read: impl Fn(&str) -> Result<T, Refusal>,
) -> Result<Ends<Option<T>>, Refusal> {
    Ok(Ends {
        local: first.map(&read).transpose()?,
        remote: second.map(&read).transpose()?,
    })
}
