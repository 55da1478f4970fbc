//! What a child process does between fork and exec.

use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::check;
use crate::netns::{self, NetNs};

/// The child runs in `ns`.
///
/// # Errors
/// When the process has no descriptor left.
pub fn in_netns(command: &mut Command, ns: &NetNs) -> io::Result<()> {
    let ns = ns.duplicate()?;
    // SAFETY: the closure makes one system call on a descriptor that it owns.
    unsafe { command.pre_exec(move || netns::enter(ns.as_fd())) };
    Ok(())
}

/// The child leads a session of its own: it has no terminal, and outlives the one of its parent.
pub fn in_new_session(command: &mut Command) {
    // SAFETY: the closure makes one system call.
    unsafe { command.pre_exec(|| check(libc::setsid()).map(drop)) };
}

/// The child is killed when the thread that starts it ends, however that comes about
/// (prctl(2), PR_SET_PDEATHSIG; it is the thread, not the process, that counts). So start it
/// from a thread that lives as long as the child should: the main thread.
pub fn die_with_parent(command: &mut Command) {
    let parent = std::process::id() as libc::pid_t;
    // SAFETY: the closure makes system calls only.
    unsafe {
        command.pre_exec(move || {
            check(libc::prctl(
                libc::PR_SET_PDEATHSIG,
                libc::SIGKILL as libc::c_ulong,
            ))?;
            // The parent may have died before the call above: then nobody sends the signal.
            if libc::getppid() == parent {
                Ok(())
            } else {
                Err(io::Error::from_raw_os_error(libc::ESRCH))
            }
        })
    };
}

/// No signal is blocked in the child. A child inherits the signals that its parent takes by
/// [`Signals`](crate::signal::Signals), and programs do not expect that.
pub fn hears_signals(command: &mut Command) {
    // SAFETY: the closure makes system calls only; sigset_t is plain data that sigemptyset fills.
    unsafe {
        command.pre_exec(|| {
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut none);
            check(libc::sigprocmask(
                libc::SIG_SETMASK,
                &none,
                std::ptr::null_mut(),
            ))
            .map(drop)
        })
    };
}

/// Sends SIGINT, or SIGKILL, to the process group that `child` leads
/// ([`CommandExt::process_group`] with 0).
///
/// # Errors
/// When all of it has ended.
pub fn end_group(child: &std::process::Child, kill: bool) -> io::Result<()> {
    let group = child.id() as libc::pid_t;
    let signal = if kill { libc::SIGKILL } else { libc::SIGINT };
    // SAFETY: no pointers; the result is checked.
    check(unsafe { libc::kill(-group, signal) }).map(drop)
}

/// A descriptor that becomes readable when `child` ends (pidfd_open(2)).
///
/// # Errors
/// ENOSYS on kernels before 5.3; no descriptor left.
pub fn ending(child: &std::process::Child) -> io::Result<OwnedFd> {
    let pid = child.id() as libc::pid_t;
    // SAFETY: no pointers; the result is checked.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let fd = check(fd as libc::c_int)?;
    // SAFETY: the kernel just gave us this descriptor and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_runs_in_the_namespace_that_it_was_given() {
        not_run::needs_root!();
        let fresh = std::thread::spawn(|| NetNs::unshare().unwrap())
            .join()
            .unwrap();
        let mut command = Command::new("readlink");
        command.arg("/proc/self/ns/net");
        in_netns(&mut command, &fresh).unwrap();
        let output = command.output().unwrap();
        let name = format!("net:[{}]\n", fresh.inode().unwrap());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), name);
    }

    #[test]
    fn the_end_of_a_child_is_something_to_wait_for() {
        use crate::{Epoll, Events, Readiness};
        use units::Nanos;
        let mut child = Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let ending = ending(&child).unwrap();
        let epoll = Epoll::new().unwrap();
        epoll.add(&ending, 7, Readiness::READ).unwrap();
        let mut events = Events::with_capacity(1);
        epoll.wait(&mut events, Some(Nanos::ZERO)).unwrap();
        assert_eq!(events.iter().count(), 0);
        drop(child.stdin.take());
        epoll.wait(&mut events, None).unwrap();
        assert_eq!(events.iter().map(|(key, _)| key).collect::<Vec<_>>(), [7]);
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn a_child_ends_with_the_thread_that_started_it() {
        let mut child = std::thread::spawn(|| {
            let mut command = Command::new("sleep");
            command.arg("1000");
            die_with_parent(&mut command);
            command.spawn().unwrap()
        })
        .join()
        .unwrap();
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
    }
}
