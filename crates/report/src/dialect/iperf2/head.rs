//! Lines above figures.

use super::{Figures, Form, Id, Row};

/// What a column head is for. iperf prints each once, before the first row that needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Head {
    Plain,
    PlainUdpReceived,
    PlainDatagrams,
    SumOnly,
    SumOnlyUdpReceived,
    SumOnlyTcpSent,
    SumOnlyTcpReceived,
    SumOnlyUdpSent,
    TcpSent,
    TcpSentWriteTimes,
    TcpSentFrames,
    TcpReceived,
    TcpReceivedLatency,
    TcpReceivedFrames,
    Burst,
    UdpSent,
    UdpSentFrames,
    UdpReceived,
    UdpReceivedFrames,
    Bounced,
}

impl Head {
    /// The head above this row.
    pub fn of(row: &Row, form: &Form) -> Self {
        match (&row.id, form.sum_only) {
            (Id::SumOf(_), true) => Self::of_sum_only(row, form),
            _ if form.enhanced => Self::of_enhanced(row),
            _ => Self::of_plain(row),
        }
    }

    fn of_plain(row: &Row) -> Self {
        match &row.figures {
            Figures::UdpReceived(_) if !row.id.is_sum() => Self::PlainUdpReceived,
            Figures::Datagrams(_) => Self::PlainDatagrams,
            _ => Self::Plain,
        }
    }

    fn of_sum_only(row: &Row, form: &Form) -> Self {
        match &row.figures {
            Figures::UdpReceived(_) => Self::SumOnlyUdpReceived,
            Figures::TcpSent(_) if form.enhanced => Self::SumOnlyTcpSent,
            Figures::TcpReceived(_) if form.enhanced => Self::SumOnlyTcpReceived,
            Figures::UdpSent(_) if form.enhanced => Self::SumOnlyUdpSent,
            _ => Self::SumOnly,
        }
    }

    fn of_enhanced(row: &Row) -> Self {
        match &row.figures {
            Figures::Bytes => Self::Plain,
            Figures::Datagrams(_) => Self::PlainDatagrams,
            Figures::TcpSent(sent) => match () {
                () if row.id.is_sum() => Self::TcpSent,
                () if sent.frames.is_some() => Self::TcpSentFrames,
                () if sent.write_times.is_some() => Self::TcpSentWriteTimes,
                () => Self::TcpSent,
            },
            Figures::TcpReceived(received) => match () {
                () if row.id.is_sum() => Self::TcpReceived,
                () if received.bursts.is_some() => Self::Burst,
                () if received.latency.is_some() && received.of_frames => Self::TcpReceivedFrames,
                () if received.latency.is_some() => Self::TcpReceivedLatency,
                () => Self::TcpReceived,
            },
            Figures::UdpSent(sent) if sent.frames.is_some() => Self::UdpSentFrames,
            Figures::UdpSent(_) => Self::UdpSent,
            Figures::UdpReceived(_) if row.id.is_sum() => Self::UdpSent,
            Figures::UdpReceived(received) if received.frames.is_some() => Self::UdpReceivedFrames,
            Figures::UdpReceived(_) => Self::UdpReceived,
            Figures::Bounced(_) => Self::Bounced,
        }
    }

    /// The line, without its end. A time has four decimals, which is why `Interval` is followed by
    /// so many blanks in enhanced reports.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Plain => "[ ID] Interval       Transfer     Bandwidth",
            Self::PlainUdpReceived => {
                "[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams"
            }
            Self::PlainDatagrams => {
                "[ ID] Interval       Transfer     Bandwidth    Datagrams   PPS"
            }
            Self::SumOnly => "[SUM-cnt] Interval       Transfer     Bandwidth",
            Self::SumOnlyUdpReceived => {
                "[SUM-cnt] Interval     Transfer     Bandwidth       Lost/Total    PPS"
            }
            Self::SumOnlyTcpSent => {
                "[SUM-cnt] Interval            Transfer    Bandwidth       Write/Err  Rtry"
            }
            Self::SumOnlyTcpReceived => {
                "[SUM-cnt] Interval            Transfer    Bandwidth       Reads=Dist"
            }
            Self::SumOnlyUdpSent => {
                "[SUM-cnt] Interval            Transfer     Bandwidth      Write/Err  PPS"
            }
            Self::TcpSent => {
                "[ ID] Interval            Transfer    Bandwidth       Write/Err  Rtry     \
                 Cwnd/RTT(var)        NetPwr"
            }
            Self::TcpSentWriteTimes => {
                "[ ID] Interval            Transfer    Bandwidth       Write/Err  Rtry     \
                 Cwnd/RTT        NetPwr  write-times avg/min/max/stdev (cnt)"
            }
            Self::TcpSentFrames => {
                "[ ID] Interval            Transfer     Bandwidth      Write/Err  Rtry     \
                 Cwnd/RTT     isoch:tx/miss/slip  NetPwr"
            }
            Self::TcpReceived => "[ ID] Interval            Transfer    Bandwidth       Reads=Dist",
            Self::TcpReceivedLatency => {
                "[ ID] Interval            Transfer    Bandwidth    Burst Latency \
                 avg/min/max/stdev (cnt/size) inP NetPwr  Reads=Dist"
            }
            Self::TcpReceivedFrames => {
                "[ ID] Interval            Transfer    Bandwidth    Burst Latency \
                 avg/min/max/stdev (cnt/size) NetPwr  Reads=Dist"
            }
            Self::Burst => {
                "[ ID] Burst (start-end)  Transfer     Bandwidth       XferTime  (DC%)     \
                 Reads=Dist          NetPwr"
            }
            Self::UdpSent => "[ ID] Interval            Transfer     Bandwidth      Write/Err  PPS",
            Self::UdpSentFrames => {
                "[ ID] Interval            Transfer     Bandwidth      Write/Err  PPS  \
                 isoch:tx/miss/slip"
            }
            Self::UdpReceived => {
                "[ ID] Interval            Transfer     Bandwidth        Jitter   Lost/Total  \
                 Latency avg/min/max/stdev PPS  Rx/inP  NetPwr"
            }
            Self::UdpReceivedFrames => {
                "[ ID] Interval            Transfer     Bandwidth        Jitter   Lost/Total \
                 Latency avg/min/max/stdev  PPS  Frame:rx/lost  latency  NetPwr"
            }
            Self::Bounced => {
                "[ ID] Interval            Transfer    Bandwidth         BB \
                 cnt=avg/min/max/stdev         Rtry  Cwnd/RTT    RPS"
            }
        }
    }
}
