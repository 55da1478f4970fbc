//! The options that there are: those of 3.1 to 3.21, and one of our own.

use crate::dialect::getopt_long::{Known, Takes};

/// An option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opt {
    Affinity,
    AuthorizedUsers,
    Bidir,
    Bind,
    BindDevice,
    Bitrate,
    Blocks,
    Bytes,
    Client,
    ClientPort,
    Congestion,
    ConnectTimeout,
    ControlKeepalive,
    Counters64,
    Daemon,
    Debug,
    DontFragment,
    Dscp,
    ExtraData,
    File,
    FlowLabel,
    Flush,
    Format,
    FqRate,
    GetServerOutput,
    Gsro,
    Help,
    IdleTimeout,
    Interval,
    Ipv4,
    Ipv6,
    Json,
    JsonStream,
    JsonStreamFull,
    Length,
    LogFile,
    MaxTests,
    Mptcp,
    Mss,
    NoDelay,
    NoFqRate,
    Omit,
    OneOff,
    PacingTimer,
    Parallel,
    PidFile,
    Pkcs1,
    Port,
    PrivateKey,
    PublicKey,
    ReceiveTimeout,
    RepeatingPayload,
    Reverse,
    Sctp,
    SctpBind,
    SctpStreams,
    SendTimeout,
    Server,
    ServerBitrateLimit,
    ServerMaxDuration,
    SkipRxCopy,
    Time,
    TimeSkew,
    Timestamps,
    Title,
    Tos,
    Udp,
    Username,
    Verbose,
    Version,
    Window,
    ZeroCopy,
}

/// Which end has an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Either,
    Client,
    Server,
}

/// All of them.
pub(super) const KNOWN: [Known<Opt>; 72] = {
    use Takes::{Nothing, Perhaps, Value};
    [
        Known::short(Opt::Port, 'p', &["port"], Value),
        Known::short(Opt::Format, 'f', &["format"], Value),
        Known::short(Opt::Interval, 'i', &["interval"], Value),
        Known::short(Opt::PidFile, 'I', &["pidfile"], Value),
        Known::short(Opt::File, 'F', &["file"], Value),
        Known::short(Opt::Affinity, 'A', &["affinity"], Value),
        Known::short(Opt::Bind, 'B', &["bind"], Value),
        Known::short(Opt::Verbose, 'V', &["verbose"], Nothing),
        Known::short(Opt::Json, 'J', &["json"], Nothing),
        Known::short(Opt::Mptcp, 'm', &["mptcp"], Nothing),
        Known::short(Opt::Version, 'v', &["version"], Nothing),
        Known::short(Opt::Help, 'h', &["help"], Nothing),
        Known::short(Opt::Server, 's', &["server"], Nothing),
        Known::short(Opt::Daemon, 'D', &["daemon"], Nothing),
        Known::short(Opt::OneOff, '1', &["one-off"], Nothing),
        Known::short(Opt::Client, 'c', &["client"], Value),
        Known::short(Opt::SctpBind, 'X', &["xbind"], Value),
        Known::short(Opt::Udp, 'u', &["udp"], Nothing),
        Known::short(Opt::Bitrate, 'b', &["bitrate", "bandwidth"], Value),
        Known::short(Opt::Time, 't', &["time"], Value),
        Known::short(Opt::Bytes, 'n', &["bytes"], Value),
        Known::short(Opt::Blocks, 'k', &["blockcount"], Value),
        Known::short(Opt::Length, 'l', &["length"], Value),
        Known::short(Opt::Parallel, 'P', &["parallel"], Value),
        Known::short(Opt::Reverse, 'R', &["reverse"], Nothing),
        Known::short(Opt::Window, 'w', &["window"], Value),
        Known::short(
            Opt::Congestion,
            'C',
            &["congestion", "linux-congestion"],
            Value,
        ),
        Known::short(Opt::Mss, 'M', &["set-mss"], Value),
        Known::short(Opt::NoDelay, 'N', &["no-delay"], Nothing),
        Known::short(Opt::Ipv4, '4', &["version4"], Nothing),
        Known::short(Opt::Ipv6, '6', &["version6"], Nothing),
        Known::short(Opt::Tos, 'S', &["tos"], Value),
        Known::short(Opt::FlowLabel, 'L', &["flowlabel"], Value),
        Known::short(Opt::ZeroCopy, 'Z', &["zerocopy"], Nothing),
        Known::short(Opt::Omit, 'O', &["omit"], Value),
        Known::short(Opt::Title, 'T', &["title"], Value),
        // The letter takes no level.
        Known::long(Opt::Debug, &["debug"], Perhaps),
        Known::short(Opt::Debug, 'd', &[], Nothing),
        Known::long(Opt::BindDevice, &["bind-dev"], Value),
        Known::long(Opt::JsonStream, &["json-stream"], Nothing),
        Known::long(Opt::JsonStreamFull, &["json-stream-full-output"], Nothing),
        Known::long(Opt::LogFile, &["logfile"], Value),
        Known::long(Opt::Flush, &["forceflush"], Nothing),
        Known::long(Opt::Timestamps, &["timestamps"], Perhaps),
        Known::long(Opt::ReceiveTimeout, &["rcv-timeout"], Value),
        Known::long(Opt::SendTimeout, &["snd-timeout"], Value),
        Known::long(Opt::ControlKeepalive, &["cntl-ka"], Perhaps),
        Known::long(Opt::ServerBitrateLimit, &["server-bitrate-limit"], Value),
        Known::long(Opt::IdleTimeout, &["idle-timeout"], Value),
        Known::long(Opt::ServerMaxDuration, &["server-max-duration"], Value),
        Known::long(Opt::PrivateKey, &["rsa-private-key-path"], Value),
        Known::long(Opt::AuthorizedUsers, &["authorized-users-path"], Value),
        Known::long(Opt::TimeSkew, &["time-skew-threshold"], Value),
        Known::long(Opt::Pkcs1, &["use-pkcs1-padding"], Nothing),
        Known::long(Opt::Sctp, &["sctp"], Nothing),
        Known::long(Opt::SctpStreams, &["nstreams"], Value),
        Known::long(Opt::ConnectTimeout, &["connect-timeout"], Value),
        Known::long(Opt::PacingTimer, &["pacing-timer"], Value),
        Known::long(Opt::FqRate, &["fq-rate"], Value),
        Known::long(Opt::NoFqRate, &["no-fq-socket-pacing"], Nothing),
        Known::long(Opt::ClientPort, &["cport"], Value),
        Known::long(Opt::Bidir, &["bidir"], Nothing),
        Known::long(Opt::Dscp, &["dscp"], Value),
        Known::long(Opt::SkipRxCopy, &["skip-rx-copy"], Nothing),
        Known::long(Opt::ExtraData, &["extra-data"], Value),
        Known::long(Opt::GetServerOutput, &["get-server-output"], Nothing),
        Known::long(Opt::Counters64, &["udp-counters-64bit"], Nothing),
        Known::long(Opt::Gsro, &["gsro"], Nothing),
        Known::long(Opt::RepeatingPayload, &["repeating-payload"], Nothing),
        Known::long(Opt::DontFragment, &["dont-fragment"], Nothing),
        Known::long(Opt::Username, &["username"], Value),
        Known::long(Opt::PublicKey, &["rsa-public-key-path"], Value),
    ]
};

/// Ours. iperf3's names keep their short forms: it is found only by its whole name.
pub(super) const MAX_TESTS: Known<Opt> = Known::long(Opt::MaxTests, &["max-tests"], Takes::Value);

impl Opt {
    /// Which end has it. `--cport` is the client's and iperf3 lets a server have it.
    pub const fn whose(self) -> Whose {
        match self {
            Self::Daemon
            | Self::OneOff
            | Self::ServerBitrateLimit
            | Self::IdleTimeout
            | Self::ServerMaxDuration
            | Self::PrivateKey
            | Self::AuthorizedUsers
            | Self::TimeSkew
            | Self::MaxTests => Whose::Server,
            Self::Udp
            | Self::Sctp
            | Self::SctpStreams
            | Self::ConnectTimeout
            | Self::Bitrate
            | Self::PacingTimer
            | Self::FqRate
            | Self::NoFqRate
            | Self::Time
            | Self::Bytes
            | Self::Blocks
            | Self::Length
            | Self::Parallel
            | Self::Reverse
            | Self::Bidir
            | Self::Window
            | Self::Congestion
            | Self::Mss
            | Self::NoDelay
            | Self::Tos
            | Self::Dscp
            | Self::FlowLabel
            | Self::ZeroCopy
            | Self::SkipRxCopy
            | Self::Omit
            | Self::Title
            | Self::ExtraData
            | Self::GetServerOutput
            | Self::Counters64
            | Self::Gsro
            | Self::RepeatingPayload
            | Self::DontFragment
            | Self::Username
            | Self::PublicKey => Whose::Client,
            _ => Whose::Either,
        }
    }
}
