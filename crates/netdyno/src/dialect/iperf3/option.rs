//! The options that there are: those of 3.1 to 3.21, and one of our own.

use super::super::getopt_long::{Known, Takes};

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
        option(Opt::Port, 'p', &["port"], Value),
        option(Opt::Format, 'f', &["format"], Value),
        option(Opt::Interval, 'i', &["interval"], Value),
        option(Opt::PidFile, 'I', &["pidfile"], Value),
        option(Opt::File, 'F', &["file"], Value),
        option(Opt::Affinity, 'A', &["affinity"], Value),
        option(Opt::Bind, 'B', &["bind"], Value),
        option(Opt::Verbose, 'V', &["verbose"], Nothing),
        option(Opt::Json, 'J', &["json"], Nothing),
        option(Opt::Mptcp, 'm', &["mptcp"], Nothing),
        option(Opt::Version, 'v', &["version"], Nothing),
        option(Opt::Help, 'h', &["help"], Nothing),
        option(Opt::Server, 's', &["server"], Nothing),
        option(Opt::Daemon, 'D', &["daemon"], Nothing),
        option(Opt::OneOff, '1', &["one-off"], Nothing),
        option(Opt::Client, 'c', &["client"], Value),
        option(Opt::SctpBind, 'X', &["xbind"], Value),
        option(Opt::Udp, 'u', &["udp"], Nothing),
        option(Opt::Bitrate, 'b', &["bitrate", "bandwidth"], Value),
        option(Opt::Time, 't', &["time"], Value),
        option(Opt::Bytes, 'n', &["bytes"], Value),
        option(Opt::Blocks, 'k', &["blockcount"], Value),
        option(Opt::Length, 'l', &["length"], Value),
        option(Opt::Parallel, 'P', &["parallel"], Value),
        option(Opt::Reverse, 'R', &["reverse"], Nothing),
        option(Opt::Window, 'w', &["window"], Value),
        option(
            Opt::Congestion,
            'C',
            &["congestion", "linux-congestion"],
            Value,
        ),
        option(Opt::Mss, 'M', &["set-mss"], Value),
        option(Opt::NoDelay, 'N', &["no-delay"], Nothing),
        option(Opt::Ipv4, '4', &["version4"], Nothing),
        option(Opt::Ipv6, '6', &["version6"], Nothing),
        option(Opt::Tos, 'S', &["tos"], Value),
        option(Opt::FlowLabel, 'L', &["flowlabel"], Value),
        option(Opt::ZeroCopy, 'Z', &["zerocopy"], Nothing),
        option(Opt::Omit, 'O', &["omit"], Value),
        option(Opt::Title, 'T', &["title"], Value),
        // The letter takes no level.
        long(Opt::Debug, &["debug"], Perhaps),
        Known {
            id: Opt::Debug,
            letter: Some('d'),
            names: &[],
            takes: Nothing,
        },
        long(Opt::BindDevice, &["bind-dev"], Value),
        long(Opt::JsonStream, &["json-stream"], Nothing),
        long(Opt::JsonStreamFull, &["json-stream-full-output"], Nothing),
        long(Opt::LogFile, &["logfile"], Value),
        long(Opt::Flush, &["forceflush"], Nothing),
        long(Opt::Timestamps, &["timestamps"], Perhaps),
        long(Opt::ReceiveTimeout, &["rcv-timeout"], Value),
        long(Opt::SendTimeout, &["snd-timeout"], Value),
        long(Opt::ControlKeepalive, &["cntl-ka"], Perhaps),
        long(Opt::ServerBitrateLimit, &["server-bitrate-limit"], Value),
        long(Opt::IdleTimeout, &["idle-timeout"], Value),
        long(Opt::ServerMaxDuration, &["server-max-duration"], Value),
        long(Opt::PrivateKey, &["rsa-private-key-path"], Value),
        long(Opt::AuthorizedUsers, &["authorized-users-path"], Value),
        long(Opt::TimeSkew, &["time-skew-threshold"], Value),
        long(Opt::Pkcs1, &["use-pkcs1-padding"], Nothing),
        long(Opt::Sctp, &["sctp"], Nothing),
        long(Opt::SctpStreams, &["nstreams"], Value),
        long(Opt::ConnectTimeout, &["connect-timeout"], Value),
        long(Opt::PacingTimer, &["pacing-timer"], Value),
        long(Opt::FqRate, &["fq-rate"], Value),
        long(Opt::NoFqRate, &["no-fq-socket-pacing"], Nothing),
        long(Opt::ClientPort, &["cport"], Value),
        long(Opt::Bidir, &["bidir"], Nothing),
        long(Opt::Dscp, &["dscp"], Value),
        long(Opt::SkipRxCopy, &["skip-rx-copy"], Nothing),
        long(Opt::ExtraData, &["extra-data"], Value),
        long(Opt::GetServerOutput, &["get-server-output"], Nothing),
        long(Opt::Counters64, &["udp-counters-64bit"], Nothing),
        long(Opt::Gsro, &["gsro"], Nothing),
        long(Opt::RepeatingPayload, &["repeating-payload"], Nothing),
        long(Opt::DontFragment, &["dont-fragment"], Nothing),
        long(Opt::Username, &["username"], Value),
        long(Opt::PublicKey, &["rsa-public-key-path"], Value),
    ]
};

/// Ours. iperf3's names keep their short forms: it is found only by its whole name.
pub(super) const MAX_TESTS: Known<Opt> = long(Opt::MaxTests, &["max-tests"], Takes::Value);

const fn option(id: Opt, letter: char, names: &'static [&'static str], takes: Takes) -> Known<Opt> {
    Known {
        id,
        letter: Some(letter),
        names,
        takes,
    }
}

const fn long(id: Opt, names: &'static [&'static str], takes: Takes) -> Known<Opt> {
    Known {
        id,
        letter: None,
        names,
        takes,
    }
}

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
