//! What iperf 2 prints: the layouts of 2.1.8, as Debian builds it. Columns, widths and blanks are
//! part of it: scripts cut lines by them.
//!
//! Both ends print their [`Settings`], a line for each [`Connection`], and a [`Table`] of rows. A
//! [`Form`] says how; it is given with every line, as single lines may differ from the rest: a
//! flow with trip times is enhanced at a server that is not, and a server's report is as the
//! server's reports are.

mod banner;
mod cells;
mod connection;
mod csv;
mod form;
mod head;
mod histogram;
mod id;
mod notice;
mod row;
mod settings;
mod table;
mod unit;
mod wall_time;

#[cfg(test)]
mod tests;

pub use connection::{Bounce, Connection, TcpStart, Way};
pub use csv::CsvEnds;
pub use form::{Excluded, Form};
pub use histogram::{Histogram, Timed};
pub use id::{FlowId, Id};
pub use notice::{
    clock_check, connect_times, no_server_report, report_unheard, sent_datagrams, server_report,
    start_later,
};
pub use row::{
    Bounced, Bursts, Figures, FramesReceived, FramesSent, OneWay, Row, Spread, TcpPath,
    TcpReceived, TcpSent, UdpReceived, UdpSent,
};
pub use settings::{BounceSettings, BurstSettings, FrameSettings, Mss, Role, Settings, Window};
pub use table::Table;
pub use unit::Unit;
pub use wall_time::WallTime;
