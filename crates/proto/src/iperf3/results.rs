//! What each end tells the other after a test.

use serde_json::Value;

use super::json::{self, Object};
use super::{ErrorNumber, Rejected, StreamId};

/// One end's results.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// How busy this process was.
    pub cpu: CpuUse,
    /// How busy all CPUs of its host were, in percent; other tools neither tell nor read it.
    pub host_cpu_percent: Option<f64>,
    /// Whether its streams' retransmits mean something.
    pub retransmits: Retransmits,
    /// The congestion control of its last TCP stream.
    pub congestion: Option<String>,
    /// A server's own output, for a client that asked for it.
    pub output: Option<ServerOutput>,
    /// One for each stream.
    pub streams: Vec<StreamResult>,
}

/// Our own key, beside iperf3's of the process.
const HOST_CPU: &str = "whole_host_cpu_util";

/// CPU time of a process in percent of wall time; above 100 with several threads.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuUse {
    /// User and system.
    pub total_percent: f64,
    /// User.
    pub user_percent: f64,
    /// System.
    pub system_percent: f64,
}

/// Whether an end reports retransmits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retransmits {
    /// It sends over TCP and knows.
    Reported,
    /// It sends, and nobody knows (UDP, SCTP).
    Unknown,
    /// It only receives.
    Receiver,
}

/// A server's own output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerOutput {
    /// As it printed it.
    Text(String),
    /// The text of a JSON value.
    Json(String),
}

/// One stream at one end.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamResult {
    /// Which stream.
    pub id: StreamId,
    /// Handed to the kernel, or read, after the omitted time.
    pub bytes: u64,
    /// Segments sent again after the omitted time; none where this end does not send or cannot
    /// know.
    pub retransmits: Option<u64>,
    /// A UDP receiver's estimate.
    pub jitter_s: f64,
    /// Datagrams that a UDP receiver misses, omitted time included. Its 32-bit count may have
    /// wrapped at peers before 3.14.
    pub lost: i64,
    /// Datagrams sent, or the highest number received, omitted time included.
    pub packets: i64,
    /// What of both falls into the omitted time; none from peers before 3.14.
    pub omitted: Option<Omitted>,
    /// From the end of the omitted time to the end; none from 3.1.
    pub seconds: Option<f64>,
    /// What a TCP sender of ours knows of the path; other tools neither tell nor read it.
    pub path: Option<PathSummary>,
}

/// TCP_INFO of a sender over the counted time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PathSummary {
    /// Largest congestion window.
    pub max_cwnd: u64,
    /// Largest window that the receiver offered, bytes.
    pub max_window: u64,
    /// Longest smoothed round trip, us.
    pub max_rtt_us: u64,
    /// Shortest one.
    pub min_rtt_us: u64,
    /// Mean of them.
    pub mean_rtt_us: u64,
    /// Largest reordering metric, segments.
    pub reorder: u64,
}

impl PathSummary {
    /// Its keys, those of iperf3's own document.
    const KEYS: [&str; 6] = [
        "max_snd_cwnd",
        "max_snd_wnd",
        "max_rtt",
        "min_rtt",
        "mean_rtt",
        "reorder",
    ];

    const fn values(&self) -> [u64; 6] {
        [
            self.max_cwnd,
            self.max_window,
            self.max_rtt_us,
            self.min_rtt_us,
            self.mean_rtt_us,
            self.reorder,
        ]
    }

    fn decode(object: &Value) -> Option<Self> {
        let value = |key| u64::try_from(json::integer(object, key)?).ok();
        let [
            max_cwnd,
            max_window,
            max_rtt_us,
            min_rtt_us,
            mean_rtt_us,
            reorder,
        ] = Self::KEYS.map(value);
        Some(Self {
            max_cwnd: max_cwnd?,
            max_window: max_window?,
            max_rtt_us: max_rtt_us?,
            min_rtt_us: min_rtt_us?,
            mean_rtt_us: mean_rtt_us?,
            reorder: reorder?,
        })
    }
}

/// What falls into the omitted time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Of the lost ones.
    pub lost: i64,
    /// Of the packets.
    pub packets: i64,
}

impl Results {
    /// The text of it.
    pub fn encode(&self) -> String {
        let mut object = Object::default();
        object.number("cpu_util_total", self.cpu.total_percent);
        object.number("cpu_util_user", self.cpu.user_percent);
        object.number("cpu_util_system", self.cpu.system_percent);
        if let Some(percent) = self.host_cpu_percent {
            object.number(HOST_CPU, percent);
        }
        let retransmits = match self.retransmits {
            Retransmits::Reported => 1,
            Retransmits::Unknown => 0,
            Retransmits::Receiver => -1,
        };
        object.integer("sender_has_retransmits", retransmits);
        object.text("congestion_used", self.congestion.as_deref());
        match &self.output {
            Some(ServerOutput::Text(text)) => object.text("server_output_text", Some(text)),
            Some(ServerOutput::Json(json)) => object.raw("server_output_json", json),
            None => (),
        }
        let streams: Vec<String> = self.streams.iter().map(StreamResult::encode).collect();
        object.raw("streams", &format!("[{}]", streams.join(",")));
        object.close()
    }

    /// Reads a text.
    ///
    /// # Errors
    /// A key that every version sends is not there.
    pub fn decode(bytes: &[u8]) -> Result<Self, Rejected> {
        let object = json::read(bytes)
            .map_err(|error| unreadable(&format!("the results are no JSON: {error}")))?;
        // 3.1 writes `nan` for a share of no time.
        let percent = |key| json::number(&object, key).unwrap_or(0.0);
        let retransmits = match json::integer(&object, "sender_has_retransmits") {
            Some(0) => Retransmits::Unknown,
            Some(n) if n > 0 => Retransmits::Reported,
            Some(_) => Retransmits::Receiver,
            None => return Err(missing("sender_has_retransmits")),
        };
        let streams = object.get("streams").and_then(Value::as_array);
        let streams = streams.ok_or_else(|| missing("streams"))?;
        let text = json::lines(&object, "server_output_text").map(ServerOutput::Text);
        let value = object.get("server_output_json");
        Ok(Self {
            cpu: CpuUse {
                total_percent: percent("cpu_util_total"),
                user_percent: percent("cpu_util_user"),
                system_percent: percent("cpu_util_system"),
            },
            host_cpu_percent: json::number(&object, HOST_CPU).filter(|percent| *percent >= 0.0),
            retransmits,
            congestion: json::text(&object, "congestion_used"),
            output: text.or_else(|| value.map(|value| ServerOutput::Json(value.to_string()))),
            streams: streams
                .iter()
                .map(StreamResult::decode)
                .collect::<Result<_, _>>()?,
        })
    }

    /// The result of a stream.
    pub fn stream(&self, id: StreamId) -> Option<&StreamResult> {
        self.streams.iter().find(|stream| stream.id == id)
    }
}

impl StreamResult {
    fn encode(&self) -> String {
        let mut object = Object::default();
        object.integer("id", self.id.get());
        object.integer("bytes", self.bytes);
        object.integer("retransmits", self.retransmits.map_or(-1, i128::from));
        object.number("jitter", self.jitter_s);
        object.integer("errors", self.lost);
        if let Some(omitted) = self.omitted {
            object.integer("omitted_errors", omitted.lost);
        }
        object.integer("packets", self.packets);
        if let Some(omitted) = self.omitted {
            object.integer("omitted_packets", omitted.packets);
        }
        if let Some(seconds) = self.seconds {
            object.integer("start_time", 0);
            object.number("end_time", seconds);
        }
        if let Some(path) = self.path {
            for (key, value) in PathSummary::KEYS.into_iter().zip(path.values()) {
                object.integer(key, value);
            }
        }
        object.close()
    }

    fn decode(object: &Value) -> Result<Self, Rejected> {
        let integer = |key: &str| json::integer(object, key).ok_or_else(|| missing(key));
        let id = integer("id")?;
        let id = u32::try_from(id).ok().and_then(StreamId::of);
        let id = id.ok_or_else(|| Rejected {
            number: ErrorNumber::UNKNOWN_STREAM,
            sentence: "the results are of a stream that no test has".to_owned(),
        })?;
        let omitted = |key| json::integer(object, key);
        let omitted = match (omitted("omitted_errors"), omitted("omitted_packets")) {
            (Some(lost), Some(packets)) => Some(Omitted { lost, packets }),
            (None, None) => None,
            (Some(_), None) => return Err(missing("omitted_packets")),
            (None, Some(_)) => return Err(missing("omitted_errors")),
        };
        let start = json::number(object, "start_time").unwrap_or(0.0);
        Ok(Self {
            id,
            bytes: integer("bytes")?.cast_unsigned(),
            retransmits: u64::try_from(integer("retransmits")?).ok(),
            jitter_s: json::number(object, "jitter").unwrap_or(0.0),
            lost: integer("errors")?,
            packets: integer("packets")?,
            omitted,
            seconds: json::number(object, "end_time").map(|end| end - start),
            path: PathSummary::decode(object),
        })
    }
}

fn missing(key: &str) -> Rejected {
    unreadable(&format!("the results have no number '{key}'"))
}

fn unreadable(sentence: &str) -> Rejected {
    Rejected {
        number: ErrorNumber::RECEIVE_RESULTS,
        sentence: sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests;
