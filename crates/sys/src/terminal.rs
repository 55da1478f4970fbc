//! The terminal behind a descriptor.

use std::io::IsTerminal;
use std::os::fd::{AsFd, AsRawFd};

/// Columns of the terminal behind `fd`; none when it is none, or does not say.
pub fn columns(fd: &(impl AsFd + IsTerminal)) -> Option<usize> {
    if !fd.is_terminal() {
        return None;
    }
    let mut size = libc::winsize {
        ws_row: 0,
        ws_col: 0,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: TIOCGWINSZ writes a winsize, which `size` is, and it lives through the call.
    let answer = unsafe { libc::ioctl(fd.as_fd().as_raw_fd(), libc::TIOCGWINSZ, &raw mut size) };
    (answer == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
}
