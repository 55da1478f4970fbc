//! What must hold for a control session, whichever end it is.
//!
//! The first byte of the data chooses the state that the session has come to, the second the size
//! of the fragments; the rest is the stream.

use std::fmt::Debug;

use units::Nanos;

/// What both ends have.
pub(crate) trait Session: Sized {
    type Action: PartialEq + Debug;

    /// How many states there are to start from.
    const STAGES: u8;

    /// A session that a well-behaved peer has brought to state number `stage`.
    fn at(stage: u8) -> Self;
    /// What a driver does that goes on as fast as it can.
    fn react(&mut self, action: &Self::Action);
    /// Whether nothing may follow this action.
    fn is_last(action: &Self::Action) -> bool;
    /// Whether this action is what becomes of a deadline that does not end the session.
    fn is_stop(_action: &Self::Action) -> bool {
        false
    }
    /// The texts of the peer's in it.
    fn texts(action: &Self::Action) -> Vec<String>;
    /// Asserts that what decodes as a message encodes to what decodes to the same.
    fn round_trip(stream: &[u8]);

    fn receive(&mut self, now: Nanos, bytes: &[u8]);
    fn eof(&mut self);
    fn expire(&mut self, now: Nanos);
    fn next_deadline(&self) -> Option<Nanos>;
    fn poll_action(&mut self) -> Option<Self::Action>;
    fn transmit(&self) -> &[u8];
    fn consumed(&mut self, n: usize);
    fn is_over(&self) -> bool;
    fn buffered(&self) -> usize;
}

/// The methods of [`Session`] that the sessions have by the same names.
macro_rules! same_methods {
    () => {
        fn receive(&mut self, now: Nanos, bytes: &[u8]) {
            self.receive(now, bytes);
        }
        fn eof(&mut self) {
            self.eof();
        }
        fn expire(&mut self, now: Nanos) {
            self.expire(now);
        }
        fn next_deadline(&self) -> Option<Nanos> {
            self.next_deadline()
        }
        fn poll_action(&mut self) -> Option<Self::Action> {
            self.poll_action()
        }
        fn transmit(&self) -> &[u8] {
            self.transmit()
        }
        fn consumed(&mut self, n: usize) {
            self.consumed(n);
        }
        fn is_over(&self) -> bool {
            self.is_over()
        }
        fn buffered(&self) -> usize {
            self.buffered()
        }
    };
}
pub(crate) use same_methods;

pub(crate) const NOW: Nanos = Nanos::from_secs(1000);
pub(crate) const GUARD: Nanos = Nanos::from_secs(2000);

/// What a session holds beside the peer's bytes: its own answers, of which the longest is a piece
/// of the scene's report.
const OWN: usize = 64 << 10;

/// Asserts every invariant and returns what a driver that answers was told.
pub(crate) fn check<S: Session>(data: &[u8]) -> Vec<S::Action> {
    let [stage, size, stream @ ..] = data else {
        return vec![];
    };
    S::round_trip(stream);
    let stage = stage % S::STAGES;
    let whole = listen::<S>(stage, stream, usize::MAX);
    let fragments = listen::<S>(stage, stream, usize::from(*size) + 1);
    assert_eq!(
        whole,
        fragments,
        "fragments of {} bytes matter",
        u32::from(*size) + 1
    );
    answer::<S>(stage, stream)
}

/// What a session says and sends whose driver only listens: it must not depend on the fragments.
fn listen<S: Session>(stage: u8, stream: &[u8], size: usize) -> (Vec<S::Action>, Vec<u8>) {
    let mut session = S::at(stage);
    let mut fed = 0;
    for fragment in stream.chunks(size.max(1)) {
        session.receive(NOW, fragment);
        fed += fragment.len();
        bounded(&session, fed);
    }
    let mut actions = drain(&mut session);
    ended::<S>(&actions, session.is_over());
    if session.is_over() {
        assert_eq!(session.next_deadline(), None, "an end waits for nothing");
        session.receive(NOW, b"anything");
        session.expire(Nanos::new(u64::MAX));
        assert_eq!(drain(&mut session), [], "nothing comes after the end");
    } else if let Some(deadline) = session.next_deadline() {
        session.expire(deadline);
        let told = drain(&mut session);
        assert!(
            session.is_over() || told.iter().any(S::is_stop),
            "time is up and it goes on"
        );
        actions.extend(told);
    }
    session.eof();
    assert!(session.is_over(), "the connection is closed and it goes on");
    actions.extend(drain(&mut session));
    (actions, session.transmit().to_vec())
}

/// What a session says whose driver answers each action after each byte.
fn answer<S: Session>(stage: u8, stream: &[u8]) -> Vec<S::Action> {
    let mut session = S::at(stage);
    let mut told = vec![];
    for (fed, byte) in (1..).zip(stream) {
        session.receive(NOW, &[*byte]);
        while let Some(action) = session.poll_action() {
            session.react(&action);
            told.push(action);
        }
        bounded(&session, fed);
        let waiting = session.transmit().len();
        session.consumed(waiting);
    }
    ended::<S>(&told, session.is_over());
    session.eof();
    told.extend(drain(&mut session));
    for text in told.iter().flat_map(S::texts) {
        assert!(
            !text.chars().any(char::is_control),
            "{text:?} reaches a terminal"
        );
        assert!(text.chars().count() <= 512, "{text:?} is long");
    }
    told
}

fn drain<S: Session>(session: &mut S) -> Vec<S::Action> {
    std::iter::from_fn(|| session.poll_action()).collect()
}

/// Memory follows what was fed, never what was announced. A buffer may be twice what is in it.
fn bounded<S: Session>(session: &S, fed: usize) {
    let held = session.buffered();
    assert!(held <= 2 * fed + OWN, "{held} bytes held after {fed}");
}

/// The last action is the only one that ends, and it ends.
fn ended<S: Session>(actions: &[S::Action], is_over: bool) {
    let last = actions.iter().position(S::is_last);
    assert!(last.is_none_or(|at| at + 1 == actions.len()), "{actions:?}");
    assert!(last.is_none() || is_over, "{actions:?} and it goes on");
}
