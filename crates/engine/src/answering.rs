//! The answering end of connect-request-response: flows whose connections come one by one.

use std::sync::Arc;

use crate::flow::{ConnectAnswer, ConnectCounts};
use crate::inbox::Inbox;
use crate::worker::Running;

/// What a worker needs to answer the connections of its flows.
pub(crate) struct Answering {
    pub inbox: Arc<Inbox>,
    pub load: usize,
    pub request: usize,
    pub reply: usize,
    /// By flow number; only this worker's flows are there.
    pub counts: Vec<Option<Arc<ConnectCounts>>>,
}

impl Answering {
    /// The connections that came, ready to be driven.
    pub fn arrivals(&self) -> Vec<Running> {
        let arrived = self.inbox.take().into_iter().filter_map(|(flow, socket)| {
            let counts = self.counts.get(flow as usize)?.clone()?;
            let answer = ConnectAnswer {
                socket,
                counts,
                request: self.request,
                reply: self.reply,
                arrived: 0,
                written: 0,
            };
            Some(Running {
                load: self.load,
                number: flow,
                counts: false,
                active: false,
                flow: Box::new(answer),
            })
        });
        arrived.collect()
    }
}
