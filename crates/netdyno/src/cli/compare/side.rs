//! What a side of a comparison differs by.

use std::fmt;

use clap::Args;
use plan::{Key, Path, Plan};
use record::{End, Side};

use super::super::Target;
use super::External;

/// What one side does.
#[derive(Debug, Clone, PartialEq)]
pub struct SideRequest {
    /// As typed, for the document.
    pub options: Vec<String>,
    /// What is run.
    pub work: Work,
    /// Environment of it.
    pub environment: Vec<(String, String)>,
    /// Sysctls during it.
    pub sysctls: Vec<Sysctl>,
    /// Shell command before it.
    pub setup: Option<String>,
    /// Shell command after it.
    pub teardown: Option<String>,
}

/// What is run.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// A run of netdyno.
    Run {
        /// What is asked.
        plan: Box<Plan>,
        /// A server on this host does not make the run invalid.
        allow_local: bool,
        /// The words before `run`; empty for this program.
        program: Vec<String>,
    },
    /// A shell command.
    Exec {
        /// The command.
        command: String,
        /// Its number.
        external: External,
    },
}

/// A sysctl to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sysctl {
    /// At which end; none for both.
    pub end: Option<End>,
    /// With dots.
    pub key: String,
    /// The text.
    pub value: String,
}

impl fmt::Display for Sysctl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(end) = self.end {
            write!(f, "{}:", end.name())?;
        }
        write!(f, "{}={}", self.key, self.value)
    }
}

impl SideRequest {
    /// Whether its runs last as long as their time says.
    pub fn ends_by_time(&self) -> bool {
        match &self.work {
            Work::Run { plan, .. } => {
                let mut loads = plan.loads.iter().filter(|load| !load.is_probe());
                loads.any(plan::Load::ends_by_time) || plan.loads.iter().all(plan::Load::is_probe)
            }
            Work::Exec { .. } => false,
        }
    }
}

/// The options of either side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SideArgs {
    base: Option<String>,
    load: Option<String>,
    link: Option<String>,
    host: Option<Target>,
    sysctl: Vec<String>,
    setup: Option<String>,
    teardown: Option<String>,
    set: Vec<String>,
    exec: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Side A")]
pub(super) struct ArgsOfA {
    /// Environment of A's runs, and the command that makes them instead of this netdyno: a
    /// binary of netdyno, or a wrapper and a binary
    #[arg(long = "a", id = "a_base", value_name = "[NAME=VALUE …] [COMMAND]")]
    a_base: Option<String>,
    /// What A's loads have otherwise, such as rate=190M
    #[arg(long = "a-load", id = "a_load", value_name = "KEY=VALUE,…")]
    a_load: Option<String>,
    /// What A's testbed link has otherwise, such as qdisc=pfifo
    #[arg(long = "a-link", id = "a_link", value_name = "KEY=VALUE,…")]
    a_link: Option<String>,
    /// A's server
    #[arg(long = "a-host", id = "a_host", value_name = "HOST[:PORT]")]
    a_host: Option<Target>,
    /// A sysctl during A's runs, put back after each; repeatable
    #[arg(
        long = "a-sysctl",
        id = "a_sysctl",
        value_name = "[client:|server:]KEY=VALUE"
    )]
    a_sysctl: Vec<String>,
    /// A shell command before each run of A
    #[arg(long = "a-setup", id = "a_setup", value_name = "COMMAND")]
    a_setup: Option<String>,
    /// A shell command after each run of A, whatever came of it
    #[arg(long = "a-teardown", id = "a_teardown", value_name = "COMMAND")]
    a_teardown: Option<String>,
    /// Any of these by its key: a key of a load, link.KEY, or a sysctl's name; repeatable
    #[arg(long = "set-a", value_name = "KEY=VALUE")]
    set_a: Vec<String>,
    /// An external command, run by the shell; its number is found by --json-path or --regex
    #[arg(long = "exec-a", value_name = "COMMAND")]
    exec_a: Option<String>,
}

impl From<&ArgsOfA> for SideArgs {
    fn from(args: &ArgsOfA) -> Self {
        Self {
            base: args.a_base.clone(),
            load: args.a_load.clone(),
            link: args.a_link.clone(),
            host: args.a_host.clone(),
            sysctl: args.a_sysctl.clone(),
            setup: args.a_setup.clone(),
            teardown: args.a_teardown.clone(),
            set: args.set_a.clone(),
            exec: args.exec_a.clone(),
        }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Side B")]
pub(super) struct ArgsOfB {
    /// Environment of B's runs, and the command that makes them instead of this netdyno: a
    /// binary of netdyno, or a wrapper and a binary
    #[arg(long = "b", id = "b_base", value_name = "[NAME=VALUE …] [COMMAND]")]
    b_base: Option<String>,
    /// What B's loads have otherwise, such as rate=190M
    #[arg(long = "b-load", id = "b_load", value_name = "KEY=VALUE,…")]
    b_load: Option<String>,
    /// What B's testbed link has otherwise, such as qdisc=pfifo
    #[arg(long = "b-link", id = "b_link", value_name = "KEY=VALUE,…")]
    b_link: Option<String>,
    /// B's server
    #[arg(long = "b-host", id = "b_host", value_name = "HOST[:PORT]")]
    b_host: Option<Target>,
    /// A sysctl during B's runs, put back after each; repeatable
    #[arg(
        long = "b-sysctl",
        id = "b_sysctl",
        value_name = "[client:|server:]KEY=VALUE"
    )]
    b_sysctl: Vec<String>,
    /// A shell command before each run of B
    #[arg(long = "b-setup", id = "b_setup", value_name = "COMMAND")]
    b_setup: Option<String>,
    /// A shell command after each run of B, whatever came of it
    #[arg(long = "b-teardown", id = "b_teardown", value_name = "COMMAND")]
    b_teardown: Option<String>,
    /// Any of these by its key: a key of a load, link.KEY, or a sysctl's name; repeatable
    #[arg(long = "set-b", value_name = "KEY=VALUE")]
    set_b: Vec<String>,
    /// An external command, run by the shell; its number is found by --json-path or --regex
    #[arg(long = "exec-b", value_name = "COMMAND")]
    exec_b: Option<String>,
}

impl From<&ArgsOfB> for SideArgs {
    fn from(args: &ArgsOfB) -> Self {
        Self {
            base: args.b_base.clone(),
            load: args.b_load.clone(),
            link: args.b_link.clone(),
            host: args.b_host.clone(),
            sysctl: args.b_sysctl.clone(),
            setup: args.b_setup.clone(),
            teardown: args.b_teardown.clone(),
            set: args.set_b.clone(),
            exec: args.exec_b.clone(),
        }
    }
}

impl SideArgs {
    /// Name and value of all that was typed, the names as side B's.
    fn typed(&self, side: Side) -> Vec<(String, String)> {
        let s = side.name().to_lowercase();
        let host = self.host.as_ref().map(|host| match host {
            Target::Host { host, port } => {
                port.map_or(host.clone(), |port| format!("{host}:{port}"))
            }
            Target::File(file) => file.display().to_string(),
        });
        let mut typed = Vec::new();
        let mut say = |name: String, value: &Option<String>| {
            typed.extend(value.clone().map(|value| (name, value)));
        };
        say(format!("--{s}"), &self.base);
        say(format!("--{s}-load"), &self.load);
        say(format!("--{s}-link"), &self.link);
        say(format!("--{s}-host"), &host);
        for sysctl in &self.sysctl {
            say(format!("--{s}-sysctl"), &Some(sysctl.clone()));
        }
        say(format!("--{s}-setup"), &self.setup);
        say(format!("--{s}-teardown"), &self.teardown);
        for set in &self.set {
            say(format!("--set-{s}"), &Some(set.clone()));
        }
        say(format!("--exec-{s}"), &self.exec);
        typed
    }

    /// The first of B's options that was typed.
    pub fn first_typed(&self) -> Option<String> {
        self.typed(Side::B).into_iter().next().map(|(name, _)| name)
    }

    /// Whether an external command is asked for.
    pub fn is_external(&self) -> bool {
        self.exec.is_some()
    }

    /// What the side does; `base` is what both do, none for external commands.
    pub fn request(
        &self,
        side: Side,
        base: Option<&Plan>,
        allow_local: bool,
        external: Option<&External>,
    ) -> Result<SideRequest, String> {
        let s = side.name().to_lowercase();
        let (environment, program) = words(self.base.as_deref().unwrap_or_default())
            .map_err(|reason| format!("--{s}: {reason}"))?;
        let mut sysctls = Vec::new();
        for text in &self.sysctl {
            sysctls.push(sysctl(text).map_err(|reason| format!("--{s}-sysctl: {reason}"))?);
        }
        let work = match (base, external) {
            (Some(base), _) => {
                let plan = self.plan(&s, base, &mut sysctls)?;
                Work::Run {
                    plan: Box::new(plan),
                    allow_local,
                    program,
                }
            }
            (None, Some(external)) => {
                for (typed, option) in [
                    (!program.is_empty(), format!("--{s}: a COMMAND")),
                    (self.load.is_some(), format!("--{s}-load")),
                    (self.link.is_some(), format!("--{s}-link")),
                    (self.host.is_some(), format!("--{s}-host")),
                    (!self.set.is_empty(), format!("--set-{s}")),
                ] {
                    if typed {
                        return Err(format!("{option} does not go with --exec-{s}"));
                    }
                }
                let command = self
                    .exec
                    .clone()
                    .ok_or_else(|| format!("--exec-{s} is missing: its number was asked for"))?;
                Work::Exec {
                    command,
                    external: external.clone(),
                }
            }
            (None, None) => return Err(format!("side {s}: nothing to run")),
        };
        if let Some(sysctl) = sysctls.iter().find(|sysctl| !is_ours(sysctl, &work)) {
            return Err(format!(
                "side {s}: the sysctl {sysctl} is of another machine, whose command is not ours: \
                 --{s}-setup 'ssh ...' sets it there"
            ));
        }
        Ok(SideRequest {
            options: self
                .typed(side)
                .into_iter()
                .map(|(name, value)| format!("{name} {value}"))
                .collect(),
            work,
            environment,
            sysctls,
            setup: self.setup.clone(),
            teardown: self.teardown.clone(),
        })
    }

    fn plan(&self, s: &str, base: &Plan, sysctls: &mut Vec<Sysctl>) -> Result<Plan, String> {
        let mut loads: Vec<String> = self.load.iter().cloned().collect();
        let mut links: Vec<String> = self.link.iter().cloned().collect();
        for set in &self.set {
            let in_set = |reason: String| format!("--set-{s}: {reason}");
            let key = set.split('=').next().unwrap_or_default();
            match set.strip_prefix("link.") {
                Some(link) => links.push(link.to_owned()),
                None if Key::of(key).is_some() => loads.push(set.clone()),
                None if key.contains('.') => sysctls.push(sysctl(set).map_err(in_set)?),
                None => {
                    return Err(in_set(format!(
                        "'{key}' is neither a key of a load, nor link.KEY, nor a sysctl"
                    )));
                }
            }
        }
        let mut plan = base.clone();
        for changes in &loads {
            for load in plan.loads.iter_mut().filter(|load| !load.is_probe()) {
                *load = load
                    .with(changes)
                    .map_err(|error| format!("--{s}-load: {error}"))?;
            }
        }
        if let Some(Target::Host { host, port }) = &self.host {
            let family = match &plan.path {
                Path::Host { family, .. } | Path::Testbed { family, .. } => *family,
            };
            plan.path = Path::Host {
                host: host.clone(),
                port: port.unwrap_or(Path::DEFAULT_PORT),
                family,
            };
        }
        for changes in &links {
            let Path::Testbed { link, .. } = &mut plan.path else {
                return Err(format!("--{s}-link: only the testbed's link can be made"));
            };
            *link = link
                .with(changes)
                .map_err(|error| format!("--{s}-link: {error}"))?;
        }
        Plan::new(plan.path, plan.timing, plan.loads).map_err(|error| format!("side {s}: {error}"))
    }
}

/// Whether a sysctl can be set: an external command's other end is nobody's to know.
fn is_ours(sysctl: &Sysctl, work: &Work) -> bool {
    matches!(work, Work::Run { .. }) || sysctl.end != Some(End::Server)
}

/// `[client:|server:]KEY=VALUE`.
pub(in crate::cli) fn sysctl(text: &str) -> Result<Sysctl, String> {
    let (end, setting) = match text.split_once(':') {
        Some(("client", rest)) => (Some(End::Client), rest),
        Some(("server", rest)) => (Some(End::Server), rest),
        _ => (None, text),
    };
    let wrong = || format!("'{text}' is not a sysctl such as client:net.ipv4.tcp_sack=0");
    let (key, value) = setting.split_once('=').ok_or_else(wrong)?;
    let sound = |part: &str| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'/' | b':');
        !part.is_empty() && part.bytes().all(plain)
    };
    if !key.contains('.') || !key.split('.').all(sound) || value.contains('\n') {
        return Err(wrong());
    }
    Ok(Sysctl {
        end,
        key: key.to_owned(),
        value: value.trim().to_owned(),
    })
}

/// Leading `NAME=VALUE` words, and the command after them. Quotes keep spaces, as in a shell.
type Words = (Vec<(String, String)>, Vec<String>);

fn words(text: &str) -> Result<Words, String> {
    let mut all = split(text)?.into_iter().peekable();
    let mut environment = Vec::new();
    while let Some((name, value)) = all.peek().and_then(|word| assignment(word)) {
        environment.push((name, value));
        all.next();
    }
    Ok((environment, all.collect()))
}

fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.starts_with(|c: char| !c.is_ascii_digit());
    is_name.then(|| (name.to_owned(), value.to_owned()))
}

fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    match quote {
        Some(open) => Err(format!("a {open} is not closed")),
        None => Ok(words.into_iter().chain(word).collect()),
    }
}
