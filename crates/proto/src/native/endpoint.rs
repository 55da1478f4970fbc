//! What both ends of a control connection have: bytes in, bytes out, a state, a deadline, actions.

use std::collections::VecDeque;

use record::End;
use units::{Bytes, Nanos};

use super::outbox::Outbox;
use super::state::State;
use super::{FrameReader, SessionError, WrongTurn};

/// How long one answer of the handshake may take.
pub(super) const ANSWER: Nanos = Nanos::from_secs(5);

/// One end. `A` is what it tells its driver.
#[derive(Debug)]
pub(super) struct Endpoint<A> {
    me: End,
    pub(super) state: State,
    pub(super) reader: FrameReader,
    pub(super) outbox: Outbox,
    actions: VecDeque<A>,
    /// When the peer must have answered; none leaves it to the guard.
    answer_by: Option<Nanos>,
    guard: Option<Nanos>,
}

impl<A: From<SessionError>> Endpoint<A> {
    pub(super) fn new(me: End, limit: Bytes, answer_by: Nanos) -> Self {
        Self {
            me,
            state: State::Connected,
            reader: FrameReader::new(limit),
            outbox: Outbox::default(),
            actions: VecDeque::new(),
            answer_by: Some(answer_by),
            guard: None,
        }
    }

    /// What this end waits for.
    pub(super) const fn waits_for(&self) -> &'static str {
        self.state.waits_for(self.me)
    }

    /// The new state, in which the peer must answer until then.
    pub(super) fn enter_until(&mut self, state: State, answer_by: Nanos) {
        self.state = state;
        self.answer_by = Some(answer_by);
    }

    /// The new state, in which it is this end's turn, or the guard counts.
    pub(super) fn enter(&mut self, state: State) {
        self.state = state;
        self.answer_by = None;
    }

    pub(super) fn act(&mut self, action: A) {
        self.actions.push_back(action);
    }

    pub(super) fn poll_action(&mut self) -> Option<A> {
        self.actions.pop_front()
    }

    pub(super) fn set_guard(&mut self, until: Nanos) {
        self.guard = Some(until);
    }

    pub(super) fn next_deadline(&self) -> Option<Nanos> {
        let guard = self.guard.filter(|_| self.state.is_guarded());
        self.answer_by.or(guard)
    }

    /// Whether the deadline has passed.
    pub(super) fn is_late(&self, now: Nanos) -> bool {
        self.next_deadline().is_some_and(|deadline| deadline <= now)
    }

    /// Nothing more happens but what is queued; `farewell` still goes out.
    pub(super) fn fail(&mut self, error: SessionError, farewell: &[u8]) {
        self.outbox.push(farewell);
        self.enter(State::Over);
        self.act(error.into());
    }

    /// Whether `command` has its turn. Once nothing matters any more none has, and that is no
    /// fault: the driver may not have heard of it yet.
    pub(super) fn turn(&self, command: &'static str, fits: bool) -> Result<bool, WrongTurn> {
        match (fits, self.state.is_deaf()) {
            (_, true) => Ok(false),
            (true, false) => Ok(true),
            (false, false) => Err(WrongTurn {
                command,
                state: self.waits_for(),
            }),
        }
    }

    /// Bytes of memory that are held for what came and what goes.
    pub(super) fn buffered(&self) -> usize {
        self.reader.capacity() + self.outbox.waiting().len()
    }
}
