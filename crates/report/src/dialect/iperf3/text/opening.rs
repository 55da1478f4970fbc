//! Lines before data moves.

use super::super::time::gmt;
use super::super::{Connected, Contact, Form, Protocol, Role, Started, Way};

const BAR: &str = "-----------------------------------------------------------\n";

pub(super) fn opened(form: &Form, control_mss: Option<u32>, udp_block: Option<u32>) -> String {
    if !form.verbose {
        return String::new();
    }
    let mss = control_mss.map(|mss| format!("Control connection MSS {mss}\n"));
    let block = udp_block.map(|block| format!("Setting UDP block size to {block}\n"));
    format!(
        "{}\n{}\n{}{}",
        form.version,
        form.system_info,
        mss.unwrap_or_default(),
        block.unwrap_or_default()
    )
}

pub(super) fn listening(port: u16, number: u64) -> String {
    format!("{BAR}Server listening on {port} (test #{number})\n{BAR}")
}

pub(super) fn contact(contact: &Contact, form: &Form) -> String {
    let mut lines = String::new();
    if form.verbose {
        lines.push_str(&format!("Time: {}\n", gmt(contact.at_unix_ms)));
    }
    let Contact { host, port, .. } = contact;
    match form.role {
        Role::Client => lines.push_str(&format!("Connecting to host {host}, port {port}\n")),
        Role::Server => lines.push_str(&format!("Accepted connection from {host}, port {port}\n")),
    }
    if form.role == Role::Client && contact.way == Way::Reverse {
        lines.push_str(&format!("Reverse mode, remote host {host} is sending\n"));
    }
    if form.verbose {
        lines.push_str(&details(contact));
    }
    lines
}

fn details(contact: &Contact) -> String {
    let mut lines = format!("      Cookie: {}\n", contact.cookie);
    if contact.protocol == Protocol::Tcp {
        let mss = contact.mss.unwrap_or_default();
        let default = if contact.mss_is_asked {
            ""
        } else {
            " (default)"
        };
        lines.push_str(&format!("      TCP MSS: {mss}{default}\n"));
    }
    if contact.target_bitrate > 0 {
        let rate = contact.target_bitrate;
        lines.push_str(&format!("      Target Bitrate: {rate}\n"));
    }
    lines
}

pub(super) fn connected(connected: &Connected) -> String {
    let Connected {
        socket,
        local_host,
        local_port,
        remote_host,
        remote_port,
    } = connected;
    format!(
        "[{socket:3}] local {local_host} port {local_port} connected to {remote_host} port {remote_port}\n"
    )
}

pub(super) fn started(started: &Started, protocol: Protocol) -> String {
    let length = match started {
        Started { bytes: 1.., .. } => format!("{} bytes to send", started.bytes),
        Started { blocks: 1.., .. } => format!("{} blocks to send", started.blocks),
        _ => format!("{} second test", started.duration_seconds),
    };
    format!(
        "Starting Test: protocol: {}, {} streams, {} byte blocks, omitting {} seconds, {length}, tos {}\n",
        protocol.name(),
        started.parallel,
        started.block_bytes,
        started.omit_seconds,
        started.tos
    )
}
