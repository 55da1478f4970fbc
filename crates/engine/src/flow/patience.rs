//! How much of a fast TCP stream has to wait before its sleeping reader is woken.

use std::os::fd::AsFd;

use sys::{Options, Wait, clock};
use units::{Bytes, Nanos};

/// Sets SO_RCVLOWAT while a stream is fast.
///
/// Over a local path the sender's CPU does the receiver's softirq work and wakes its thread too:
/// an interrupt to the other CPU, which a virtual machine pays with an exit, for each segment that
/// finds the reader asleep. Half of a sender's time can go there. A reader that is woken for two
/// segments costs it half of that. The other end's FIN wakes in any case (net/ipv4/tcp.c,
/// tcp_stream_is_readable), and so does a window that is nearly closed.
///
/// What waits is counted late by what it takes to arrive: at most [`LATE`], or else every byte
/// wakes again.
#[derive(Default)]
pub(crate) struct Patience {
    /// Bytes since `since`.
    read: u64,
    since: Nanos,
    patient: bool,
}

/// A reader in epoll_wait, which looks after many: the largest segment of 65,483 B (IPv4's 65,535
/// less headers), but not the short one that ends a message of 128 KiB.
const MANY: Bytes = Bytes::new(64 << 10);
/// A reader in recv, which has one stream.
const ONE: Bytes = Bytes::new(96 << 10);
/// Bytes after which a stream that is not yet fast is looked at.
const LOOK: u64 = 1 << 20;
/// The time in which a fast stream brings [`ONE`]: from 0.8 Gbit/s on.
const LATE: Nanos = Nanos::from_millis(1);

impl Patience {
    /// Notes that `n` bytes were read from `socket`, by calls that wait as `wait` says.
    #[inline]
    pub fn took(&mut self, socket: impl AsFd, n: usize, wait: Wait) {
        if self.patient {
            let now = clock::now();
            if now - self.since > LATE {
                self.patient = Options::of(&socket).set_rcvlowat(Bytes::new(1)).is_err();
                self.read = 0;
            }
            self.since = now;
            return;
        }
        self.read += n as u64;
        if self.read >= LOOK {
            self.look(socket, wait);
        }
    }

    fn look(&mut self, socket: impl AsFd, wait: Wait) {
        let enough = match wait {
            Wait::Block => ONE,
            Wait::Never => MANY,
        };
        let now = clock::now();
        let fast = (now - self.since).get() <= LATE.get() * (self.read / ONE.get());
        let options = Options::of(&socket);
        // Small buffers stay as they are: the kernel would make them larger (tcp_set_rcvlowat).
        let is_large = || options.rcvbuf().is_ok_and(|size| size.get() >= LOOK);
        self.patient = fast && is_large() && options.set_rcvlowat(enough).is_ok();
        self.read = 0;
        self.since = now;
    }
}
