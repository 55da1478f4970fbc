//! netserver's command line.

use plan::Family;
use proto::netperf::PORT;

use super::getopt::{Found, Letters, Wrong, getopt};
use super::{Refusal, family, help, number, pair};

pub(super) const LETTERS: Letters = Letters {
    known: "DdfhL:n:Np:v:VZ:46",
    optional: "",
    is_optional_value: |_| false,
    long: &[],
};

/// A server to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetserverRequest {
    /// Where it listens (`-L`); none is anywhere.
    pub host: Option<String>,
    /// On which family.
    pub family: Family,
    /// The control connections' port (`-p`).
    pub port: u16,
    /// It stays in the foreground (`-D`).
    pub foreground: bool,
    /// One control connection at a time (`-f`).
    pub one_at_a_time: bool,
    /// What a client has to say first (`-Z`).
    pub passphrase: Option<String>,
    /// Sentences for standard error: what was asked and has no effect.
    pub notes: Vec<String>,
}

/// What netserver's `argv` (program name first) means.
pub fn parse_server(argv: &[String]) -> Result<NetserverRequest, Refusal> {
    let mut request = NetserverRequest {
        host: None,
        family: Family::Any,
        port: PORT,
        foreground: false,
        one_at_a_time: false,
        passphrase: None,
        notes: Vec::new(),
    };
    let (finds, rest) = getopt(argv.get(1..).unwrap_or_default(), &LETTERS);
    for find in finds {
        match find {
            Ok(Found::Option(letter, value)) => request.take(letter, value.unwrap_or_default())?,
            Ok(Found::Operand(word)) => request.ignore(word),
            Ok(Found::Long(name, _)) => request.ignore(name),
            Err(Wrong::Unknown(option)) if option == "--help" => return Err(help::netserver(0)),
            Err(Wrong::Unknown(option)) => {
                let sentence = format!("{option} is no option of netserver's; {USAGE}");
                return Err(Refusal::usage(sentence));
            }
            Err(Wrong::NoValue(option)) => {
                return Err(Refusal::usage(format!("{option} needs a value")));
            }
        }
    }
    rest.iter().for_each(|word| request.ignore(word));
    Ok(request)
}

impl NetserverRequest {
    /// The line of a server that listens.
    pub fn starting(&self) -> String {
        format!("Starting netserver with {}\n", self.place())
    }

    /// The sentence of one that cannot.
    pub fn failed(&self) -> String {
        format!("Unable to start netserver with  {}", self.place())
    }

    fn place(&self) -> String {
        let host = self.host.as_deref().unwrap_or("IN(6)ADDR_ANY");
        let family = match self.family {
            Family::Any => "AF_UNSPEC",
            Family::V4 => "AF_INET",
            Family::V6 => "AF_INET6",
        };
        format!("host '{host}' port '{}' and family {family}", self.port)
    }

    fn take(&mut self, letter: char, text: &str) -> Result<(), Refusal> {
        match letter {
            'D' => self.foreground = true,
            'd' | 'v' | 'n' => self.notes.push(format!("-{letter} has no effect")),
            'f' => self.one_at_a_time = true,
            'h' => return Err(help::netserver(1)),
            'L' => {
                let (host, of_family) = pair::explicit(text);
                self.host = host.map(str::to_owned).or(self.host.take());
                self.family = of_family.and_then(family::family).unwrap_or(self.family);
            }
            'p' => {
                self.port = number::port("-p", text)?;
                if self.port == 0 {
                    return Err(number::refused("-p", text, "a port from 1 to 65535"));
                }
            }
            'V' => return Err(Refusal::answer(super::global::VERSION, 0)),
            'Z' => self.passphrase = Some(text.to_owned()),
            '4' => self.family = Family::V4,
            '6' => self.family = Family::V6,
            // -N: no debug log, which there never is.
            _ => {}
        }
        Ok(())
    }

    fn ignore(&mut self, word: &str) {
        self.notes
            .push(format!("'{word}' is no option and has no effect"));
    }
}

const USAGE: &str =
    "usage: netserver [-D] [-f] [-N] [-4|-6] [-L host,family] [-p port] [-Z phrase]";

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<NetserverRequest, Refusal> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse_server(&words)
    }

    #[test]
    fn alone_it_listens_anywhere() {
        let request = of("netserver").unwrap();
        assert_eq!(request.port, 12_865);
        assert!(!request.foreground);
        assert_eq!(
            request.starting(),
            "Starting netserver with host 'IN(6)ADDR_ANY' port '12865' and family AF_UNSPEC\n"
        );
    }

    #[test]
    fn options_in_clusters() {
        let request = of("netserver -DfN -4 -p 5000 -L 10.0.0.1 -Z secret").unwrap();
        assert!(request.foreground && request.one_at_a_time);
        assert_eq!(request.family, Family::V4);
        assert_eq!(request.host.as_deref(), Some("10.0.0.1"));
        assert_eq!(request.passphrase.as_deref(), Some("secret"));
        assert_eq!(
            request.failed(),
            "Unable to start netserver with  host '10.0.0.1' port '5000' and family AF_INET"
        );
        assert_eq!(request.notes, [""; 0]);
    }

    #[test]
    fn slips() {
        for line in [
            "netserver -x",
            "netserver -p",
            "netserver -p 0",
            "netserver -h",
        ] {
            assert_eq!(of(line).unwrap_err().code, 1, "{line}");
        }
        let version = of("netserver -V").unwrap_err();
        assert_eq!(
            (version.code, version.output.as_str()),
            (0, "Netperf version 2.7.0\n")
        );
        assert_eq!(of("netserver -d -v 2 x").unwrap().notes.len(), 3);
    }
}
