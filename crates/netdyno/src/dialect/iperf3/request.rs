//! What was typed, taken together.

use proto::iperf3::{Direction, ErrorNumber, Parameters, Protocol, Segmentation};
use report::dialect::iperf3::Notation;
use units::{Bytes, Nanos};

use super::gather::Typed;
use super::{Ask, Authorization, Common, Credentials, Iperf3Request, Refusal, Serve};

/// Datagrams of one send call that the kernel takes (UDP_MAX_SEGMENTS of include/linux/udp.h).
const MOST_SEGMENTS: u64 = 128;

impl Typed {
    /// The request, if it can be.
    pub fn request(mut self) -> Result<Iperf3Request, Refusal> {
        let wrong = |number, sentence: String| Err(Refusal::wrong(number, sentence));
        if self.common.unit.is_some() && self.common.notation != Notation::Text {
            let note = "-f: documents have fixed units, it has no effect";
            self.common.notes.push(note.to_owned());
        }
        match (self.host.clone(), self.server) {
            (Some(_), true) => wrong(
                ErrorNumber::new(1),
                "-s and -c exclude each other: an end is a server or a client".to_owned(),
            ),
            (None, false) => wrong(
                ErrorNumber::new(2),
                "-s makes it a server, -c HOST a client of one: one of them is needed".to_owned(),
            ),
            (Some(host), false) => match &self.of_server {
                Some(option) => wrong(
                    ErrorNumber::new(3),
                    format!("{option} is an option of servers"),
                ),
                None => self
                    .ask(host)
                    .map(|ask| Iperf3Request::Client(Box::new(ask))),
            },
            (None, true) => match &self.of_client {
                Some(option) => wrong(
                    ErrorNumber::new(4),
                    format!("{option} is an option of clients"),
                ),
                None => self
                    .serve()
                    .map(|serve| Iperf3Request::Server(Box::new(serve))),
            },
        }
    }

    fn ask(mut self, host: String) -> Result<Ask, Refusal> {
        let wrong =
            |number, sentence: &str| Err(Refusal::wrong(ErrorNumber::new(number), sentence));
        if host.is_empty() {
            return wrong(103, "-c: the server's name or address is missing");
        }
        let parameters = &mut self.parameters;
        parameters.direction = match (self.reverse, self.bidir) {
            (true, true) => return wrong(25, "-R and --bidir exclude each other"),
            (true, false) => Direction::Reverse,
            (false, true) => Direction::Both,
            (false, false) => Direction::Forward,
        };
        if self.receive_timeout.is_some() && parameters.direction == Direction::Forward {
            return wrong(32, "--rcv-timeout is for ends that receive: -R or --bidir");
        }
        if parameters.protocol == Protocol::Udp && self.common.file.is_some() {
            return wrong(34, "-F: a file does not go over UDP");
        }
        parameters.rate = match self.rate {
            Some(rate) => Some(rate).filter(|rate| rate.get() > 0),
            None if parameters.protocol == Protocol::Udp => Some(Parameters::UDP_RATE),
            None => None,
        };
        check_block(parameters)?;
        let ends = [
            self.time.is_some(),
            parameters.bytes.is_some(),
            parameters.blocks.is_some(),
        ];
        if ends.into_iter().filter(|given| *given).count() > 1 {
            return wrong(
                16,
                "-t, -n and -k exclude each other: one of them ends a test",
            );
        }
        parameters.time = match self.time {
            Some(seconds) => Some(Nanos::from_secs(seconds)).filter(|time| !time.is_zero()),
            None if parameters.bytes.is_some() || parameters.blocks.is_some() => None,
            None => parameters.time,
        };
        if self.gsro && parameters.protocol == Protocol::Udp {
            parameters.gro = true;
            parameters.gso = Some(segmentation(parameters.block));
        }
        parameters.server_affinity = self.server_affinity;
        parameters.client_version = Some(super::help::COMPATIBLE.to_owned());
        let credentials = match (self.user, self.public_key) {
            (Some(user), Some(public_key)) => Some(Credentials {
                user,
                public_key,
                pkcs1_padding: self.pkcs1_padding,
            }),
            (None, None) => None,
            _ => {
                let sentence = "--username and --rsa-public-key-path need each other";
                return wrong(22, sentence);
            }
        };
        self.common.receive_timeout = self.receive_timeout.unwrap_or(self.common.receive_timeout);
        self.common
            .notes
            .extend(without_effect(&self.parameters, self.gsro));
        let streams = self.sctp_streams.is_some().then_some("--nstreams");
        let addresses = one_address(&self.common);
        self.common
            .notes
            .extend(streams.into_iter().chain(addresses).map(of_sctp));
        Ok(Ask {
            common: self.common,
            host,
            parameters: self.parameters,
            connect_timeout: self.connect_timeout,
            first_port: self.first_port,
            sctp_streams: self.sctp_streams,
            credentials,
            ends_with_file: !ends.contains(&true),
        })
    }

    fn serve(mut self) -> Result<Serve, Refusal> {
        let skew = self.skew.unwrap_or(Nanos::from_secs(10));
        let authorization = match (self.private_key, self.users) {
            (Some(private_key), Some(users)) => Some(Authorization {
                private_key,
                users,
                skew,
                pkcs1_padding: self.pkcs1_padding,
            }),
            (None, None) => None,
            _ => {
                let sentence = "--rsa-private-key-path and --authorized-users-path need each other";
                return Err(Refusal::wrong(ErrorNumber::new(23), sentence));
            }
        };
        if self.first_port.is_some() {
            let note = "--cport: a server has one port (-p), it has no effect";
            self.common.notes.push(note.to_owned());
        }
        let addresses = one_address(&self.common);
        self.common.notes.extend(addresses.map(of_sctp));
        self.common.receive_timeout = self.receive_timeout.unwrap_or(self.common.receive_timeout);
        Ok(Serve {
            common: self.common,
            daemon: self.daemon,
            one_off: self.one_off,
            rate_limit: self.rate_limit,
            idle_timeout: self.idle_timeout,
            longest_test: self.longest_test,
            authorization,
            mptcp: self.parameters.mptcp,
            most_tests: self.most_tests,
        })
    }
}

/// The option that asks for more addresses than one end's.
fn one_address(common: &Common) -> Option<&'static str> {
    (!common.sctp_bind.is_empty()).then_some("-X")
}

fn of_sctp(option: &str) -> String {
    format!("{option}: an SCTP test here has one stream and one address, it has no effect")
}

fn check_block(parameters: &Parameters) -> Result<(), Refusal> {
    let Some(block) = parameters.block else {
        return Ok(());
    };
    let (number, least, most) = match parameters.protocol {
        Protocol::Udp => {
            let (least, most) = Parameters::DATAGRAMS;
            (ErrorNumber::DATAGRAM_SIZE, least, most)
        }
        Protocol::Tcp | Protocol::Sctp => {
            let most = Parameters::LARGEST_BLOCK;
            (ErrorNumber::BLOCK_SIZE, Bytes::new(1), most)
        }
    };
    if (least..=most).contains(&block) {
        return Ok(());
    }
    let sentence = format!(
        "-l {}: {} to {} bytes are accepted for {}",
        block.get(),
        least.get(),
        most.get(),
        parameters.protocol
    );
    Err(Refusal::wrong(number, sentence))
}

/// As much as fits one send call; datagrams of a size that is not known yet are cut later.
fn segmentation(block: Option<Bytes>) -> Segmentation {
    let largest = Parameters::DATAGRAMS.1.get();
    let buffer = match block.map(Bytes::get) {
        Some(size) => size * (largest / size).min(MOST_SEGMENTS),
        None => largest,
    };
    Segmentation {
        datagram: block,
        buffer: Bytes::new(buffer),
    }
}

/// Sentences about options that are fine and do nothing here.
fn without_effect(parameters: &Parameters, gsro: bool) -> Vec<String> {
    let udp = parameters.protocol == Protocol::Udp;
    let streams = "streams of bytes have no datagrams, it has no effect";
    let datagrams = "datagrams have no such thing, it has no effect";
    [
        (!udp && gsro, "--gsro", streams),
        (
            !udp && parameters.counters_64bit,
            "--udp-counters-64bit",
            streams,
        ),
        (!udp && parameters.dont_fragment, "--dont-fragment", streams),
        (udp && parameters.nodelay, "-N", datagrams),
        (udp && parameters.mss.is_some(), "-M", datagrams),
        (udp && parameters.congestion.is_some(), "-C", datagrams),
        (udp && parameters.mptcp, "-m", datagrams),
        (
            parameters.pacing_timer_us != Parameters::PACING_TIMER_US,
            "--pacing-timer",
            "each send here has its own instant; only an older peer is affected",
        ),
    ]
    .into_iter()
    .filter(|(so, ..)| *so)
    .map(|(_, option, reason)| format!("{option}: {reason}"))
    .collect()
}
