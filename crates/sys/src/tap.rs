//! TAP devices: interfaces whose cable is a descriptor. A frame that the network stack sends is
//! read from it, a frame written to it is received.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use crate::check;

/// One queue of a TAP device; the device goes when its last queue is closed.
#[derive(Debug)]
pub struct Tap(File);

/// Creates the TAP device `name` with `queues` queues in the calling thread's network namespace.
/// Reads and writes never wait.
///
/// # Errors
/// ENOENT or EACCES when /dev/net/tun is not there or not ours to open, EPERM without
/// CAP_NET_ADMIN, EBUSY when the name is taken, EINVAL when it is too long.
pub fn create_tap(name: &str, queues: u16) -> io::Result<Vec<Tap>> {
    let mut flags = libc::IFF_TAP | libc::IFF_NO_PI;
    if queues > 1 {
        flags |= libc::IFF_MULTI_QUEUE;
    }
    (0..queues.max(1))
        .map(|_| {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(libc::O_NONBLOCK)
                .open("/dev/net/tun")?;
            let mut request = crate::ethtool::request(name)?;
            request.ifr_ifru.ifru_flags = flags as libc::c_short;
            // SAFETY: TUNSETIFF reads and writes one ifreq, which lives through the call.
            check(unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) })?;
            Ok(Tap(file))
        })
        .collect()
}

impl Tap {
    /// The next frame, from its destination address on; none when there is none.
    ///
    /// # Errors
    /// EBADFD after the device was deleted.
    pub fn read(&self, frame: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.0).read(frame) {
            Ok(n) => Ok(Some(n)),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Hands a frame to the network stack as received.
    ///
    /// # Errors
    /// EIO while the device is down.
    pub fn write(&self, frame: &[u8]) -> io::Result<()> {
        (&self.0).write(frame).map(drop)
    }
}

impl AsFd for Tap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netns::NetNs;
    use crate::rtnetlink::Rtnetlink;

    #[test]
    fn frames_go_both_ways_and_the_device_goes_with_its_descriptors() {
        not_run::needs_root!();
        std::thread::spawn(|| {
            let _ns = NetNs::unshare().unwrap();
            let taps = create_tap("tap", 2).unwrap();
            assert_eq!(taps.len(), 2);
            let mut netlink = Rtnetlink::open().unwrap();
            let index = netlink.link("tap").unwrap().index;
            assert!(taps[0].write(&[0; 60]).is_err(), "the device is down");
            netlink.silence(index).unwrap();
            netlink.set_up(index, true).unwrap();
            let mut frame = [0; 2000];
            assert_eq!(taps[0].read(&mut frame).unwrap(), None);
            taps[1].write(&[0; 60]).unwrap();
            let counters = netlink.link("tap").unwrap().counters.unwrap();
            assert_eq!((counters.rx_packets, counters.tx_packets), (1, 0));
            drop(taps);
            assert!(netlink.link("tap").is_err());
        })
        .join()
        .unwrap();
    }
}
