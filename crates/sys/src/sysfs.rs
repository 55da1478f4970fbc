//! /sys as another network namespace sees it.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// include/uapi/linux/mount.h.
const CLOSE_ON_EXEC: libc::c_uint = 1;
const CREATE: libc::c_uint = 6;

/// The root folder of a sysfs that shows the calling thread's network namespace, although it is
/// mounted nowhere: what is mounted at /sys shows that of whoever mounted it.
///
/// # Errors
/// EPERM without CAP_SYS_ADMIN, ENOSYS before Linux 5.2.
pub fn of_this_namespace() -> io::Result<OwnedFd> {
    let name: &CStr = c"sysfs";
    // SAFETY: fsopen(2) reads the string, which lives through the call.
    let context =
        descriptor(unsafe { libc::syscall(libc::SYS_fsopen, name.as_ptr(), CLOSE_ON_EXEC) })?;
    let none = std::ptr::null::<libc::c_char>();
    // SAFETY: FSCONFIG_CMD_CREATE takes neither key nor value; the descriptor is open.
    let created = unsafe {
        libc::syscall(
            libc::SYS_fsconfig,
            context.as_raw_fd(),
            CREATE,
            none,
            none,
            0,
        )
    };
    if created < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: no pointers; the descriptor is open.
    descriptor(unsafe { libc::syscall(libc::SYS_fsmount, context.as_raw_fd(), CLOSE_ON_EXEC, 0) })
}

fn descriptor(answer: libc::c_long) -> io::Result<OwnedFd> {
    match i32::try_from(answer) {
        // SAFETY: the kernel has just given this descriptor to us and to nobody else.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_namespace_has_the_loopback_only() {
        not_run::needs_root!();
        let names = std::thread::spawn(|| {
            let _ns = crate::netns::NetNs::unshare().unwrap();
            let root = of_this_namespace().unwrap();
            let folder = format!("/proc/self/fd/{}/class/net", root.as_raw_fd());
            let names = std::fs::read_dir(folder).unwrap();
            names
                .map(|entry| entry.unwrap().file_name())
                .filter(|name| std::path::Path::new("/sys/class/net").join(name) != *name)
                .collect::<Vec<_>>()
        });
        let names = names.join().unwrap();
        assert!(names.iter().any(|name| name == "lo"), "{names:?}");
        assert!(!names.iter().any(|name| name == "eth0"), "{names:?}");
    }
}
