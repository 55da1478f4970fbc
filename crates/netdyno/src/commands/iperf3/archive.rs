//! Which tests of a server are kept in the run store.

use std::sync::atomic::{AtomicU32, Ordering};

use engine::iperf3::Contact;
use record::End;

use super::keep::Kept;
use crate::dialect::iperf3::Serve;
use crate::say;
use crate::store::Store;

/// Runs that one server keeps: it may serve for years, and whoever connects makes one.
const MOST: u32 = 1000;

/// A server's place for its runs.
pub(super) struct Archive {
    serve: Serve,
    argv: Vec<String>,
    left: AtomicU32,
}

impl Archive {
    /// Of a server that was started so.
    pub fn new(serve: &Serve, argv: &[String]) -> Self {
        let left = if Store::of_environment().is_some() {
            MOST
        } else {
            say!("neither XDG_STATE_HOME nor HOME says where to keep runs; none is kept");
            0
        };
        Self {
            serve: serve.clone(),
            argv: argv.to_vec(),
            left: AtomicU32::new(left),
        }
    }

    /// Opens a run for a test, if there is room for one more.
    pub fn begin(&self, contact: &Contact) -> Option<Kept> {
        let take = |left: u32| left.checked_sub(1);
        let order = Ordering::Relaxed;
        let before = self.left.fetch_update(order, order, take).ok()?;
        if before == 1 {
            say!("this server has kept {MOST} runs and keeps no more");
        }
        let plan = self.serve.plan(&contact.parameters, contact.local);
        let peer = contact.peer.ip().to_canonical();
        let kept = Kept::begin(plan, &contact.parameters, &self.argv, End::Server, peer);
        Some(kept)
    }
}
