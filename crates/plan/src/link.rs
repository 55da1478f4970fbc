//! The testbed's link as keys and texts, and what it may be.

use std::fmt::Display;
use std::ops::RangeInclusive;

use units::{BitRate, Nanos};

use crate::{Link, LinkError, value};

/// A token bucket's rate is whole bytes per second.
const RATE: RangeInclusive<BitRate> = BitRate::new(8)..=BitRate::new(1_000_000_000_000_000);
/// Twice the longest delay must stay within what a connection attempt waits.
const LONGEST_DELAY: Nanos = Nanos::from_secs(10);
/// What rtnl_create_link() of net/core/rtnetlink.c accepts.
const MOST_QUEUES: u16 = 4096;
/// ETH_MIN_MTU and ETH_MAX_MTU of include/uapi/linux/if_ether.h.
const MTU: RangeInclusive<u32> = 68..=65_535;
const LONGEST_QDISC: usize = 256;

impl Link {
    /// The keys, in the order of the documentation.
    pub const KEYS: [&str; 7] = ["rate", "delay", "loss", "qdisc", "queues", "mtu", "offload"];

    /// The link with these settings.
    pub(crate) fn from_settings(settings: &[(String, String)]) -> Result<Self, LinkError> {
        let mut link = Self::default();
        for (i, (name, text)) in settings.iter().enumerate() {
            if settings[..i].iter().any(|(earlier, _)| earlier == name) {
                return Err(LinkError::Twice(name.clone()));
            }
            let key = Self::KEYS
                .into_iter()
                .find(|key| key == name)
                .ok_or_else(|| LinkError::UnknownKey(name.clone()))?;
            link.set(key, text)
                .map_err(|reason| LinkError::Value { key, reason })?;
        }
        link.check()?;
        Ok(link)
    }

    fn set(&mut self, key: &str, text: &str) -> Result<(), String> {
        match key {
            "rate" => self.rate = Some(value::own(text)?),
            "delay" => self.delay = Some(value::own(text)?),
            "loss" => self.loss = Some(share(text)?),
            "qdisc" => self.qdisc = Some(text.to_owned()),
            "queues" => {
                self.queues = Some(value::std(text, "a number of transmit queues (1 to 4096)")?);
            }
            "mtu" => self.mtu = Some(value::std(text, "an MTU (68 to 65535 bytes)")?),
            _ => self.offload = Some(value::switch(text)?),
        }
        Ok(())
    }

    /// What is asked, as [`from_settings`](Self::from_settings) takes it back.
    pub(crate) fn settings(&self) -> Vec<(&'static str, String)> {
        let on = |on| if on { "on" } else { "off" };
        [
            ("rate", self.rate.map(|rate| rate.exact())),
            ("delay", self.delay.map(|delay| delay.exact())),
            ("loss", self.loss.map(|loss| loss.to_string())),
            ("qdisc", self.qdisc.clone()),
            ("queues", self.queues.map(|queues| queues.to_string())),
            ("mtu", self.mtu.map(|mtu| mtu.to_string())),
            (
                "offload",
                self.offload.map(|offload| on(offload).to_owned()),
            ),
        ]
        .into_iter()
        .filter_map(|(key, text)| Some((key, text?)))
        .collect()
    }

    /// Whether such a link can be made.
    pub(crate) fn check(&self) -> Result<(), LinkError> {
        refuse(
            "rate",
            self.rate,
            |rate| RATE.contains(rate),
            "8 bit/s to 1000T",
        )?;
        refuse(
            "delay",
            self.delay,
            |delay| *delay <= LONGEST_DELAY,
            "at most 10 s one way",
        )?;
        refuse(
            "loss",
            self.loss,
            |loss| (0.0..1.0).contains(loss),
            "0 to less than 100 % of the packets, written as 1% or 0.01",
        )?;
        refuse(
            "queues",
            self.queues,
            |queues| queues.get() <= MOST_QUEUES,
            "1 to 4096 transmit queues",
        )?;
        refuse(
            "mtu",
            self.mtu,
            |mtu| MTU.contains(mtu),
            "68 to 65535 bytes",
        )?;
        if self.qdisc.as_deref().is_some_and(|qdisc| !is_qdisc(qdisc)) {
            return Err(LinkError::Value {
                key: "qdisc",
                reason: "a qdisc is a name and the words that tc takes after it".to_owned(),
            });
        }
        Ok(())
    }
}

fn refuse<T: Display>(
    key: &'static str,
    value: Option<T>,
    fits: impl Fn(&T) -> bool,
    accepted: &str,
) -> Result<(), LinkError> {
    match value.filter(|value| !fits(value)) {
        None => Ok(()),
        Some(value) => Err(LinkError::Value {
            key,
            reason: format!("{value} is out of range: {accepted}"),
        }),
    }
}

fn is_qdisc(text: &str) -> bool {
    text.len() <= LONGEST_QDISC
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text.bytes().all(|b| b == b' ' || b.is_ascii_graphic())
}

/// `1%` or `0.01`.
fn share(text: &str) -> Result<f64, String> {
    let what = "a share of packets such as 1% or 0.01";
    let number: Result<f64, String> = match text.strip_suffix('%') {
        Some(percent) => value::std(percent.trim_end(), what).map(|percent: f64| percent / 100.0),
        None => value::std(text, what),
    };
    number.map_err(|_| format!("'{text}' is not {what}"))
}
