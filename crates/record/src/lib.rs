//! What happened. [`Event`]s are raw facts in the order in which they were learnt; the run
//! store, the live display and the final document all read the same stream. [`Run`] is the
//! document that every run ends in (schema `netdyno.run/1`).
//!
//! Only raw facts are stored in events; rates are computed from what was measured. An absent
//! fact is `None`, never zero.

mod comparison;
mod counters;
mod cpu;
mod event;
mod facts;
mod finding;
mod latency;
mod observed;
mod rows;
mod run;
mod series;
mod summary;
mod tcp_info;
mod udp;
mod watched;

pub use comparison::{
    Better, Comparison, Contrast, CountedFinding, Design, EnvironmentDifference, Estimate,
    GateResult, MetricResult, Mode, Outlier, Side, SideAsked, Sides, Spread, Trial, Verdict,
};
pub use counters::Counters;
pub use cpu::{CpuTimes, HostCpu, ProcessCpu};
pub use event::{
    Edge, End, EndReport, Event, FlowReport, Grant, LoadEdge, LoadReport, Phase, Status,
};
pub use facts::{Facts, Granted, InterfaceCounters, IpVersion, Locality};
pub use finding::{Cause, Evidence, Finding};
pub use latency::{Buckets, Latency};
pub use observed::{HostObserved, HostsObserved, Observation};
pub use rows::{Gone, Row, Rows};
pub use run::{
    AppLedger, Cost, Direction, Doubt, EndCost, EndLedger, Fairness, FlowRow, GrantedBothEnds,
    Hosts, Interval, IntervalLoad, LatencyPair, LatencyUnderLoad, Ledger, LoadResult,
    PacingBothEnds, PacingError, Run, SocketLedger, Tally, TcpBothEnds, WireLedger,
};
pub use series::{
    Cell, CellEstimate, LevelChange, Merged, MergedLoad, Series, SeriesRun, Trend, TrendPoint,
};
pub use summary::Summary;
pub use tcp_info::{TcpInfo, TcpSummary};
pub use udp::{GapError, LossAddress, Outage, UdpCounters, UdpLoss};
pub use watched::Watched;
