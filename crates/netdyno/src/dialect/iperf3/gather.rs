//! What was typed, option by option, and what it means together.

use std::path::PathBuf;

use plan::Family;
use proto::iperf3::{ErrorNumber, Parameters, Protocol};
use report::dialect::iperf3::Notation;
use units::{BitRate, Bytes, Nanos};

use super::option::{Opt, Whose};
use super::value::{device, host_and_device, keepalive, port, rate_limit, unit};
use super::{Common, RateLimit, Refusal, number, tos};

/// A day: the longest test and the longest time limit.
const DAY: u64 = 86_400;

/// All that was typed so far. A later option replaces an earlier one.
#[derive(Debug)]
pub(super) struct Typed {
    pub common: Common,
    /// The last option of each end, as it was typed.
    pub of_client: Option<String>,
    pub of_server: Option<String>,
    pub server: bool,
    pub host: Option<String>,
    pub parameters: Parameters,
    /// `-b`; 0 is unlimited.
    pub rate: Option<BitRate>,
    pub time: Option<u64>,
    pub server_affinity: Option<u16>,
    pub gsro: bool,
    pub connect_timeout: Option<Nanos>,
    pub first_port: Option<u16>,
    pub sctp_streams: Option<u16>,
    pub reverse: bool,
    pub bidir: bool,
    pub user: Option<String>,
    pub public_key: Option<PathBuf>,
    pub pkcs1_padding: bool,
    pub receive_timeout: Option<Nanos>,
    pub daemon: bool,
    pub one_off: bool,
    pub rate_limit: Option<RateLimit>,
    pub idle_timeout: Option<Nanos>,
    pub longest_test: Option<Nanos>,
    pub private_key: Option<PathBuf>,
    pub users: Option<PathBuf>,
    pub skew: Option<Nanos>,
    pub most_tests: Option<u32>,
}

impl Default for Typed {
    fn default() -> Self {
        Self {
            common: Common::default(),
            of_client: None,
            of_server: None,
            server: false,
            host: None,
            parameters: Parameters::new(Protocol::Tcp),
            rate: None,
            time: None,
            server_affinity: None,
            gsro: false,
            connect_timeout: None,
            first_port: None,
            sctp_streams: None,
            reverse: false,
            bidir: false,
            user: None,
            public_key: None,
            pkcs1_padding: false,
            receive_timeout: None,
            daemon: false,
            one_off: false,
            rate_limit: None,
            idle_timeout: None,
            longest_test: None,
            private_key: None,
            users: None,
            skew: None,
            most_tests: None,
        }
    }
}

impl Typed {
    /// Takes an option; `shown` is how it was typed.
    pub fn take(&mut self, option: Opt, shown: &str, text: &str) -> Result<(), Refusal> {
        match option.whose() {
            Whose::Client => self.of_client = Some(shown.to_owned()),
            Whose::Server => self.of_server = Some(shown.to_owned()),
            Whose::Either => {}
        }
        match option.whose() {
            Whose::Either => self.take_common(option, shown, text),
            Whose::Server => self.take_server(option, shown, text),
            Whose::Client => {
                self.take_client(option, shown, text)?;
                self.take_parameter(option, shown, text)
            }
        }
    }

    fn take_common(&mut self, option: Opt, shown: &str, text: &str) -> Result<(), Refusal> {
        let common = &mut self.common;
        match option {
            Opt::Port => common.port = port(shown, text)?,
            Opt::ClientPort => self.first_port = Some(port(shown, text)?),
            Opt::Format => common.unit = Some(unit(shown, text)?),
            Opt::Interval => {
                let bounds = (0.1, 60.0);
                common.interval = number::seconds(shown, text, bounds, ErrorNumber::new(9))?;
            }
            Opt::PidFile => common.pid_file = Some(text.into()),
            Opt::File => common.file = Some(text.into()),
            Opt::LogFile => common.log_file = Some(text.into()),
            Opt::Affinity => self.take_affinity(shown, text)?,
            Opt::Bind => {
                let (address, device) = host_and_device(text)?;
                common.bind = Some(address);
                common.device = device.or(common.device.take());
            }
            Opt::BindDevice => common.device = Some(device(text)?),
            Opt::Verbose => common.verbose = true,
            Opt::Json if common.notation == Notation::Text => common.notation = Notation::Json,
            Opt::JsonStream => {
                let document = matches!(common.notation, Notation::JsonStream { document: true });
                common.notation = Notation::JsonStream { document };
            }
            Opt::JsonStreamFull => common.notation = Notation::JsonStream { document: true },
            Opt::Flush => common.flush = true,
            Opt::Timestamps if text.is_empty() => common.timestamps = Some("%c ".to_owned()),
            Opt::Timestamps => common.timestamps = Some(text.to_owned()),
            Opt::Debug if text.is_empty() => common.debug = Some(4),
            Opt::Debug => {
                let level = number::whole(shown, text, (1, 4), ErrorNumber::new(13))?;
                common.debug = Some(level as u8);
            }
            Opt::ReceiveTimeout => {
                let bounds = (100, DAY * 1000);
                let time = number::milliseconds(shown, text, bounds, ErrorNumber::new(31))?;
                self.receive_timeout = Some(time);
            }
            Opt::SendTimeout => {
                let bounds = (0, DAY * 1000);
                let time = number::milliseconds(shown, text, bounds, ErrorNumber::new(33))?;
                common.send_timeout = Some(time).filter(|time| !time.is_zero());
            }
            Opt::ControlKeepalive => common.keepalive = Some(keepalive(shown, text)?),
            Opt::Mptcp => self.parameters.mptcp = true,
            Opt::Pkcs1 => self.pkcs1_padding = true,
            Opt::SctpBind => common.sctp_bind.push(text.to_owned()),
            Opt::Ipv4 => common.family = Family::V4,
            Opt::Ipv6 => common.family = Family::V6,
            Opt::Server => self.server = true,
            Opt::Client => {
                let (host, device) = host_and_device(text)?;
                self.host = Some(host);
                self.common.device = device.or(self.common.device.take());
            }
            _ => {}
        }
        Ok(())
    }

    fn take_affinity(&mut self, shown: &str, text: &str) -> Result<(), Refusal> {
        let of = |text| number::any_base(shown, text, (0, 1024), ErrorNumber::AFFINITY);
        let (own, server) = match text.split_once(',') {
            Some((own, server)) => (own, Some(server)),
            None => (text, None),
        };
        self.common.affinity = Some(of(own)? as u16);
        self.server_affinity = server.map(of).transpose()?.map(|cpu| cpu as u16);
        if server.is_some() {
            self.of_client = Some(format!("{shown} {text}"));
        }
        Ok(())
    }

    fn take_server(&mut self, option: Opt, shown: &str, text: &str) -> Result<(), Refusal> {
        let seconds =
            |bounds, error| number::whole(shown, text, bounds, error).map(Nanos::from_secs);
        match option {
            Opt::Daemon => self.daemon = true,
            Opt::OneOff => self.one_off = true,
            Opt::ServerBitrateLimit => self.rate_limit = rate_limit(shown, text)?,
            Opt::IdleTimeout => self.idle_timeout = Some(seconds((1, DAY), ErrorNumber::new(30))?),
            Opt::ServerMaxDuration => {
                let longest = seconds((0, DAY), ErrorNumber::DURATION)?;
                self.longest_test = Some(longest).filter(|longest| !longest.is_zero());
            }
            Opt::PrivateKey => self.private_key = Some(text.into()),
            Opt::AuthorizedUsers => self.users = Some(text.into()),
            Opt::TimeSkew => self.skew = Some(seconds((1, DAY), ErrorNumber::new(29))?),
            Opt::MaxTests => {
                let most = number::whole(shown, text, (1, 100_000), ErrorNumber::new(13))?;
                self.most_tests = Some(most as u32);
            }
            _ => {}
        }
        Ok(())
    }

    /// What stays at the client.
    fn take_client(&mut self, option: Opt, shown: &str, text: &str) -> Result<(), Refusal> {
        match option {
            Opt::ConnectTimeout => {
                let bounds = (0, DAY * 1000);
                let time = number::amount(shown, text)?;
                let error = ErrorNumber::new(38);
                let time = number::within(shown, text, time, bounds, error)?;
                self.connect_timeout =
                    Some(Nanos::from_millis(time)).filter(|time| !time.is_zero());
            }
            Opt::SctpStreams => {
                let streams = number::amount(shown, text)?;
                let error = ErrorNumber::new(138);
                let streams = number::within(shown, text, streams, (1, 65_535), error)?;
                self.sctp_streams = Some(streams as u16);
            }
            Opt::Username => self.user = Some(text.to_owned()),
            Opt::PublicKey => self.public_key = Some(text.into()),
            Opt::Reverse => self.reverse = true,
            Opt::Bidir => self.bidir = true,
            Opt::Gsro => self.gsro = true,
            Opt::Time => {
                let bounds = (0, Parameters::MOST_SECONDS);
                self.time = Some(number::whole(shown, text, bounds, ErrorNumber::DURATION)?);
            }
            Opt::Bitrate => {
                let (rate, burst) = match text.split_once('/') {
                    Some((rate, burst)) if burst.starts_with(|c: char| c.is_ascii_digit()) => {
                        (rate, Some(burst))
                    }
                    _ => (text, None),
                };
                self.rate = Some(number::rate(shown, rate)?);
                let burst = burst
                    .map(|burst| number::whole(shown, burst, (1, 1000), ErrorNumber::BURST))
                    .transpose()?;
                self.parameters.burst = burst.map(|burst| burst as u32);
            }
            _ => {}
        }
        Ok(())
    }

    /// What goes to the server.
    fn take_parameter(&mut self, option: Opt, shown: &str, text: &str) -> Result<(), Refusal> {
        let asked = &mut self.parameters;
        match option {
            Opt::Udp => asked.protocol = Protocol::Udp,
            Opt::Sctp => asked.protocol = Protocol::Sctp,
            Opt::Bytes => {
                let bytes = Bytes::new(number::amount(shown, text)?);
                asked.bytes = Some(bytes).filter(|bytes| !bytes.is_empty());
            }
            Opt::Blocks => {
                asked.blocks = Some(number::amount(shown, text)?).filter(|blocks| *blocks > 0);
            }
            Opt::Length => {
                let block = Bytes::new(number::amount(shown, text)?);
                asked.block = Some(block).filter(|block| !block.is_empty());
            }
            Opt::Parallel => {
                let bounds = (1, Parameters::MOST_STREAMS.into());
                asked.parallel = number::whole(shown, text, bounds, ErrorNumber::STREAMS)? as u32;
            }
            Opt::Window => {
                let bounds = (0, Parameters::LARGEST_WINDOW.get());
                let window = number::bytes(shown, text, bounds, ErrorNumber::BUFFER_SIZE)?;
                asked.window = Some(window).filter(|window| !window.is_empty());
            }
            Opt::Mss => {
                let mss = number::whole(shown, text, (0, 32_767), ErrorNumber::MSS)?;
                asked.mss = Some(Bytes::new(mss)).filter(|mss| !mss.is_empty());
            }
            Opt::Tos => {
                asked.tos = number::any_base(shown, text, (0, 255), ErrorNumber::TOS)? as u8
            }
            Opt::Dscp => {
                asked.tos = tos::of_dscp(text).ok_or_else(|| {
                    let names = "cs0 to cs7, af11 to af43, ef, va";
                    let sentence = format!("{shown} '{text}': 0 to 63 or {names} is accepted");
                    Refusal::wrong(ErrorNumber::new(40), sentence)
                })?;
            }
            Opt::FlowLabel => {
                let label = number::any_base(shown, text, (1, 0xf_ffff), ErrorNumber::new(127))?;
                asked.flow_label = Some(label as u32);
            }
            Opt::FqRate => {
                let rate = number::rate(shown, text)?;
                asked.fq_rate = Some(rate).filter(|rate| rate.get() > 0);
            }
            Opt::NoFqRate => asked.fq_rate = None,
            Opt::PacingTimer => asked.pacing_timer_us = number::amount(shown, text)?,
            Opt::Omit => {
                let bounds = (0, Parameters::MOST_OMIT_SECONDS);
                let omit = number::whole(shown, text, bounds, ErrorNumber::OMIT)?;
                asked.omit = Nanos::from_secs(omit);
            }
            Opt::Congestion => asked.congestion = Some(text.to_owned()),
            Opt::NoDelay => asked.nodelay = true,
            Opt::ZeroCopy => asked.zerocopy = true,
            Opt::SkipRxCopy => asked.skip_rx_copy = true,
            Opt::Title => asked.title = Some(text.to_owned()),
            Opt::ExtraData => asked.extra_data = Some(text.to_owned()),
            Opt::GetServerOutput => asked.get_server_output = true,
            Opt::Counters64 => asked.counters_64bit = true,
            Opt::RepeatingPayload => asked.repeating_payload = true,
            Opt::DontFragment => asked.dont_fragment = true,
            _ => {}
        }
        Ok(())
    }
}
