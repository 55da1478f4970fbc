//! Names of hosts.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use plan::Family;

/// All addresses of a name.
///
/// # Errors
/// The sentence.
pub(super) fn addresses(host: &str, port: u16, family: Family) -> Result<Vec<SocketAddr>, String> {
    let found = (host, port).to_socket_addrs();
    let found = found.map_err(|error| format!("looking up '{host}': {error}"))?;
    let fits = |address: &SocketAddr| match family {
        Family::Any => true,
        Family::V4 => address.is_ipv4(),
        Family::V6 => address.is_ipv6(),
    };
    let found: Vec<SocketAddr> = found.filter(fits).collect();
    match found.is_empty() {
        true => Err(format!("'{host}' has no address of this family")),
        false => Ok(found),
    }
}

/// The interface of a link-local address (`-B fe80::1%eth0`).
pub(super) fn scope(bind: Option<&str>) -> Option<String> {
    let (_, device) = bind?.split_once('%')?;
    Some(device.to_owned())
}

/// Our own address (`-B`).
///
/// # Errors
/// The sentence.
pub(super) fn own(bind: Option<&str>, family: Family) -> Result<Option<IpAddr>, String> {
    let found = bind.map(|bind| addresses(bind, 0, family)).transpose()?;
    Ok(found.and_then(|found| found.first().map(SocketAddr::ip)))
}
