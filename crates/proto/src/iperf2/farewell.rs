//! The last words of a UDP test: the client says that it is over until it is answered, and the
//! server answers until it hears nothing more.

use units::Nanos;

/// The client's end: numbers below zero until the server's report comes.
#[derive(Debug, Clone, Copy)]
pub struct ClientFarewell {
    /// The number of the next one, positive.
    next: i64,
    said: u32,
    due: Nanos,
    wait: Nanos,
    most: u32,
}

impl ClientFarewell {
    /// How long a client waits for the answer before it says it again.
    const WAIT: Nanos = Nanos::from_millis(10);
    /// How often it says it: the first time, and for two seconds.
    const MOST: u32 = 201;

    /// Begins after data number `last`.
    pub const fn new(last: i64, now: Nanos) -> Self {
        Self {
            next: last.saturating_add(1),
            said: 0,
            due: now,
            wait: Self::WAIT,
            most: Self::MOST,
        }
    }

    /// A single one: no answer comes (multicast, reverse).
    pub const fn once(last: i64, now: Nanos) -> Self {
        Self {
            most: 1,
            wait: Nanos::ZERO,
            ..Self::new(last, now)
        }
    }

    /// When to say it again, or to give up.
    pub const fn due(&self) -> Nanos {
        self.due
    }

    /// The number to say now, if it is time; none before.
    pub fn say(&mut self, now: Nanos) -> Option<i64> {
        if now < self.due || self.is_over(now) {
            return None;
        }
        let id = -self.next;
        self.next = self.next.saturating_add(1);
        self.said += 1;
        self.due = now + self.wait;
        Some(id)
    }

    /// Whether all was said and nobody answered.
    pub fn is_over(&self, now: Nanos) -> bool {
        self.said >= self.most && now >= self.due
    }

    /// How often it was said.
    pub const fn said(&self) -> u32 {
        self.said
    }
}

/// The server's end: a report, and another for each datagram that still comes. It never sends
/// more than it gets, and not more than a few in all.
#[derive(Debug, Clone, Copy)]
pub struct ServerFarewell {
    sent: u32,
    /// When it has been silent for long enough.
    until: Nanos,
    silence: Nanos,
}

impl ServerFarewell {
    /// Silence after which nothing more is expected.
    const SILENCE: Nanos = Nanos::from_millis(250);
    /// The same for clients that ask again only that often.
    const LEGACY_SILENCE: Nanos = Nanos::from_secs(1);
    /// Most reports of a flow.
    pub const MOST: u32 = 9;

    /// Begins when the first end came.
    pub fn new(now: Nanos, is_legacy: bool) -> Self {
        let silence = if is_legacy {
            Self::LEGACY_SILENCE
        } else {
            Self::SILENCE
        };
        Self {
            sent: 0,
            until: now + silence,
            silence,
        }
    }

    /// A datagram came, the first end or any after it: whether to send a report.
    pub fn hear(&mut self, now: Nanos) -> bool {
        self.until = now + self.silence;
        let sends = self.sent < Self::MOST;
        self.sent += u32::from(sends);
        sends
    }

    /// When it will be over if nothing more comes.
    pub const fn due(&self) -> Nanos {
        self.until
    }

    /// Whether it is over: silence, or nothing left to say.
    pub fn is_over(&self, now: Nanos) -> bool {
        now >= self.until || self.sent >= Self::MOST
    }

    /// Whether the client never stopped asking.
    pub const fn was_unheard(&self) -> bool {
        self.sent >= Self::MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_client_asks_for_two_seconds() {
        let mut farewell = ClientFarewell::new(92, Nanos::from_secs(1));
        let (mut now, mut ids) = (Nanos::from_secs(1), Vec::new());
        while !farewell.is_over(now) {
            ids.extend(farewell.say(now));
            assert_eq!(farewell.say(now), None, "not twice at once");
            now = now + Nanos::new(5 * MS);
        }
        assert_eq!((ids[0], ids[1], ids.len()), (-93, -94, 201));
        assert_eq!(farewell.said(), 201);
        assert_eq!(now, Nanos::new(3010 * MS));
    }

    #[test]
    fn without_an_answer_to_come_once_is_enough() {
        let now = Nanos::from_secs(1);
        let mut farewell = ClientFarewell::once(7, now);
        assert!(!farewell.is_over(now));
        assert_eq!(farewell.say(now), Some(-8));
        assert!(farewell.is_over(now));
        assert_eq!(farewell.say(now), None);
    }

    #[test]
    fn a_server_answers_nine_times_and_then_is_silent() {
        let mut farewell = ServerFarewell::new(Nanos::ZERO, false);
        let answers = (0..12)
            .filter(|i| farewell.hear(Nanos::new(i * MS)))
            .count();
        assert_eq!(answers, 9);
        assert!(farewell.is_over(Nanos::new(12 * MS)) && farewell.was_unheard());
    }

    #[test]
    fn silence_ends_it() {
        for (is_legacy, silence) in [(false, 250), (true, 1000)] {
            let mut farewell = ServerFarewell::new(Nanos::ZERO, is_legacy);
            assert!(farewell.hear(Nanos::ZERO));
            assert!(!farewell.is_over(Nanos::new(silence * MS - 1)));
            assert!(farewell.hear(Nanos::new(MS)));
            assert_eq!(farewell.due(), Nanos::new((silence + 1) * MS));
            assert!(farewell.is_over(farewell.due()) && !farewell.was_unheard());
        }
    }
}
