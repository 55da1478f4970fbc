//! One flow of a client, from its socket to its close.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use proto::iperf2::{Mode, TestHeader};
use units::{Bytes, Nanos};

use super::order::{Kind, Order};
use crate::iperf2::meter::Meter;

/// A connected flow.
pub(super) struct Line {
    /// From 1.
    pub flow: u32,
    pub socket: Arc<OwnedFd>,
    pub local: SocketAddr,
    pub peer: SocketAddr,
    /// Who sends on it: a stream beside a bounceback has its own mode.
    pub mode: Mode,
    /// It is a stream beside a bounceback.
    pub is_load: bool,
    /// Its send buffer before it was connected, which makes it larger at once: what iperf shows.
    pub buffer: Option<Bytes>,
    pub connect_time: Option<Nanos>,
    /// What was sent in front.
    pub header: Option<TestHeader>,
    /// Bytes of it.
    pub header_len: usize,
    /// What it sends, and what it receives.
    pub sends: Option<Arc<Meter>>,
    pub receives: Option<Arc<Meter>>,
    /// The server has closed, or is not waited for any more.
    pub closed: bool,
    /// When everything was acknowledged.
    pub drained: Option<Nanos>,
}

impl Line {
    /// The load of netdyno's own that comes nearest: what a run's threads are called by.
    pub fn load(&self, order: &Order) -> plan::Kind {
        match order.kind {
            Kind::Bounce(_) if !self.is_load => plan::Kind::Rr,
            _ => crate::iperf2::load(self.mode, order.is_tcp || self.is_load),
        }
    }

    /// Whether its flows are at work.
    pub fn is_started(&self) -> bool {
        self.sends.is_some() || self.receives.is_some()
    }
}
