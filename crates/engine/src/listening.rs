//! Where servers listen: one port on every address that was asked for.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::OwnedFd;

use plan::Family;
use sys::Wake;

use crate::server::BindError;

/// The address that was asked for, or any of the family or of both.
pub(crate) fn addresses(bind: Option<IpAddr>, family: Family) -> Vec<IpAddr> {
    let (v4, v6) = (Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into());
    match (bind, family) {
        (Some(address), _) => vec![address],
        (None, Family::V4) => vec![v4],
        (None, Family::V6) => vec![v6],
        (None, Family::Any) => vec![v4, v6],
    }
}

/// What `open` gives for each address, and the port, which is the same for all: 0 asks for a free
/// one. `open` also says which port it got.
///
/// # Errors
/// EADDRINUSE and the like, with the address. A kernel without IPv6 has the other family.
pub(crate) fn on_one_port<T>(
    addresses: &[IpAddr],
    mut port: u16,
    mut open: impl FnMut(SocketAddr) -> io::Result<(T, u16)>,
) -> Result<(Vec<T>, u16), BindError> {
    let mut opened = Vec::new();
    for ip in addresses {
        let address = SocketAddr::new(*ip, port);
        match open(address) {
            Ok((listeners, got)) => {
                opened.push(listeners);
                port = got;
            }
            Err(error) if addresses.len() > 1 && ip.is_ipv6() && lacks_family(&error) => (),
            Err(error) => return Err(BindError { address, error }),
        }
    }
    Ok((opened, port))
}

/// A link-local address on its interface; others are as they are.
///
/// # Errors
/// ENODEV where there is no such interface.
pub(crate) fn in_scope(address: SocketAddr, device: Option<&str>) -> io::Result<SocketAddr> {
    match (address, device) {
        (SocketAddr::V6(mut v6), Some(device)) if v6.ip().is_unicast_link_local() => {
            v6.set_scope_id(sys::interface_index(device)?);
            Ok(v6.into())
        }
        _ => Ok(address),
    }
}

/// A descriptor to give up when there is no other.
pub(crate) struct Spare(Option<Wake>);

impl Spare {
    /// One that is there from now on.
    pub fn new() -> Self {
        Self(Wake::new().ok())
    }

    /// The next connection. One that cannot be accepted for want of descriptors would stay in the
    /// queue and wake its server for ever: it is taken by the spare one and closed.
    ///
    /// # Errors
    /// EMFILE and the like: a connection was refused.
    pub fn accept(&mut self, listener: &TcpListener) -> io::Result<Option<(OwnedFd, SocketAddr)>> {
        let accepted = sys::accept(listener);
        if accepted.is_err() {
            self.0 = None;
            drop(sys::accept(listener));
            self.0 = Wake::new().ok();
        }
        accepted
    }
}

/// EAFNOSUPPORT or EADDRNOTAVAIL: the kernel was built or booted without the family.
fn lacks_family(error: &io::Error) -> bool {
    use io::ErrorKind::{AddrNotAvailable, Unsupported};
    matches!(error.kind(), AddrNotAvailable | Unsupported)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(kind: io::ErrorKind) -> impl FnMut(SocketAddr) -> io::Result<(SocketAddr, u16)> {
        move |address| match address.is_ipv6() {
            true => Err(kind.into()),
            false => Ok((address, 7)),
        }
    }

    #[test]
    fn the_port_of_the_first_address_is_that_of_all() {
        let both = addresses(None, Family::Any);
        let (opened, port) = on_one_port(&both, 0, |address| Ok((address.port(), 7))).unwrap();
        assert_eq!((opened, port), (vec![0, 7], 7));
    }

    #[test]
    fn a_link_local_address_is_of_an_interface() {
        let local: SocketAddr = "[fe80::1]:5".parse().unwrap();
        let scoped = in_scope(local, Some("lo")).unwrap();
        assert_eq!(scoped.to_string(), "[fe80::1%1]:5");
        assert!(in_scope(local, Some("nosuch0")).is_err());
        for address in [local, "127.0.0.1:5".parse().unwrap()] {
            assert_eq!(in_scope(address, None).unwrap(), address);
        }
    }

    #[test]
    fn a_kernel_without_ipv6_has_the_other_family() {
        let both = addresses(None, Family::Any);
        let (opened, _) = on_one_port(&both, 5, answer(io::ErrorKind::Unsupported)).unwrap();
        assert_eq!(opened, ["0.0.0.0:5".parse().unwrap()]);
        let taken = on_one_port(&both, 5, answer(io::ErrorKind::AddrInUse)).unwrap_err();
        assert_eq!(taken.address, "[::]:7".parse().unwrap());
        let only = addresses(None, Family::V6);
        assert!(on_one_port(&only, 5, answer(io::ErrorKind::Unsupported)).is_err());
    }
}
