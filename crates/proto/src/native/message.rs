//! What the two ends say to each other. One message is one JSON object with one key, the
//! message's name: `{"propose":{"plan":…}}`. Keys that a message does not know are skipped.
//!
//! The name stands outside so that a message is read straight into its type. With the name
//! inside (serde's `tag`) everything is first kept as a tree, which takes 16 to 40 times the
//! message's length: 2 GiB for the longest message that a client accepts.

use plan::Plan;
use record::{Edge, EndReport, Facts, FlowReport, Granted, Observation};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use units::{BitRate, Nanos};

use super::{Sysctls, Token, frame, text};

#[cfg(test)]
mod tests;

/// From the client to the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientMessage {
    /// First of all. These two keys stay in every version, so that versions can be compared.
    Hello {
        /// Version of the messages.
        protocol: u32,
        /// Version of the program.
        netdyno: String,
    },
    /// What the client wants to do.
    Propose {
        /// The run.
        plan: Box<Plan>,
        /// What the server's host is to have set meanwhile.
        #[serde(default, skip_serializing_if = "Sysctls::is_empty")]
        sysctls: Sysctls,
    },
    /// The client wants no run, but what the server's host counts from now on.
    Observe {
        /// How often.
        #[serde(rename = "interval_ns")]
        interval: Nanos,
    },
    /// The client's flows are ready.
    Start {},
    /// The client has sent its last byte of load.
    Done {
        /// What it sent.
        sent: Vec<SentTotals>,
    },
    /// The client wants what was measured until now, and no more load.
    Stop {},
    /// The client gives up.
    Abort {
        /// Why.
        reason: String,
    },
    /// The client has all that it wanted.
    Bye {},
}

/// From the server to the client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerMessage {
    /// The answer to the client's hello. The first two keys stay in every version.
    Hello {
        /// Version of the messages.
        protocol: u32,
        /// Version of the program.
        netdyno: String,
        /// The server's host.
        facts: Box<Facts>,
    },
    /// The server does not do it. Stays in every version.
    Refuse {
        /// Which kind of reason.
        code: RefuseCode,
        /// The reason.
        reason: String,
    },
    /// The server does it; flows may connect.
    Accept {
        /// The server's number of the test, for its log.
        test: u64,
        /// What flows show.
        token: Token,
        /// What it does less of than was asked.
        caps: Vec<Cap>,
        /// Those that were asked for, as they are now.
        #[serde(default, skip_serializing_if = "Sysctls::is_empty")]
        sysctls: Sysctls,
    },
    /// Every flow is connected.
    Attached {
        /// What the server's sockets got, one per load.
        grants: Vec<Granted>,
    },
    /// The server's load starts now.
    Started {},
    /// The server's counts at an edge.
    Edge {
        /// The counts.
        edge: Edge,
    },
    /// What the server's host counted by now.
    Observed {
        /// The rows.
        observation: Box<Observation>,
    },
    /// The server has sent its last byte of load.
    Done {
        /// What it sent.
        sent: Vec<SentTotals>,
    },
    /// The server's closing figures without the flows'.
    Report {
        /// The figures.
        report: Box<EndReport>,
    },
    /// Closing figures of some flows.
    Flows {
        /// Index of the load.
        load: usize,
        /// Index of the first of them in the load.
        first: u32,
        /// The figures.
        flows: Vec<FlowReport>,
    },
    /// All figures are there.
    ReportEnd {},
    /// The server gives up.
    Abort {
        /// Why.
        reason: String,
    },
}

/// What one end wrote for one load. With it the other end knows what was lost at the very end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentTotals {
    /// Index of the load.
    pub load: usize,
    /// Messages (datagrams) written, flow by flow.
    pub flows: Vec<u64>,
}

/// What a server allows of what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cap {
    /// Index of the load.
    pub load: usize,
    /// The highest rate of one flow.
    #[serde(rename = "rate_bits_per_second")]
    pub rate: Option<BitRate>,
    /// What was capped, by which limit.
    pub sentence: String,
}

/// Why a server refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefuseCode {
    /// Protocol versions differ.
    Version,
    /// The client's address is not on the list.
    NotAllowed,
    /// As many tests as the server takes are running.
    TooManyTests,
    /// The run would take longer than the server permits.
    TooLong,
    /// More flows than the server takes.
    TooManyFlows,
    /// The plan is not valid.
    BadPlan,
    /// A sysctl cannot be set for the run.
    Sysctl,
    /// The server's host lacks something.
    Resource,
    /// What came is not this protocol.
    Junk,
    /// A reason of a later version; the sentence tells it.
    #[serde(other)]
    Other,
}

/// Why a frame is no message. The texts are cleaned and cut.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MessageError {
    /// A proposal whose plan is not valid.
    #[error("the plan is not valid: {0}")]
    Plan(String),
    /// Anything else.
    #[error("a message that cannot be read: {0}")]
    Unreadable(String),
}

impl ClientMessage {
    /// The message in a frame's content; its texts are cleaned.
    pub fn decode(json: &[u8]) -> Result<Self, MessageError> {
        let mut message = read(json).map_err(|reason| {
            // The encoder's own beginning; any other proposal is junk all the same.
            match json.starts_with(br#"{"propose":{"#) {
                true => MessageError::Plan(reason),
                false => MessageError::Unreadable(reason),
            }
        })?;
        match &mut message {
            Self::Hello { netdyno, .. } => text::clean(netdyno),
            Self::Abort { reason } => text::clean(reason),
            // A plan is valid by construction, its names included.
            Self::Propose { sysctls, .. } => text::clean_sysctls(sysctls),
            Self::Observe { .. }
            | Self::Start {}
            | Self::Done { .. }
            | Self::Stop {}
            | Self::Bye {} => {}
        }
        Ok(message)
    }

    /// The message in its frame.
    pub fn encode(&self) -> Vec<u8> {
        frame::encode(self)
    }

    /// Its name on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::Propose { .. } => "propose",
            Self::Observe { .. } => "observe",
            Self::Start {} => "start",
            Self::Stop {} => "stop",
            Self::Done { .. } => "done",
            Self::Abort { .. } => "abort",
            Self::Bye {} => "bye",
        }
    }
}

impl ServerMessage {
    /// The message in a frame's content; its texts are cleaned.
    pub fn decode(json: &[u8]) -> Result<Self, MessageError> {
        let mut message = read(json).map_err(MessageError::Unreadable)?;
        match &mut message {
            Self::Hello { netdyno, facts, .. } => {
                text::clean(netdyno);
                text::clean_facts(facts);
            }
            Self::Refuse { reason, .. } | Self::Abort { reason } => text::clean(reason),
            Self::Accept { caps, sysctls, .. } => {
                caps.iter_mut()
                    .for_each(|cap| text::clean(&mut cap.sentence));
                text::clean_sysctls(sysctls);
            }
            Self::Attached { grants } => grants.iter_mut().for_each(text::clean_granted),
            Self::Report { report } => text::clean_report(report),
            Self::Observed { observation } => text::clean_observation(observation),
            // Numbers only.
            Self::Started {}
            | Self::Edge { .. }
            | Self::Done { .. }
            | Self::Flows { .. }
            | Self::ReportEnd {} => {}
        }
        Ok(message)
    }

    /// The message in its frame.
    pub fn encode(&self) -> Vec<u8> {
        frame::encode(self)
    }

    /// Its name on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::Refuse { .. } => "refuse",
            Self::Accept { .. } => "accept",
            Self::Attached { .. } => "attached",
            Self::Started {} => "started",
            Self::Edge { .. } => "edge",
            Self::Observed { .. } => "observed",
            Self::Done { .. } => "done",
            Self::Report { .. } => "report",
            Self::Flows { .. } => "flows",
            Self::ReportEnd {} => "report-end",
            Self::Abort { .. } => "abort",
        }
    }
}

fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, String> {
    serde_json::from_slice(json).map_err(|error| {
        // It may quote the peer.
        let mut reason = error.to_string();
        text::clean(&mut reason);
        reason
    })
}
