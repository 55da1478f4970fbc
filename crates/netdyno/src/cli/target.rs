//! What `netdyno run` is given: a server, or a run file.

use std::net::Ipv6Addr;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a run goes, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A server.
    Host {
        /// Name or address, without brackets.
        host: String,
        /// The port after it.
        port: Option<u16>,
    },
    /// A run file.
    File(PathBuf),
}

impl FromStr for Target {
    type Err = String;

    /// `host`, `host:5000`, `10.0.0.2:5000`, `::1`, `[::1]:5000`, `FILE.toml`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| {
            format!("'{text}' is not a server: {why} (HOST, HOST:PORT, [IPV6]:PORT or FILE.toml)")
        };
        if text.ends_with(".toml") {
            return Ok(Self::File(PathBuf::from(text)));
        }
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest
                    .split_once(']')
                    .ok_or_else(|| wrong("a ']' is missing"))?;
                if !is_ipv6(host) {
                    return Err(wrong("only an IPv6 address stands in brackets"));
                }
                match rest.strip_prefix(':') {
                    Some(port) => (host, Some(port)),
                    None if rest.is_empty() => (host, None),
                    None => return Err(wrong("only ':PORT' follows ']'")),
                }
            }
            None if is_ipv6(text) => (text, None),
            None => match text.split_once(':') {
                None => (text, None),
                Some((host, port)) => (host, Some(port)),
            },
        };
        let port = port
            .map(|port| port.parse().ok().filter(|port| *port > 0))
            .map(|port| port.ok_or_else(|| wrong("a port is 1 to 65535")))
            .transpose()?;
        let fits = !host.is_empty()
            && !host.starts_with('-')
            && !host.contains(|c: char| c.is_whitespace() || c.is_control() || c == '/');
        if !fits {
            return Err(wrong("a host is a name or an address"));
        }
        Ok(Self::Host {
            host: host.to_owned(),
            port,
        })
    }
}

/// An IPv6 literal, with a zone (`fe80::1%eth0`) or without.
pub(super) fn is_ipv6(host: &str) -> bool {
    let address = host.split_once('%').map_or(host, |(address, _)| address);
    address.parse::<Ipv6Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_files() {
        for (text, host, port) in [
            ("server", "server", None),
            ("server.lab:5000", "server.lab", Some(5000)),
            ("10.0.0.2", "10.0.0.2", None),
            ("10.0.0.2:1", "10.0.0.2", Some(1)),
            ("::1", "::1", None),
            ("fe80::1%eth0", "fe80::1%eth0", None),
            ("[::1]", "::1", None),
            ("[fe80::1%eth0]:65535", "fe80::1%eth0", Some(65535)),
        ] {
            let host = host.to_owned();
            assert_eq!(text.parse(), Ok(Target::Host { host, port }), "{text}");
        }
        assert_eq!("a/b.toml".parse(), Ok(Target::File("a/b.toml".into())));
    }

    #[test]
    fn what_is_neither_gets_one_sentence() {
        for (text, why) in [
            ("", "a host is a name or an address"),
            (":5000", "a host is a name or an address"),
            ("a b", "a host is a name or an address"),
            ("plans/one", "a host is a name or an address"),
            ("server:", "a port is 1 to 65535"),
            ("server:0", "a port is 1 to 65535"),
            ("server:70000", "a port is 1 to 65535"),
            ("1::2::3", "a port is 1 to 65535"),
            ("[::1", "a ']' is missing"),
            ("[::1]5000", "only ':PORT' follows ']'"),
            ("[server]:5000", "only an IPv6 address stands in brackets"),
        ] {
            assert_eq!(
                text.parse::<Target>(),
                Err(format!(
                    "'{text}' is not a server: {why} (HOST, HOST:PORT, [IPV6]:PORT or FILE.toml)"
                ))
            );
        }
    }
}
