//! A client's request.

use std::path::PathBuf;

use proto::iperf3::Parameters;
use report::dialect::iperf3::{Form, Role};
use units::Nanos;

use super::Common;

/// A test to be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Options of either end.
    pub common: Common,
    /// The server (`-c`): a name or an address, with an interface only where it is an address's
    /// scope.
    pub host: String,
    /// What the server is told. A datagram's size that nobody asked for is not in it yet, nor are
    /// credentials and the size of a file.
    pub parameters: Parameters,
    /// How long the control connection may take (`--connect-timeout`).
    pub connect_timeout: Option<Nanos>,
    /// Our port of the first data stream (`--cport`); the next ones have the next ports.
    pub first_port: Option<u16>,
    /// Outgoing streams of an SCTP association (`--nstreams`).
    pub sctp_streams: Option<u16>,
    /// Who we are to a server that wants to know.
    pub credentials: Option<Credentials>,
    /// Neither time, bytes nor blocks were asked for: the file (`-F`), if there is one, ends it.
    pub ends_with_file: bool,
}

/// A user; the password comes from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// `--username`.
    pub user: String,
    /// `--rsa-public-key-path`.
    pub public_key: PathBuf,
    /// The padding of 3.16 and before (`--use-pkcs1-padding`).
    pub pkcs1_padding: bool,
}

impl Ask {
    /// How its output is shaped.
    pub fn form(&self, system_info: String) -> Form {
        let title = self.parameters.title.clone();
        self.common.form(Role::Client, title, system_info)
    }
}
