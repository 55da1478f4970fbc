//! How much of a fast TCP stream has to wait before its sleeping reader is woken.

use std::mem;
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
/// What waits is counted late. While the stream is fast that is [`LATE`] at most; the last bytes
/// before a pause are counted when more comes, and from then on every byte wakes again.
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
        self.read += n as u64;
        if self.patient || self.read >= LOOK {
            self.look(&socket, wait);
        }
    }

    fn look(&mut self, socket: &impl AsFd, wait: Wait) {
        let fast = self.is_fast(clock::now());
        let options = Options::of(socket);
        if fast && !self.patient {
            let enough = match wait {
                Wait::Block => ONE,
                Wait::Never => MANY,
            };
            // Small buffers stay as they are: the kernel would make them larger (tcp_set_rcvlowat).
            let is_large = options.rcvbuf().is_ok_and(|size| size.get() >= LOOK);
            self.patient = is_large && options.set_rcvlowat(enough).is_ok();
        } else if self.patient && !fast {
            self.patient = options.set_rcvlowat(Bytes::new(1)).is_err();
        }
    }

    /// Whether what was read since the last look came fast enough. Begins anew.
    fn is_fast(&mut self, now: Nanos) -> bool {
        let pieces = (mem::take(&mut self.read) / ONE.get()).max(1);
        let since = mem::replace(&mut self.since, now);
        (now - since).get() <= LATE.get() * pieces
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{Shutdown, TcpListener, TcpStream};
    use std::thread;

    use sys::{Epoll, Events, Readiness};

    use super::*;
    use crate::flow::would_block;

    /// 1 MiB in so many milliseconds.
    fn mebibyte_in(milliseconds: u64) -> bool {
        let mut patience = Patience {
            read: LOOK,
            since: Nanos::from_secs(1),
            patient: false,
        };
        patience.is_fast(Nanos::from_secs(1) + Nanos::from_millis(milliseconds))
    }

    #[test]
    fn a_gigabit_is_fast_and_half_of_it_is_not() {
        assert!(mebibyte_in(8));
        assert!(!mebibyte_in(17));
    }

    #[test]
    fn a_pause_of_a_fast_stream_ends_the_patience() {
        let start = Nanos::from_secs(1);
        let mut patience = Patience {
            read: 10,
            since: start,
            patient: true,
        };
        assert!(patience.is_fast(start + Nanos::new(100_000)));
        assert!(!patience.is_fast(start + Nanos::from_millis(3)));
    }

    #[test]
    fn the_last_bytes_of_a_fast_stream_come_too() {
        const WHOLE: usize = (64 << 20) + 10;
        for wait in [Wait::Block, Wait::Never] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (receiver, _) = listener.accept().unwrap();
            let writer = thread::spawn(move || {
                sender.write_all(&vec![1; WHOLE]).unwrap();
                sender.shutdown(Shutdown::Write).unwrap();
                sender
            });
            let epoll = Epoll::new().unwrap();
            epoll.add(&receiver, 0, Readiness::READ).unwrap();
            let mut events = Events::with_capacity(1);
            let (mut patience, mut total) = (Patience::default(), 0);
            let mut sink = vec![0; 128 << 10];
            loop {
                match sys::recv(&receiver, &mut sink, wait) {
                    Ok(0) => break,
                    Ok(n) => {
                        total += n;
                        patience.took(&receiver, n, wait);
                    }
                    Err(error) if would_block(&error) => epoll.wait(&mut events, None).unwrap(),
                    Err(error) => panic!("{error}"),
                }
            }
            assert_eq!(total, WHOLE, "{wait:?}");
            drop(writer.join().unwrap());
        }
    }
}
