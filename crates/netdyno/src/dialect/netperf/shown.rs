//! What the output says of the request itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use plan::Family;
use report::dialect::netperf::{Banner, Buffer, End, Endpoint, NetperfResult, Way};
use units::Bytes;

use super::NetperfRequest;

impl NetperfRequest {
    /// The first line: data goes to `address`, which the resolver calls `name`.
    pub fn banner(&self, name: &str, address: IpAddr) -> Banner {
        let data = &self.data;
        let local = self.local_data_host();
        // Without an address of its own the client has any of the same family.
        let any = match address {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        };
        Banner {
            local: Endpoint {
                name: local.map_or_else(|| any_name(address.is_ipv6()), str::to_owned),
                address: local.and_then(|host| host.parse().ok()).unwrap_or(any),
                port: data.ports.local,
            },
            remote: Endpoint {
                name: name.to_owned(),
                address,
                port: data.ports.remote,
            },
            confidence: self
                .repeat
                .wanted
                .map(|(level, width)| (level.percent(), width)),
            on_result_only: self.repeat.result_only,
            nodelay: data.socket.nodelay,
            avoids_copies: data.avoids_copies,
            no_control: self.control.absent,
            paced: self.paces.local.is_some(),
            burst: data.burst,
            cpu_bound: self.cpus.local.is_some() || self.cpus.remote.is_some(),
        }
    }

    /// The host that the data goes to: a name or an address.
    pub fn data_host(&self) -> &str {
        self.data
            .hosts
            .remote
            .as_deref()
            .unwrap_or(&self.control.host)
    }

    /// The client's own address for data, if one was asked for. Data to another host than the
    /// control connection's does not leave from the control connection's address.
    pub fn local_data_host(&self) -> Option<&str> {
        let control = self.control.local_host.as_deref();
        let of_control = control.filter(|_| self.data.hosts.remote.is_none());
        self.data.hosts.local.as_deref().or(of_control)
    }

    /// A result in which all is filled in that was asked and nothing that happened.
    pub fn result(&self) -> NetperfResult {
        let data = &self.data;
        let socket = &data.socket;
        let way = data.way;
        let sends = way == Way::Send;
        let receives = way == Way::Receive;
        let pace = |pace: Option<proto::netperf::Pace>| {
            pace.map_or((0, 0), |pace| (pace.interval.get() / 1000, pace.burst))
        };
        let (local_usecs, local_burst) = pace(self.paces.local);
        let (remote_usecs, remote_burst) = pace(self.paces.remote);
        // A transaction has one buffer each way, whatever was asked.
        let (send_width, recv_width) = match way.counts_transactions() {
            true => (1, 1),
            false => data.widths,
        };
        let local = End {
            host: self.local_data_host().map_or_else(
                || any_name(data.families.local == Family::V6),
                str::to_owned,
            ),
            port: data.ports.local,
            family: number(data.families.local),
            send_buffer: asked(socket.send_buffer.local),
            recv_buffer: asked(socket.recv_buffer.local),
            send_size: data.sizes.send.local.filter(|_| sends),
            recv_size: data.sizes.recv.local.filter(|_| receives),
            bound_cpu: self.cpus.local,
            send_alignment: data.alignments.local.0.into(),
            recv_alignment: data.alignments.local.1.into(),
            send_offset: data.offsets.local.0.into(),
            recv_offset: data.offsets.local.1.into(),
            send_width,
            recv_width,
            nodelay: socket.nodelay,
            cork: socket.cork,
            priority: socket
                .priority
                .local
                .and_then(|priority| priority.try_into().ok()),
            tos: socket.tos.local,
            fill_file: data.fill_files.local.clone(),
            interval_usecs: local_usecs,
            interval_burst: local_burst,
            ..End::default()
        };
        let remote = End {
            host: self.data_host().to_owned(),
            port: data.ports.remote,
            family: number(data.families.remote),
            send_buffer: asked(socket.send_buffer.remote),
            recv_buffer: asked(socket.recv_buffer.remote),
            send_size: data
                .sizes
                .send
                .remote
                .filter(|_| receives)
                .or(data.sizes.response),
            recv_size: data
                .sizes
                .recv
                .remote
                .filter(|_| sends)
                .or(data.sizes.request),
            bound_cpu: self.cpus.remote,
            send_alignment: data.alignments.remote.0.into(),
            recv_alignment: data.alignments.remote.1.into(),
            send_offset: data.offsets.remote.0.into(),
            recv_offset: data.offsets.remote.1.into(),
            send_width,
            recv_width,
            nodelay: socket.nodelay,
            priority: socket
                .priority
                .remote
                .and_then(|priority| priority.try_into().ok()),
            tos: socket.tos.remote,
            fill_file: data.fill_files.remote.clone(),
            interval_usecs: remote_usecs,
            interval_burst: remote_burst,
            ..End::default()
        };
        NetperfResult {
            local,
            remote,
            request_size: data.sizes.request,
            response_size: data.sizes.response,
            burst: data.burst,
            iterations: 1,
            uuid: data.uuid.clone().unwrap_or_default(),
            command_line: self.command_line.clone(),
            ..NetperfResult::default()
        }
    }
}

/// As netperf names an address that is any.
fn any_name(is_ipv6: bool) -> String {
    if is_ipv6 { "::0" } else { "0.0.0.0" }.to_owned()
}

/// AF_UNSPEC, AF_INET and AF_INET6 of Linux.
const fn number(family: Family) -> u32 {
    match family {
        Family::Any => 0,
        Family::V4 => 2,
        Family::V6 => 10,
    }
}

fn asked(asked: Option<Bytes>) -> Buffer {
    Buffer {
        asked,
        ..Buffer::default()
    }
}
