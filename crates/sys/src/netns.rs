//! Network namespaces without a name: nothing is mounted anywhere, so a namespace lives exactly
//! as long as the processes and descriptors that use it, and a killed process leaves none behind.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;

use crate::check;

/// A network namespace, held by a descriptor.
#[derive(Debug)]
pub struct NetNs(File);

impl NetNs {
    /// The calling thread's.
    ///
    /// # Errors
    /// When /proc is not mounted.
    pub fn current() -> io::Result<Self> {
        // Threads have namespaces, not processes; /proc/self would name the main thread's.
        File::open("/proc/thread-self/ns/net").map(Self)
    }

    /// Moves the calling thread (and the threads and processes that it starts later) into a new,
    /// empty namespace.
    ///
    /// # Errors
    /// EPERM without CAP_SYS_ADMIN, ENOSPC at the limit of namespaces.
    pub fn unshare() -> io::Result<Self> {
        // SAFETY: no pointers; the flag concerns no resource that Rust's library keeps track of.
        check(unsafe { libc::unshare(libc::CLONE_NEWNET) })?;
        Self::current()
    }

    /// Moves the calling thread (and the threads and processes that it starts later) into it.
    ///
    /// # Errors
    /// EPERM without CAP_SYS_ADMIN over it.
    pub fn enter(&self) -> io::Result<()> {
        enter(self.0.as_fd())
    }

    /// The number that tells namespaces apart, as in `net:[4026531840]`.
    ///
    /// # Errors
    /// What fstat(2) says.
    pub fn inode(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.ino())
    }

    pub(crate) fn duplicate(&self) -> io::Result<OwnedFd> {
        self.0.as_fd().try_clone_to_owned()
    }
}

impl AsFd for NetNs {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Moves the process into a user namespace of its own, where it is root: what an ordinary user
/// needs before it may make network namespaces. Outside nothing changes: files are still opened
/// with the user's own rights.
///
/// # Errors
/// EPERM or ENOSPC where user namespaces are switched off, EINVAL when the process has more than
/// one thread.
pub fn unshare_user() -> io::Result<()> {
    let maps = UserMaps::of_this_process();
    // SAFETY: no pointers; the flag concerns no resource that Rust's library keeps track of.
    check(unsafe { libc::unshare(libc::CLONE_NEWUSER) })?;
    maps.write()
}

/// Tries, in a child process, whether this process could make a network namespace, if need be in
/// a user namespace of its own (`with_user`).
///
/// # Errors
/// What the child was answered.
pub fn try_unshare(with_user: bool) -> io::Result<()> {
    let maps = UserMaps::of_this_process();
    // SAFETY: the child calls nothing but system calls on memory that was prepared before
    // (`UserMaps::write` neither allocates nor locks), and ends by _exit, so a lock that another
    // thread held at the time of the fork is never waited for.
    let child = check(unsafe { libc::fork() })?;
    if child == 0 {
        let answer = attempt(with_user, &maps);
        let errno = answer.map_or_else(|e| e.raw_os_error().unwrap_or(libc::EIO), |()| 0);
        // SAFETY: ends the child without running anything of the parent's; errno is below 256.
        unsafe { libc::_exit(errno) };
    }
    let mut status = 0;
    // SAFETY: `status` is writable and `child` is our own child.
    while unsafe { libc::waitpid(child, &raw mut status, 0) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    match libc::WEXITSTATUS(status) {
        0 if libc::WIFEXITED(status) => Ok(()),
        errno if libc::WIFEXITED(status) => Err(io::Error::from_raw_os_error(errno)),
        _ => Err(io::Error::other("the child that tried was killed")),
    }
}

fn attempt(with_user: bool, maps: &UserMaps) -> io::Result<()> {
    let user = if with_user { libc::CLONE_NEWUSER } else { 0 };
    // SAFETY: no pointers; nothing of Rust's library is running in this process.
    check(unsafe { libc::unshare(user | libc::CLONE_NEWNET) })?;
    if with_user { maps.write() } else { Ok(()) }
}

pub(crate) fn enter(ns: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the descriptor is open while borrowed.
    check(unsafe { libc::setns(ns.as_raw_fd(), libc::CLONE_NEWNET) })?;
    Ok(())
}

/// Who root inside the user namespace is outside of it (user_namespaces(7)).
struct UserMaps {
    user: CString,
    group: CString,
}

impl UserMaps {
    fn of_this_process() -> Self {
        // SAFETY: neither call takes a pointer or can fail.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        let map = |id: u32| CString::new(format!("0 {id} 1")).unwrap_or_default();
        Self {
            user: map(user),
            group: map(group),
        }
    }

    fn write(&self) -> io::Result<()> {
        // Without the right to change its groups a process may map its own group only after it
        // gave up setgroups(2).
        put(c"/proc/self/setgroups", c"deny")?;
        put(c"/proc/self/uid_map", &self.user)?;
        put(c"/proc/self/gid_map", &self.group)
    }
}

/// Writes a file in one call, without allocating.
fn put(path: &std::ffi::CStr, text: &std::ffi::CStr) -> io::Result<()> {
    // SAFETY: `path` is a C string that lives through the call.
    let fd = check(unsafe { libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC) })?;
    let bytes = text.to_bytes();
    // SAFETY: `bytes` is readable for its length; the descriptor was just opened.
    let written = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
    let answer = if written < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    };
    // SAFETY: the descriptor is ours and is not used again.
    unsafe { libc::close(fd) };
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_enters_and_leaves_while_others_stay() {
        not_run::needs_root!();
        let home = NetNs::current().unwrap();
        std::thread::spawn(move || {
            let fresh = NetNs::unshare().unwrap();
            assert_ne!(fresh.inode().unwrap(), home.inode().unwrap());
            home.enter().unwrap();
            let back = NetNs::current().unwrap();
            assert_eq!(back.inode().unwrap(), home.inode().unwrap());
            fresh.enter().unwrap();
            let again = NetNs::current().unwrap();
            assert_eq!(again.inode().unwrap(), fresh.inode().unwrap());
        })
        .join()
        .unwrap();
    }

    #[test]
    fn trying_changes_nothing_here() {
        let before = NetNs::current().unwrap().inode().unwrap();
        for with_user in [false, true] {
            match try_unshare(with_user) {
                Ok(()) => (),
                Err(e) => not_run::cell(
                    format!("unshare in a child, user namespace: {with_user}"),
                    e,
                ),
            }
        }
        assert_eq!(NetNs::current().unwrap().inode().unwrap(), before);
    }

    #[test]
    fn a_process_with_threads_gets_no_user_namespace() {
        let (keep, kept) = std::sync::mpsc::channel::<()>();
        let second = std::thread::spawn(move || kept.recv());
        let error = unshare_user().unwrap_err();
        assert!(
            matches!(error.raw_os_error(), Some(libc::EINVAL | libc::EPERM)),
            "{error}"
        );
        drop(keep);
        assert!(second.join().unwrap().is_err());
    }
}
