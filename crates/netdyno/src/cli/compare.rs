//! `netdyno compare`.

mod external;
mod side;

use std::io;
use std::path::{Path as FilePath, PathBuf};

use analyze::comparison::{Gate, gates};
use analyze::metric::Metric;
use clap::Args;
use record::{Side, SideAsked, Sides};
use units::Nanos;

use self::external::ExternalArgs;
use self::side::{ArgsOfA, ArgsOfB, SideArgs};
use super::asked::PlanArgs;
use super::show::is_id;

pub use external::{External, Pick};
pub(super) use side::sysctl;
pub use side::{SideRequest, Sysctl, Work};

/// Is B different from A? Interleaved pairs of runs, an interval, a verdict
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"), long_about = LONG)]
pub struct CompareArgs {
    #[command(flatten)]
    asked: PlanArgs,
    #[command(flatten)]
    a: ArgsOfA,
    #[command(flatten)]
    b: ArgsOfB,
    #[command(flatten)]
    external: ExternalArgs,

    /// Most pairs, at least 6 [default: as many as the scatter of the first 8 asks for, at most 60]
    #[arg(long, value_name = "N", help_heading = "How it is done",
          value_parser = clap::value_parser!(u32).range(6..=100_000))]
    pairs: Option<u32>,
    /// Begin no pair that would end later than this
    #[arg(long, value_name = "T", help_heading = "How it is done")]
    max_time: Option<Nanos>,
    /// The smallest difference that matters; anything smaller is equivalent
    #[arg(long, value_name = "SHARE", help_heading = "How it is done", default_value = "3%",
          value_parser = effect)]
    smallest_effect: f64,
    /// Metrics that the verdict rests on; repeatable [default: throughput, or transactions]
    #[arg(
        long,
        value_name = "METRIC",
        help_heading = "How it is done",
        value_delimiter = ','
    )]
    primary: Vec<String>,
    /// Limits of a TOML file that decide the exit code: [[gate]] metric, limit, direction
    #[arg(long, value_name = "FILE", help_heading = "How it is done")]
    gate: Option<PathBuf>,
    /// A against A: how much this machine scatters, and what it can resolve
    #[arg(long, help_heading = "How it is done")]
    aa: bool,
    /// Decides the order within each pair [default: drawn, and recorded]
    #[arg(long, value_name = "N", help_heading = "How it is done")]
    seed: Option<u64>,
    /// Go on with a comparison that was interrupted or killed
    #[arg(
        long,
        value_name = "ID",
        help_heading = "How it is done",
        exclusive = true
    )]
    resume: Option<String>,

    /// One JSON document (schema netdyno.comparison/1)
    #[arg(short = 'J', long, help_heading = "Output")]
    json: bool,
    /// No progress
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,
}

/// A comparison to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum CompareRequest {
    /// A new one.
    New(Box<Comparing>),
    /// One that is in the store. Its own command line says the rest.
    Resume(String),
}

/// All that is asked of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparing {
    /// What each side does.
    pub sides: Sides<SideRequest>,
    /// Both are A.
    pub aa: bool,
    /// Most pairs.
    pub pairs: Option<u32>,
    /// Most time.
    pub max_time: Option<Nanos>,
    /// What does not matter, as a share.
    pub smallest_effect: f64,
    /// What the verdict rests on, and everything else that can be shown.
    pub primary: Vec<Metric>,
    /// The metrics that are shown beside them.
    pub secondary: Vec<Metric>,
    /// Limits.
    pub gates: Vec<Gate>,
    /// Decides the order; none to draw one.
    pub seed: Option<u64>,
    /// The measured time is the user's.
    pub time_said: bool,
    /// The warm-up is the user's.
    pub warm_up_said: bool,
    /// The document instead of the text.
    pub json: bool,
    /// No progress.
    pub quiet: bool,
}

impl CompareArgs {
    pub(super) fn request(
        self,
        read: impl Fn(&FilePath) -> io::Result<String>,
    ) -> Result<CompareRequest, String> {
        if let Some(id) = &self.resume {
            return match is_id(id) {
                true => Ok(CompareRequest::Resume(id.clone())),
                false => Err(format!("--resume: '{id}' is not the name of a comparison")),
            };
        }
        if self.max_time.is_some_and(Nanos::is_zero) {
            return Err("--max-time: 0 leaves no time for a pair".to_owned());
        }
        let (a, b) = (SideArgs::from(&self.a), SideArgs::from(&self.b));
        let b = match (self.aa, b.first_typed()) {
            (true, Some(option)) => return Err(format!("{option} does not go with --aa: B is A")),
            (true, None) => a.clone(),
            (false, _) => b,
        };
        let external = self.external.external()?;
        if !self.aa && a == b {
            return Err(
                "nothing differs between the sides: say what does (--a-load, --b-load, …), or --aa"
                    .to_owned(),
            );
        }
        let (primary, secondary) = match &external {
            None => self.metrics(&a, &read)?,
            Some(external) if self.primary.is_empty() => {
                (vec![external.metric.clone()], Vec::new())
            }
            Some(_) => return Err("--primary: an external command has one number".to_owned()),
        };
        let gates = self.gates(&read, &primary, &secondary)?;
        let base = match &external {
            None => Some(self.asked.plan(&read)?),
            Some(_) => None,
        };
        let side = |side: Side, args: &SideArgs| {
            args.request(
                side,
                base.as_ref(),
                self.asked.allow_local(),
                external.as_ref(),
            )
        };
        let sides = Sides {
            a: side(Side::A, &a)?,
            b: side(Side::B, &b)?,
        };
        let (time_said, warm_up_said) = self.asked.times_said();
        let by_time = sides.a.ends_by_time();
        Ok(CompareRequest::New(Box::new(Comparing {
            sides,
            aa: self.aa,
            pairs: self.pairs,
            max_time: self.max_time,
            smallest_effect: self.smallest_effect,
            primary,
            secondary,
            gates,
            seed: self.seed,
            time_said: time_said || !by_time,
            warm_up_said: warm_up_said || !by_time,
            json: self.json,
            quiet: self.quiet,
        })))
    }

    fn metrics(
        &self,
        a: &SideArgs,
        read: &impl Fn(&FilePath) -> io::Result<String>,
    ) -> Result<(Vec<Metric>, Vec<Metric>), String> {
        if a.is_external() {
            return Err(
                "--exec-a needs --exec-b, and --json-path or --regex for its number".into(),
            );
        }
        let usual = Metric::usual(&self.asked.plan(read)?.loads).to_owned();
        let names = match self.primary.as_slice() {
            [] => vec![usual],
            names => names.to_vec(),
        };
        let known = |name: &String| {
            Metric::of(name).ok_or_else(|| {
                let all: Vec<_> = Metric::names().collect();
                format!("--primary: '{name}' is not a metric: {}", all.join(", "))
            })
        };
        let mut primary: Vec<Metric> = Vec::new();
        for name in &names {
            let metric = known(name)?;
            if !primary.contains(&metric) {
                primary.push(metric);
            }
        }
        let secondary = Metric::names().filter_map(Metric::of);
        let secondary = secondary
            .filter(|metric| !primary.contains(metric))
            .collect();
        Ok((primary, secondary))
    }

    fn gates(
        &self,
        read: &impl Fn(&FilePath) -> io::Result<String>,
        primary: &[Metric],
        secondary: &[Metric],
    ) -> Result<Vec<Gate>, String> {
        let Some(file) = &self.gate else {
            return Ok(Vec::new());
        };
        let name = file.display();
        let text = read(file).map_err(|error| format!("--gate: cannot read {name}: {error}"))?;
        let gates = gates(&text).map_err(|error| format!("--gate: {name}: {error}"))?;
        let known = |gate: &&Gate| {
            let mut all = primary.iter().chain(secondary);
            !all.any(|metric| metric.name == gate.metric)
        };
        match gates.iter().find(known) {
            Some(gate) => Err(format!(
                "--gate: {name}: '{}' is not a metric here",
                gate.metric
            )),
            None => Ok(gates),
        }
    }
}

impl Comparing {
    /// Every metric, the primary ones first.
    pub fn metrics(&self) -> Vec<Metric> {
        self.primary
            .iter()
            .chain(&self.secondary)
            .cloned()
            .collect()
    }

    /// What was asked of the sides, for the document.
    pub fn asked(&self) -> Sides<SideAsked> {
        Sides::by(|side| SideAsked {
            options: self.sides.of(side).options.clone(),
        })
    }
}

pub(super) fn effect(text: &str) -> Result<f64, String> {
    let share = analyze::comparison::share(text)?;
    match share {
        share if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err(format!("'{text}' is not a share between 0 and 100 %")),
    }
}

const LONG: &str = "\
Is B different from A? Pairs of runs, one of A and one of B in an order that is drawn for each pair, \
so that whatever the machine does by itself falls on both. Each run has its own processes, sockets \
and, without HOST, its own testbed. The answer is the ratio B/A with an interval, and a verdict: \
better, worse, equivalent (no difference as large as --smallest-effect), or cannot tell, with the \
number of pairs that would probably settle it.

The data are looked at after fixed numbers of pairs only, so that an early end does not find more \
than there is. All load options of 'netdyno run' say what both sides do.";

const EXAMPLES: &str = "\
Examples:
  netdyno compare --a-load rate=200M --b-load rate=190M
  netdyno compare --a-link qdisc=pfifo --b-link 'qdisc=htb r2q 1000 default 3'
  netdyno compare server --a-sysctl client:net.ipv4.tcp_congestion_control=cubic \\
                         --b-sysctl client:net.ipv4.tcp_congestion_control=reno
  netdyno compare server --b-setup 'ethtool -K eth0 tso off' --b-teardown 'ethtool -K eth0 tso on'
  netdyno compare --a ./netdyno-old --b ./netdyno-new --load rr
  netdyno compare --a-host old-server --b-host new-server
  netdyno compare --exec-a 'iperf3 -J -c server' --exec-b 'iperf3 -J -c server -C bbr' \\
                  --json-path end.sum_received.bits_per_second
  netdyno compare --aa              what this machine can resolve
  netdyno compare --gate limits.toml --b-load size=64K   for continuous integration";

const CODES: &str = "\
Exit codes:
    0  better or equivalent, or every gate kept
    6  the comparison is invalid: too many trials failed
    7  worse, or a gate broken
    8  cannot tell
  130  interrupted; what was measured has its verdict so far";
