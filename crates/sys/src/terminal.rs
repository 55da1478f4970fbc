//! The terminal behind a descriptor.

use std::io::{self, BufRead, IsTerminal};
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

/// Reads a line from standard input, without showing it where that is a terminal.
///
/// # Errors
/// What reading says.
pub fn read_secret() -> io::Result<String> {
    let input = io::stdin();
    let before = input.is_terminal().then(|| attributes(&input)).flatten();
    if let Some(mut silent) = before {
        silent.c_lflag &= !libc::ECHO;
        set_attributes(&input, &silent);
    }
    let mut line = String::new();
    let read = input.lock().read_line(&mut line);
    if let Some(before) = before {
        set_attributes(&input, &before);
    }
    read?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

fn attributes(fd: &impl AsFd) -> Option<libc::termios> {
    // SAFETY: termios is plain data; all zero is a value of it.
    let mut attributes: libc::termios = unsafe { std::mem::zeroed() };
    // SAFETY: `attributes` is writable and lives through the call.
    let answer = unsafe { libc::tcgetattr(fd.as_fd().as_raw_fd(), &raw mut attributes) };
    (answer == 0).then_some(attributes)
}

fn set_attributes(fd: &impl AsFd, attributes: &libc::termios) {
    // SAFETY: `attributes` is live. A terminal that is gone shows nothing anyway.
    unsafe { libc::tcsetattr(fd.as_fd().as_raw_fd(), libc::TCSAFLUSH, attributes) };
}
