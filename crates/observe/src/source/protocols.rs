//! What the protocols count: /proc/net/snmp, netstat, snmp6, sockstat, by the kernel's own names.

use record::Rows;

use super::{Unreadable, number};

/// /proc/net/snmp (RFC 1213 and its successors).
pub(crate) fn snmp(text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    pairs("snmp", text, rows)
}

/// /proc/net/netstat: Linux's own, TcpExt, IpExt, MPTcpExt.
pub(crate) fn netstat(text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    pairs("netstat", text, rows)
}

/// A line of names, then a line of values, each after the protocol's name. A value below zero is
/// no count (MaxConn is -1 for "no limit").
fn pairs(source: &str, text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    let mut lines = text.lines();
    while let (Some(names), Some(values)) = (lines.next(), lines.next()) {
        let (Some((protocol, names)), Some((same, values))) =
            (names.split_once(':'), values.split_once(':'))
        else {
            return Err("a line names no protocol".to_owned());
        };
        if protocol != same {
            return Err(format!("values of {same} follow names of {protocol}"));
        }
        let names = names.split_ascii_whitespace();
        for (name, value) in names.zip(values.split_ascii_whitespace()) {
            if let Ok(value) = value.parse() {
                rows.set(source, protocol, name, value);
            }
        }
    }
    Ok(())
}

/// /proc/net/snmp6: the protocol's name begins each name.
pub(crate) fn snmp6(text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    const PROTOCOLS: [&str; 4] = ["UdpLite6", "Icmp6", "Udp6", "Ip6"];
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(key), Some(value)) = (words.next(), number(&mut words)) else {
            continue;
        };
        let known = PROTOCOLS.iter().find_map(|protocol| {
            let name = key.strip_prefix(protocol)?;
            Some((*protocol, name))
        });
        if let Some((protocol, name)) = known {
            rows.set("snmp6", protocol, name, value);
        }
    }
    Ok(())
}

/// /proc/net/sockstat and sockstat6: sockets there are. All of them are gauges.
pub(crate) fn sockstat(text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    for line in text.lines() {
        let Some((protocol, rest)) = line.split_once(':') else {
            continue;
        };
        let mut words = rest.split_ascii_whitespace();
        while let (Some(name), Some(value)) = (words.next(), number(&mut words)) {
            let name = match name {
                "mem" => "mem_pages",
                "memory" => "memory_bytes",
                other => other,
            };
            rows.set("sockstat", protocol, name, value);
        }
    }
    Ok(())
}
