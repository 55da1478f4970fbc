//! Parameters as text, in the order of stock clients.

use super::{Direction, Parameters, Protocol, Segmentation};
use crate::iperf3::json::Object;

/// What a stock client says of GSO and GRO that are off: the largest datagram.
const USUAL_BUFFER: u64 = 65_507;

impl Parameters {
    /// The text of them. Servers take the presence of a flag for "on", so that none is written
    /// that is off; counts that older servers would keep from an earlier test are written always.
    pub fn encode(&self) -> String {
        let mut object = Object::default();
        match self.protocol {
            Protocol::Tcp => object.flag("tcp", true),
            Protocol::Udp => object.flag("udp", true),
            Protocol::Sctp => object.flag("sctp", true),
        }
        object.integer("omit", seconds(self.omit));
        if let Some(cpu) = self.server_affinity {
            object.integer("server_affinity", cpu);
        }
        object.integer("time", self.time.map_or(0, seconds));
        object.integer("num", self.bytes.map_or(0, |bytes| bytes.get()));
        object.integer("blockcount", self.blocks.unwrap_or(0));
        if let Some(mss) = self.mss {
            object.integer("MSS", mss.get());
        }
        object.flag("nodelay", self.nodelay);
        object.integer("parallel", self.parallel);
        object.flag("reverse", self.direction == Direction::Reverse);
        object.flag("bidirectional", self.direction == Direction::Both);
        object.flag("mptcp", self.mptcp);
        if let Some(window) = self.window {
            object.integer("window", window.get());
        }
        object.integer("len", self.block_size().get());
        if let Some(rate) = self.rate {
            object.integer("bandwidth", rate.get());
        }
        if let Some(rate) = self.fq_rate {
            object.integer("fqrate", rate.get());
        }
        object.integer("pacing_timer", self.pacing_timer_us);
        if let Some(burst) = self.burst {
            object.integer("burst", burst);
        }
        if self.protocol == Protocol::Udp {
            self.encode_offload(&mut object);
        }
        if self.tos != 0 {
            object.integer("TOS", self.tos);
        }
        if let Some(label) = self.flow_label {
            object.integer("flowlabel", label);
        }
        object.text("title", self.title.as_deref());
        object.text("extra_data", self.extra_data.as_deref());
        object.text("congestion", self.congestion.as_deref());
        object.one("get_server_output", self.get_server_output);
        object.one("udp_counters_64bit", self.counters_64bit);
        object.one("repeating_payload", self.repeating_payload);
        object.one("zerocopy", self.zerocopy);
        object.one("dont_fragment", self.dont_fragment);
        object.text("authtoken", self.auth_token.as_deref());
        object.one("skip_rx_copy", self.skip_rx_copy);
        object.text("client_version", self.client_version.as_deref());
        object.close()
    }

    /// 3.21 keeps these from test to test, so that they are always said.
    fn encode_offload(&self, object: &mut Object) {
        let size = |gso: Segmentation| gso.datagram.unwrap_or(self.block_size()).get();
        object.integer("gso", i32::from(self.gso.is_some()));
        object.integer("gso_dg_size", self.gso.map_or(0, size));
        let buffer = self.gso.map_or(USUAL_BUFFER, |gso| gso.buffer.get());
        object.integer("gso_bf_size", buffer);
        object.integer("gro", i32::from(self.gro));
        object.integer("gro_bf_size", USUAL_BUFFER);
    }
}

fn seconds(time: units::Nanos) -> u64 {
    time.get() / 1_000_000_000
}
