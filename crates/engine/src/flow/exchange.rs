//! The times of requests, and of calls.

use std::sync::Arc;

use sys::clock;
use units::Nanos;

use crate::histogram::Histogram;
use crate::tally::Tally;

/// Where response and service times go: one pair per load and worker.
#[derive(Clone, Default)]
pub(crate) struct Timings {
    /// From the intended start to the end of the answer.
    pub response: Arc<Histogram>,
    /// From the real start; the same as `response` in a closed loop, and then not kept twice.
    pub service: Arc<Histogram>,
}

/// One flow's share of them.
pub(crate) struct Timer {
    timings: Timings,
    open: bool,
    sum: u64,
    count: u64,
}

/// A request on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    /// When it was meant to start.
    pub intended: Nanos,
    /// When it did.
    pub sent: Nanos,
}

impl Timer {
    pub fn new(timings: Timings, open: bool) -> Self {
        Self {
            timings,
            open,
            sum: 0,
            count: 0,
        }
    }

    /// When a call begins, where calls are timed.
    #[inline]
    pub fn begin(timer: &Option<Self>) -> Option<Nanos> {
        timer.as_ref().map(|_| clock::now())
    }

    /// Notes that a call that began at `began` is over.
    #[inline]
    pub fn called(timer: &mut Option<Self>, began: Option<Nanos>, tally: &Tally) {
        if let (Some(timer), Some(began)) = (timer, began) {
            let request = Request {
                intended: began,
                sent: began,
            };
            timer.answered(request, clock::now(), tally);
        }
    }

    /// Notes that the answer to `request` was complete at `now`.
    #[inline]
    pub fn answered(&mut self, request: Request, now: Nanos, tally: &Tally) {
        let response = (now - request.intended).get();
        self.timings.response.record(response);
        if self.open {
            self.timings.service.record((now - request.sent).get());
        }
        self.sum += response;
        self.count += 1;
        tally.set_responses(self.sum, self.count);
    }
}
