//! What stands in brackets at the start of a line.

/// Whose line it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Id {
    /// One flow.
    Flow(FlowId),
    /// All flows of a peer.
    Sum,
    /// All flows of a peer, and how many (`--sum-only`, and lines of datagrams sent).
    SumOf(u32),
    /// Both directions of a flow of `--full-duplex`.
    FullDuplex(u32),
    /// Times of connecting.
    ConnectTimes,
}

/// One flow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct FlowId {
    /// From 1, in the order of connecting.
    pub number: u32,
    /// Its data goes against the role: to a client, or from a server.
    pub against_role: bool,
    /// The permit key that its client showed.
    pub key: Option<String>,
}

impl Id {
    /// A flow's whose data goes the usual way.
    pub fn flow(number: u32) -> Self {
        Self::Flow(FlowId {
            number,
            ..FlowId::default()
        })
    }

    /// The brackets and the blank behind them.
    pub(super) fn brackets(&self) -> String {
        match self {
            Self::Flow(flow) => flow.brackets(),
            Self::Sum => "[SUM] ".to_owned(),
            Self::SumOf(flows) => format!("[SUM-{flows}] "),
            Self::FullDuplex(number) => format!("[FD{number}] "),
            Self::ConnectTimes => "[ CT] ".to_owned(),
        }
    }

    /// Whether it stands for several flows or directions.
    pub(super) const fn is_sum(&self) -> bool {
        !matches!(self, Self::Flow(_))
    }
}

impl FlowId {
    pub(super) fn brackets(&self) -> String {
        let star = if self.against_role { "*" } else { "" };
        let number = format!("{star}{}", self.number);
        match &self.key {
            Some(key) => format!("[{key}({number})] "),
            None => format!("[{number:>3}] "),
        }
    }
}
