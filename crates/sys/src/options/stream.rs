//! Options of TCP sockets that few programs set.

use std::io;

use units::{Bytes, Nanos};

use super::{Options, int};
use crate::socket::option;

impl Options<'_> {
    /// TCP_QUICKACK: the next acknowledgements are not delayed. The kernel forgets it again.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_quickack(self) -> io::Result<()> {
        option(&self.0, libc::IPPROTO_TCP, libc::TCP_QUICKACK, 1)
    }

    /// TCP_WINDOW_CLAMP: the most that the receive window is opened to.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_window_clamp(self, size: Bytes) -> io::Result<()> {
        let size = int(size.get())?;
        option(&self.0, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, size)
    }

    /// TCP_NOTSENT_LOWAT: the socket has room when no more than this waits to be sent.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_notsent_lowat(self, size: Bytes) -> io::Result<()> {
        let size = int(size.get())?;
        option(&self.0, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, size)
    }

    /// SO_RCVLOWAT: a reader is woken when this much waits, or the other end has ended.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_rcvlowat(self, size: Bytes) -> io::Result<()> {
        let size = int(size.get())?;
        option(&self.0, libc::SOL_SOCKET, libc::SO_RCVLOWAT, size)
    }

    /// TCP_TX_DELAY: segments leave this much later, where a qdisc (fq) goes by their times.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_tx_delay(self, delay: Nanos) -> io::Result<()> {
        /// linux/tcp.h; libc has no name for it. Microseconds.
        const TCP_TX_DELAY: libc::c_int = 37;
        let micros = int(delay.get() / 1000)?;
        option(&self.0, libc::IPPROTO_TCP, TCP_TX_DELAY, micros)
    }
}
