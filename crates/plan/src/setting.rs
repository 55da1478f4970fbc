//! A load as keys and texts, the form that the grammar and the run file share.

use crate::{Arrival, Key, Kind, Load, LoadError, Stop, value};

/// One key with its value's text.
pub(crate) type Setting = (Key, String);

impl Load {
    /// The load of that kind with these settings.
    pub(crate) fn from_settings(kind: Kind, settings: &[Setting]) -> Result<Self, LoadError> {
        for (i, (key, _)) in settings.iter().enumerate() {
            if settings[..i].iter().any(|(earlier, _)| earlier == key) {
                return Err(LoadError::Twice(*key));
            }
            if let Some(reason) = key.refusal(kind) {
                return Err(LoadError::NotFor {
                    key: *key,
                    kind,
                    reason,
                });
            }
        }
        let mut load = Self::new(kind);
        for (key, text) in settings {
            load.set(*key, text).map_err(|reason| wrong(*key, reason))?;
        }
        let text_of = |key| settings.iter().find(|s| s.0 == key).map(|s| s.1.as_str());
        load.arrival = arrival(load.arrival, text_of(Key::Arrival), text_of(Key::Rps))?;
        load.stop = stop(text_of(Key::Bytes), text_of(Key::Count))?;
        load.check()?;
        Ok(load)
    }

    /// What differs from [`Load::new`], in the order of [`Key::ALL`].
    pub(crate) fn settings(&self) -> Vec<Setting> {
        let plain = Self::new(self.kind);
        Key::ALL
            .into_iter()
            .filter_map(|key| {
                let text = self.text(key)?;
                (plain.text(key).as_ref() != Some(&text)).then_some((key, text))
            })
            .collect()
    }

    /// Takes the value of a key that stands for itself; arrival and stop have two keys each.
    fn set(&mut self, key: Key, text: &str) -> Result<(), String> {
        let socket = &mut self.socket;
        match key {
            Key::Name => text.clone_into(&mut self.name),
            Key::Flows => self.flows = value::std(text, "a number of flows (1 to 100000)")?,
            Key::Size => self.size = value::own(text)?,
            Key::Request => self.request = value::own(text)?,
            Key::Reply => self.reply = value::own(text)?,
            Key::Depth => self.depth = value::std(text, "a number of requests (1 to 4096)")?,
            Key::Rate => self.rate = Some(value::own(text)?),
            Key::Pace => self.pace = Some(value::own(text)?),
            Key::Rps | Key::Arrival | Key::Bytes | Key::Count => {}
            Key::Delay => self.delay = value::own(text)?,
            Key::Cpu => self.cpu = value::own(text)?,
            Key::PeerCpu => self.peer_cpu = value::own(text)?,
            Key::Sndbuf => socket.sndbuf = Some(value::own(text)?),
            Key::Rcvbuf => socket.rcvbuf = Some(value::own(text)?),
            Key::Mss => socket.mss = Some(value::own(text)?),
            Key::Nodelay => {
                socket.nodelay = value::switch(text)?;
                if self.kind.is_exchange() && !socket.nodelay {
                    return Err(format!("it is always on for {}", self.kind));
                }
            }
            Key::Cc => socket.cc = Some(value::own(text)?),
            Key::Dscp => socket.dscp = Some(value::own(text)?),
            Key::Dontroute => socket.dontroute = value::switch(text)?,
            Key::Bind => {
                socket.bind = Some(value::std(text, "an IPv4 or IPv6 address of this host")?);
            }
            Key::Device => socket.device = Some(value::own(text)?),
            Key::SourcePort => socket.source_port = Some(value::std(text, "a port (1 to 65535)")?),
            Key::Trunc => self.trunc = value::switch(text)?,
        }
        Ok(())
    }

    /// The text that [`set`](Self::set) takes back; none where nothing is asked.
    fn text(&self, key: Key) -> Option<String> {
        let socket = &self.socket;
        let on = |flag: bool| flag.then(|| "on".to_owned());
        let (rps, process) = match self.arrival {
            Arrival::Closed => (None, None),
            Arrival::Paced {
                requests_per_second: rps,
            } => (Some(rps), None),
            Arrival::Poisson {
                requests_per_second: rps,
            } => (Some(rps), Some("poisson")),
        };
        match key {
            Key::Name => Some(self.name.clone()),
            Key::Flows => Some(self.flows.to_string()),
            Key::Size => Some(self.size.exact()),
            Key::Request => Some(self.request.exact()),
            Key::Reply => Some(self.reply.exact()),
            Key::Depth => Some(self.depth.to_string()),
            Key::Rate => self.rate.map(|rate| rate.exact()),
            Key::Pace => self.pace.map(|pace| pace.exact()),
            Key::Rps => rps.map(|rps| rps.to_string()),
            Key::Arrival => process.map(str::to_owned),
            Key::Bytes => match self.stop {
                Stop::Bytes { bytes } => Some(bytes.exact()),
                _ => None,
            },
            Key::Count => match self.stop {
                Stop::Count { count } => Some(count.to_string()),
                _ => None,
            },
            Key::Delay => (!self.delay.is_zero()).then(|| self.delay.exact()),
            Key::Cpu => (!self.cpu.is_empty()).then(|| self.cpu.to_string()),
            Key::PeerCpu => (!self.peer_cpu.is_empty()).then(|| self.peer_cpu.to_string()),
            Key::Sndbuf => socket.sndbuf.map(|sndbuf| sndbuf.exact()),
            Key::Rcvbuf => socket.rcvbuf.map(|rcvbuf| rcvbuf.exact()),
            Key::Mss => socket.mss.map(|mss| mss.get().to_string()),
            Key::Nodelay => on(socket.nodelay),
            Key::Cc => socket.cc.as_ref().map(|cc| cc.as_str().to_owned()),
            Key::Dscp => socket.dscp.map(|dscp| dscp.get().to_string()),
            Key::Dontroute => on(socket.dontroute),
            Key::Bind => socket.bind.map(|bind| bind.to_string()),
            Key::Device => socket.device.as_ref().map(|d| d.as_str().to_owned()),
            Key::SourcePort => socket.source_port.map(|port| port.to_string()),
            Key::Trunc => on(self.trunc),
        }
    }
}

/// `rps` alone means paced; `plain` is what the kind does when nothing is asked.
fn arrival(plain: Arrival, process: Option<&str>, rps: Option<&str>) -> Result<Arrival, LoadError> {
    let asked = rps
        .map(|text| value::std(text, "a number of requests per second"))
        .transpose()
        .map_err(|reason| wrong(Key::Rps, reason))?;
    let open = |name, rps: Option<f64>| match (rps, plain) {
        (Some(rps), _) => Ok(rps),
        (
            None,
            Arrival::Paced {
                requests_per_second: rps,
            },
        ) => Ok(rps),
        _ => Err(LoadError::ArrivalWithoutRps(name)),
    };
    match (process, asked) {
        (None, None) => Ok(plain),
        (Some("closed"), None) => Ok(Arrival::Closed),
        (Some("closed"), Some(_)) => Err(LoadError::Exclusive(
            Key::Arrival,
            Key::Rps,
            "a closed loop asks when it is answered",
        )),
        (None | Some("paced"), rps) => Ok(Arrival::Paced {
            requests_per_second: open("paced", rps)?,
        }),
        (Some("poisson"), rps) => Ok(Arrival::Poisson {
            requests_per_second: open("poisson", rps)?,
        }),
        (Some(other), _) => Err(wrong(
            Key::Arrival,
            format!("'{other}' is not an arrival process: closed, paced or poisson"),
        )),
    }
}

fn stop(bytes: Option<&str>, messages: Option<&str>) -> Result<Stop, LoadError> {
    match (bytes, messages) {
        (None, None) => Ok(Stop::Time),
        (Some(text), None) => Ok(Stop::Bytes {
            bytes: value::own(text).map_err(|reason| wrong(Key::Bytes, reason))?,
        }),
        (None, Some(text)) => Ok(Stop::Count {
            count: value::std(text, "a number of messages or transactions")
                .map_err(|reason| wrong(Key::Count, reason))?,
        }),
        (Some(_), Some(_)) => Err(LoadError::Exclusive(
            Key::Bytes,
            Key::Count,
            "a load ends by one of them",
        )),
    }
}

fn wrong(key: Key, reason: String) -> LoadError {
    LoadError::Value { key, reason }
}
