//! One flow's data connection at the client.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use proto::netperf::Opened;
use sys::{Options, Wait};
use units::Nanos;

use super::data::Dialer;
use super::{ClientError, Flow, Job};
use crate::crew::FlowHandle;
use crate::mark::FlowMark;
use crate::netperf::socket;

/// How often at once the end of datagrams is said, as netperf does.
const ENDS: usize = 3;

/// A flow's end at the client.
#[derive(Default)]
pub(super) struct Line {
    /// Its control connection.
    pub seat: usize,
    /// The server's data socket.
    pub opened: Option<Opened>,
    /// What befell it alone.
    pub error: Option<ClientError>,
    pub handle: FlowHandle,
    /// When the server had read all and closed.
    pub drained: Option<Nanos>,
    pub flow: Flow,
}

impl Line {
    /// Gives it a socket, and begins to connect; of a test of many connections the first one is
    /// only looked at.
    pub fn open(&mut self, job: &Arc<Job>, peer: SocketAddr, connects: bool) -> io::Result<()> {
        let port = if connects { job.local_port } else { 0 };
        let socket = Dialer::new(job.clone(), peer).socket(port)?;
        let options = Options::of(&socket);
        // The kernel tunes both from the connection on.
        self.flow.first_buffers = (options.sndbuf().ok(), options.rcvbuf().ok());
        if connects {
            sys::connect(&socket, peer)?;
            self.handle.socket = Some(Arc::new(socket));
        } else {
            self.flow.last_buffers = self.flow.first_buffers;
        }
        Ok(())
    }

    /// Gives it a socket that waits for the server's datagrams; the port.
    pub fn listen(&mut self, job: &Arc<Job>, peer: SocketAddr) -> io::Result<u16> {
        let socket = Dialer::new(job.clone(), peer).socket(job.local_port)?;
        if job.local_address.is_none() && job.local_port == 0 {
            sys::bind(&socket, socket::local(None, 0, plan::Family::Any, peer))?;
        }
        let options = Options::of(&socket);
        self.flow.first_buffers = (options.sndbuf().ok(), options.rcvbuf().ok());
        let port = sys::local_address(&socket)?.port();
        self.handle.socket = Some(Arc::new(socket));
        Ok(port)
    }

    /// Notes what the common window holds.
    pub fn mark(&mut self, mark: &FlowMark) {
        self.flow.window = mark.counters;
        self.flow.window_acked = mark.acked;
        self.flow.window_retransmits = mark
            .tcp_info
            .as_ref()
            .and_then(|info| info.tcpi_total_retrans);
    }

    /// Says that no more datagrams come.
    pub fn say_end(&self) {
        if let Some(socket) = &self.handle.socket {
            for _ in 0..ENDS {
                // Whether it arrives nobody knows; it is said until the results come.
                let _ = sys::send(&**socket, &[], Wait::Never);
            }
        }
    }
}
