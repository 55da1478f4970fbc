//! Parameters from a client's text.

use serde_json::Value;
use units::{BitRate, Bytes, Nanos};

use super::{Direction, Parameters, Protocol, Rejected, Segmentation};
use crate::iperf3::ErrorNumber;
use crate::iperf3::json::{self, flag, integer, one};

/// Longer than any name of a congestion control (TCP_CA_NAME_MAX is 16).
const LONGEST_NAME: usize = 64;

impl Parameters {
    /// Reads a text. What is not there, and what has a wrong type, is as if it were not asked
    /// for; unknown keys mean nothing.
    ///
    /// # Errors
    /// What is out of the range that iperf3's servers keep after 3.21.
    pub fn decode(bytes: &[u8]) -> Result<Self, Rejected> {
        let object = json::read(bytes).and_then(|value| match value {
            Value::Object(_) => Ok(value),
            _ => Err("they are no object".to_owned()),
        });
        let object = object.map_err(|error| Rejected {
            number: ErrorNumber::RECEIVE_PARAMETERS,
            sentence: format!("the parameters cannot be read: {error}"),
        })?;
        let mut parameters = Self::new(protocol(&object));
        parameters.read_length(&object)?;
        parameters.read_socket(&object)?;
        parameters.read_load(&object)?;
        parameters.read_words(&object);
        Ok(parameters)
    }

    fn read_length(&mut self, object: &Value) -> Result<(), Rejected> {
        let within = |key, most, number| within(object, key, 0, most, number);
        let any = i64::MAX as u64;
        let positive = |count: &u64| *count > 0;
        self.bytes = within("num", any, ErrorNumber::DURATION)?
            .filter(positive)
            .map(Bytes::new);
        self.blocks = within("blockcount", any, ErrorNumber::DURATION)?.filter(positive);
        let time = within("time", Self::MOST_SECONDS, ErrorNumber::DURATION)?;
        let counted = self.bytes.is_some() || self.blocks.is_some();
        self.time = match time {
            Some(seconds) => (seconds > 0).then(|| Nanos::from_secs(seconds)),
            // 3.1 leaves it out where bytes or blocks end the test.
            None => self.time.filter(|_| !counted),
        };
        let omit = within("omit", Self::MOST_OMIT_SECONDS, ErrorNumber::OMIT)?;
        self.omit = Nanos::from_secs(omit.unwrap_or(0));
        Ok(())
    }

    fn read_socket(&mut self, object: &Value) -> Result<(), Rejected> {
        let within = |key, most, number| within(object, key, 0, most, number);
        let size = |size: Option<u64>| size.filter(|size| *size > 0).map(Bytes::new);
        self.mss = size(within("MSS", 32_767, ErrorNumber::MSS)?);
        let largest = Self::LARGEST_WINDOW.get();
        self.window = size(within("window", largest, ErrorNumber::BUFFER_SIZE)?);
        self.nodelay = flag(object, "nodelay");
        self.mptcp = flag(object, "mptcp");
        self.congestion = json::text(object, "congestion")
            .filter(|name| !name.is_empty() && name.len() <= LONGEST_NAME);
        self.tos = within("TOS", 255, ErrorNumber::TOS)?.unwrap_or(0) as u8;
        let label = within("flowlabel", 0xf_ffff, ErrorNumber::new(127))?;
        self.flow_label = label.filter(|label| *label > 0).map(|label| label as u32);
        self.dont_fragment = is_on(object, "dont_fragment");
        Ok(())
    }

    fn read_load(&mut self, object: &Value) -> Result<(), Rejected> {
        let any = i64::MAX as u64;
        let zero_on = |key, most, number| within(object, key, 0, most, number);
        self.direction = match (flag(object, "reverse"), flag(object, "bidirectional")) {
            (_, true) => Direction::Both,
            (true, false) => Direction::Reverse,
            (false, false) => Direction::Forward,
        };
        let most = Self::MOST_STREAMS.into();
        let streams = within(object, "parallel", 1, most, ErrorNumber::STREAMS)?;
        self.parallel = streams.unwrap_or(1) as u32;
        let ((least, most), number) = match self.protocol {
            Protocol::Udp => (Self::DATAGRAMS, ErrorNumber::DATAGRAM_SIZE),
            Protocol::Tcp | Protocol::Sctp => (
                (Bytes::new(1), Self::LARGEST_BLOCK),
                ErrorNumber::BLOCK_SIZE,
            ),
        };
        self.block = within(object, "len", least.get(), most.get(), number)?.map(Bytes::new);
        let rate = |rate: Option<u64>| rate.filter(|rate| *rate > 0).map(BitRate::new);
        self.rate = rate(zero_on("bandwidth", any, ErrorNumber::RATE_LIMIT)?);
        self.fq_rate = rate(zero_on("fqrate", any, ErrorNumber::RATE_LIMIT)?);
        let timer = zero_on("pacing_timer", any, ErrorNumber::new(300))?;
        self.pacing_timer_us = timer.unwrap_or(Self::PACING_TIMER_US);
        let burst = zero_on("burst", 1000, ErrorNumber::BURST)?;
        self.burst = burst.filter(|burst| *burst > 0).map(|burst| burst as u32);
        self.counters_64bit = one(object, "udp_counters_64bit");
        self.repeating_payload = one(object, "repeating_payload");
        self.zerocopy = is_on(object, "zerocopy");
        self.skip_rx_copy = is_on(object, "skip_rx_copy");
        if self.protocol == Protocol::Udp {
            self.read_offload(object);
        }
        let cpu = zero_on("server_affinity", 1024, ErrorNumber::AFFINITY)?;
        self.server_affinity = cpu.map(|cpu| cpu as u16);
        Ok(())
    }

    fn read_offload(&mut self, object: &Value) {
        let size = |key| integer(object, key).and_then(|size| u64::try_from(size).ok());
        let size = |key| size(key).filter(|size| *size > 0).map(Bytes::new);
        self.gso = is_on(object, "gso").then(|| Segmentation {
            datagram: size("gso_dg_size"),
            buffer: size("gso_bf_size").unwrap_or(Self::DATAGRAMS.1),
        });
        self.gro = is_on(object, "gro");
    }

    fn read_words(&mut self, object: &Value) {
        self.get_server_output = one(object, "get_server_output");
        self.title = json::text(object, "title");
        self.extra_data = json::text(object, "extra_data");
        self.auth_token = json::text(object, "authtoken");
        self.client_version = json::text(object, "client_version");
    }
}

fn protocol(object: &Value) -> Protocol {
    if flag(object, "udp") {
        Protocol::Udp
    } else if flag(object, "sctp") {
        Protocol::Sctp
    } else {
        Protocol::Tcp
    }
}

/// A flag whose value counts.
fn is_on(object: &Value, key: &str) -> bool {
    integer(object, key).is_some_and(|value| value != 0)
}

/// A number that is there lies within its range, or the test is refused.
fn within(
    object: &Value,
    key: &str,
    least: u64,
    most: u64,
    number: ErrorNumber,
) -> Result<Option<u64>, Rejected> {
    let Some(value) = integer(object, key) else {
        return Ok(None);
    };
    match u64::try_from(value) {
        Ok(value) if (least..=most).contains(&value) => Ok(Some(value)),
        _ => Err(Rejected {
            number,
            sentence: format!("the client asks for {key} {value}, {least} to {most} is possible"),
        }),
    }
}
