//! Options of TCP sockets that few programs set.

use std::io;

use units::Bytes;

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
}
