//! A server's request.

use std::path::PathBuf;

use report::dialect::iperf3::{Form, Role};
use units::{BitRate, Nanos};

use super::Common;

/// A server to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Serve {
    /// Options of either end.
    pub common: Common,
    /// It goes to the background (`-D`).
    pub daemon: bool,
    /// One test, and it ends (`-1`).
    pub one_off: bool,
    /// The most that a test may move (`--server-bitrate-limit`).
    pub rate_limit: Option<RateLimit>,
    /// An idle listener is made anew after that time, and ends with `-1` (`--idle-timeout`).
    pub idle_timeout: Option<Nanos>,
    /// The longest test (`--server-max-duration`).
    pub longest_test: Option<Nanos>,
    /// Who may ask.
    pub authorization: Option<Authorization>,
    /// Data goes over MPTCP where the client can (`-m`).
    pub mptcp: bool,
    /// Tests at the same time, `--max-tests`, an option of ours; iperf3 has one.
    pub most_tests: Option<u32>,
}

/// The most that a test may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Of all its streams and directions.
    pub rate: BitRate,
    /// Averaged over that time.
    pub over: Nanos,
}

/// Who may ask for tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// `--rsa-private-key-path`.
    pub private_key: PathBuf,
    /// `--authorized-users-path`.
    pub users: PathBuf,
    /// How far the clocks may be apart (`--time-skew-threshold`).
    pub skew: Nanos,
    /// The padding of 3.16 and before is taken too (`--use-pkcs1-padding`).
    pub pkcs1_padding: bool,
}

impl Serve {
    /// How its output is shaped.
    pub fn form(&self, system_info: String) -> Form {
        self.common.form(Role::Server, None, system_info)
    }
}
