//! From a contender's words to a command that ends with us.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::contest::{Contender, Meter};
use super::place::End;
use crate::cargo;

/// Where the programs are.
pub struct Programs {
    release: PathBuf,
    /// For files that one run leaves and reads.
    pub scratch: PathBuf,
}

/// Values of the placeholders.
pub struct Blanks<'a> {
    /// `{address}`
    pub address: &'a str,
    /// `{port}`
    pub port: u16,
    /// `{seconds}`
    pub seconds: u32,
}

impl Programs {
    /// The built ones lie in `release`, all others in `PATH`.
    pub fn new(release: &Path, scratch: PathBuf) -> Self {
        Self {
            release: release.to_owned(),
            scratch,
        }
    }

    /// What keeps a contender from running here.
    pub fn missing(
        &self,
        contender: &Contender,
        meter: Option<Meter>,
        traced: bool,
    ) -> Option<String> {
        if traced && not_run::program("strace").is_none() {
            return Some("strace is not installed".to_owned());
        }
        if meter.is_some() && !not_run::is_root() {
            return Some("the gap meter's packet socket needs root".to_owned());
        }
        [contender.server, contender.client]
            .iter()
            .filter_map(|words| words.split_whitespace().next())
            .find(|program| self.find(program).is_none())
            .map(|program| format!("{program} is not installed"))
    }

    /// A program's file.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        if matches!(name, "netdyno" | "bare") {
            let file = self.release.join(name);
            return file.is_file().then_some(file);
        }
        // What a script around netperf does, in a few lines of our own.
        if name == "netperfs.sh" {
            return not_run::program("netperf").map(|_| cargo::root().join("bench/netperfs.sh"));
        }
        not_run::program(name)
    }

    /// The server: killed when this process dies. `calls` is where its system calls are counted.
    pub fn server(
        &self,
        words: &str,
        blanks: &Blanks<'_>,
        end: &End,
        calls: Option<&Path>,
    ) -> Command {
        let mut line = Line::new("setpriv");
        line.add(["--pdeathsig", "KILL"]);
        line.enter(end);
        line.trace(calls);
        line.program(self, words, blanks);
        line.command()
    }

    /// The client: ended after `limit` seconds at the latest, and when this process dies. Its cost
    /// goes into a file. `bare cost` stands next to the program, so that nobody else is counted.
    pub fn client(
        &self,
        words: &str,
        blanks: &Blanks<'_>,
        end: &End,
        limit: u32,
        cost: &Path,
        calls: Option<&Path>,
    ) -> Command {
        let mut line = Line::new("setpriv");
        line.add(["--pdeathsig", "TERM"]);
        line.add(["timeout", "--kill-after", "1", &limit.to_string()]);
        line.enter(end);
        line.program(self, "bare cost", blanks);
        line.add([&cost.to_string_lossy(), "--"]);
        line.trace(calls);
        line.program(self, words, blanks);
        line.command()
    }

    /// The gap meter, at the receiving end.
    pub fn meter(&self, meter: Meter, blanks: &Blanks<'_>, end: &End) -> Command {
        let words = format!(
            "bare udp-gap {{port}} {} {} {{seconds}}",
            meter.payload_bytes, meter.gap_ns
        );
        self.server(&words, blanks, end, None)
    }
}

impl Blanks<'_> {
    /// The words with all placeholders filled.
    pub fn fill(&self, words: &str) -> Vec<String> {
        words
            .split_whitespace()
            .map(|word| {
                word.replace("{address}", self.address)
                    .replace("{port}", &self.port.to_string())
                    .replace("{seconds}", &self.seconds.to_string())
            })
            .collect()
    }
}

/// A command line that grows: every program in front starts the rest of it.
struct Line(Vec<String>);

impl Line {
    fn new(first: &str) -> Self {
        Self(vec![first.to_owned()])
    }

    fn add<const N: usize>(&mut self, words: [&str; N]) {
        self.0.extend(words.map(str::to_owned));
    }

    fn enter(&mut self, end: &End) {
        if let Some(namespace) = &end.namespace {
            self.add(["nsenter", &format!("--net={}", namespace.display()), "--"]);
        }
        if let Some(cpu) = end.cpu {
            self.add(["taskset", "--cpu-list", &cpu.to_string()]);
        }
    }

    /// Counts the system calls of what follows.
    fn trace(&mut self, calls: Option<&Path>) {
        if let Some(file) = calls {
            self.add(["strace", "-f", "-qq", "-c", "-o", &file.to_string_lossy()]);
        }
    }

    fn program(&mut self, programs: &Programs, words: &str, blanks: &Blanks<'_>) {
        let mut words = blanks.fill(words);
        if let Some(file) = words.first().and_then(|name| programs.find(name)) {
            words[0] = file.to_string_lossy().into_owned();
        }
        self.0.extend(words);
    }

    fn command(self) -> Command {
        let mut command = Command::new(&self.0[0]);
        command.args(&self.0[1..]).stdin(Stdio::null());
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> String {
        std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn programs_stand_behind_what_bounds_and_places_them() {
        let programs = Programs::new(Path::new("nowhere"), "scratch".into());
        let blanks = Blanks {
            address: "127.0.0.1",
            port: 5,
            seconds: 3,
        };
        let end = End {
            namespace: Some("/proc/9/ns/net".into()),
            cpu: Some(1),
        };
        let server = programs.server("no-such -p {port}", &blanks, &end, None);
        assert_eq!(
            words(&server),
            "setpriv --pdeathsig KILL nsenter --net=/proc/9/ns/net -- taskset --cpu-list 1 \
             no-such -p 5"
        );
        let end = End {
            namespace: None,
            cpu: None,
        };
        let client = programs.client(
            "no-such {address}:{port} {seconds}",
            &blanks,
            &end,
            9,
            Path::new("c"),
            Some(Path::new("s")),
        );
        assert_eq!(
            words(&client),
            "setpriv --pdeathsig TERM timeout --kill-after 1 9 bare cost c -- \
             strace -f -qq -c -o s no-such 127.0.0.1:5 3"
        );
    }
}
