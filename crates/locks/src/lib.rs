//! The lab's locks in user space, on plain atomics and without `unsafe`: a waiter is a number, and
//! queue nodes are places in a list.
//!
//! They are generic over the atomic word, so that the model checker runs the very same code.

mod clh;
mod mcs;
mod qspin;
mod tas;
mod ticket;
mod word;

pub use word::Word;

/// A lock for waiters with numbers from 0.
pub trait RawLock: Sync {
    /// Waits and takes it.
    fn lock(&self, me: usize);
    /// Lets it go; only its holder may.
    fn unlock(&self, me: usize);
}

/// The lock of a name, for so many waiters; none for names that only the simulator knows.
pub fn named<W: Word + 'static>(name: &str, waiters: usize) -> Option<Box<dyn RawLock + Send>> {
    Some(match name {
        "tas" => Box::new(tas::Tas::<W>::new(tas::Look::Atomic)),
        "ttas" => Box::new(tas::Tas::<W>::new(tas::Look::Read)),
        "ttas-exp" => Box::new(tas::Tas::<W>::new(tas::Look::Backoff(1024))),
        "ticket" => Box::new(ticket::Ticket::<W>::new(0)),
        "ticket-fixed" => Box::new(ticket::Ticket::<W>::new(50)),
        "mcs" => Box::new(mcs::Mcs::<W>::new(waiters)),
        "clh" => Box::new(clh::Clh::<W>::new(waiters)),
        "qspin" => Box::new(qspin::Qspin::<W>::new(waiters)),
        _ => return None,
    })
}

/// The names that [`named`] knows.
pub const NAMES: [&str; 8] = [
    "tas",
    "ttas",
    "ttas-exp",
    "ticket",
    "ticket-fixed",
    "mcs",
    "clh",
    "qspin",
];
