//! What a driver is and does, by the ethtool ioctls (include/uapi/linux/ethtool.h). They look at
//! the calling thread's network namespace; /sys would show that of whoever mounted it.

mod settings;
mod statistics;

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixDatagram;

use crate::check;

pub use settings::{SETTINGS, Settings, speed};
pub use statistics::{features, statistic_names, statistics};

/// Something that a driver, or the stack before it, does for the sender or receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offload {
    /// Checksums on receiving.
    RxChecksum,
    /// Checksums on sending.
    TxChecksum,
    /// Sending from several pieces of memory.
    ScatterGather,
    /// TCP segmentation by the driver.
    Tso,
    /// Segmentation just before the driver.
    Gso,
    /// Joining segments on receiving.
    Gro,
}

impl Offload {
    /// In an order in which each may be switched on: the later ones need the earlier.
    pub const ALL: [Self; 6] = [
        Self::RxChecksum,
        Self::TxChecksum,
        Self::ScatterGather,
        Self::Tso,
        Self::Gso,
        Self::Gro,
    ];

    /// The name that the ethtool program gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RxChecksum => "rx-checksumming",
            Self::TxChecksum => "tx-checksumming",
            Self::ScatterGather => "scatter-gather",
            Self::Tso => "tcp-segmentation-offload",
            Self::Gso => "generic-segmentation-offload",
            Self::Gro => "generic-receive-offload",
        }
    }

    /// ETHTOOL_G… and ETHTOOL_S….
    const fn commands(self) -> (u32, u32) {
        match self {
            Self::RxChecksum => (0x14, 0x15),
            Self::TxChecksum => (0x16, 0x17),
            Self::ScatterGather => (0x18, 0x19),
            Self::Tso => (0x1e, 0x1f),
            Self::Gso => (0x23, 0x24),
            Self::Gro => (0x2b, 0x2c),
        }
    }
}

/// struct ethtool_value.
#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// Whether `interface` does it.
///
/// # Errors
/// ENODEV when there is no such interface, EOPNOTSUPP when its driver cannot say.
pub fn offload(interface: &str, offload: Offload) -> io::Result<bool> {
    let mut value = Value {
        command: offload.commands().0,
        data: 0,
    };
    ioctl(interface, &mut value)?;
    Ok(value.data != 0)
}

/// Switches it on or off.
///
/// # Errors
/// As for [`offload()`]; EPERM without CAP_NET_ADMIN.
pub fn set_offload(interface: &str, offload: Offload, on: bool) -> io::Result<()> {
    let mut value = Value {
        command: offload.commands().1,
        data: u32::from(on),
    };
    ioctl(interface, &mut value)
}

/// ETHTOOL_GDRVINFO.
const GET_DRIVER: u32 = 3;

/// struct ethtool_drvinfo.
#[repr(C)]
struct DriverInfo {
    command: u32,
    driver: [u8; 32],
    version: [u8; 32],
    firmware: [u8; 32],
    bus: [u8; 32],
    rest: [u8; 64],
}

/// Who drives an interface. A text that the driver does not give is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Information {
    /// The driver.
    pub driver: String,
    /// Its version, which for most is the kernel's.
    pub version: String,
    /// Firmware of the device.
    pub firmware: String,
    /// Where it is on its bus.
    pub bus: String,
}

/// The name of the interface's driver.
///
/// # Errors
/// ENODEV when there is no such interface, EOPNOTSUPP when it has no driver (the loopback).
pub fn driver(interface: &str) -> io::Result<String> {
    information(interface).map(|information| information.driver)
}

/// What is known of the interface's driver.
///
/// # Errors
/// As for [`driver`].
pub fn information(interface: &str) -> io::Result<Information> {
    let mut info = DriverInfo {
        command: GET_DRIVER,
        driver: [0; 32],
        version: [0; 32],
        firmware: [0; 32],
        bus: [0; 32],
        rest: [0; 64],
    };
    ioctl(interface, &mut info)?;
    let text = |bytes: &[u8]| {
        let text = bytes.split(|b| *b == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    };
    Ok(Information {
        driver: text(&info.driver),
        version: text(&info.version),
        firmware: text(&info.firmware),
        bus: text(&info.bus),
    })
}

/// `argument` must be the struct that its own command word asks for.
fn ioctl<T: ?Sized>(interface: &str, argument: &mut T) -> io::Result<()> {
    let mut request = request(interface)?;
    request.ifr_ifru.ifru_data = std::ptr::from_mut(argument).cast();
    // A socket of any family leads to the network stack of the calling thread.
    let socket = UnixDatagram::unbound()?;
    // SAFETY: SIOCETHTOOL reads one ifreq and, through it, reads and writes the struct that the
    // command word at its start names; both live through the call.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL, &raw mut request) })?;
    Ok(())
}

/// include/uapi/linux/sockios.h.
const SIOCETHTOOL: libc::Ioctl = 0x8946;

/// A request about the interface `name`.
pub(crate) fn request(name: &str) -> io::Result<libc::ifreq> {
    // SAFETY: ifreq is plain data; all zero is a value of it.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if name.is_empty() || name.len() >= request.ifr_name.len() || name.contains('\0') {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_segments_for_tcp_and_an_absent_interface_is_an_error() {
        assert!(offload("lo", Offload::Tso).unwrap());
        assert!(offload("no-such-if", Offload::Tso).is_err());
        assert!(driver("no-such-if").is_err());
        assert_eq!(
            offload("a-name-of-16-ch.", Offload::Tso)
                .unwrap_err()
                .raw_os_error(),
            Some(libc::EINVAL)
        );
    }
}
