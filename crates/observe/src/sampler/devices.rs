//! What is asked of the kernel and not read from files: qdiscs, classes, the carrier, drivers'
//! counters.

use std::collections::BTreeMap;
use std::io;

use record::Rows;
use sys::ethtool;
use sys::rtnetlink::Rtnetlink;

use super::Source;
use crate::source::driver::{self, OfQueue};
use crate::source::{Unreadable, queueing};

/// Qdiscs and classes of all interfaces.
pub(super) struct Qdiscs {
    netlink: Rtnetlink,
    /// Names of interfaces by their numbers.
    names: BTreeMap<u32, String>,
}

/// Qdiscs with classes that count for themselves. Those of mq repeat its children.
const CLASSFUL: [&str; 6] = ["cbq", "drr", "ets", "hfsc", "htb", "qfq"];

impl Qdiscs {
    pub fn open() -> Result<Option<Self>, Unreadable> {
        let netlink = Rtnetlink::open().map_err(|error| format!("opening rtnetlink: {error}"))?;
        Ok(Some(Self {
            netlink,
            names: BTreeMap::new(),
        }))
    }

    fn name(&mut self, index: u32) -> Option<&str> {
        if !self.names.contains_key(&index) {
            // An interface that went away in between is none.
            let link = self.netlink.link_by_index(index).ok()?;
            self.names.insert(index, link.name);
        }
        self.names.get(&index).map(String::as_str)
    }
}

impl Source for Qdiscs {
    fn read(&mut self, rows: &mut Rows) -> Result<Option<()>, Unreadable> {
        let trouble = |error: io::Error| format!("asking for qdiscs: {error}");
        let qdiscs = self.netlink.qdiscs().map_err(trouble)?;
        let mut with_classes = Vec::new();
        for qdisc in qdiscs.iter().filter_map(|message| queueing::read(message)) {
            let Some(name) = self.name(qdisc.index) else {
                continue;
            };
            let label = format!("{name} {}", qdisc.name_of_qdisc());
            qdisc.rows("qdisc", &label, rows);
            if CLASSFUL.contains(&qdisc.kind.as_str()) && !with_classes.contains(&qdisc.index) {
                with_classes.push(qdisc.index);
            }
        }
        for index in with_classes {
            // It may vanish at any time.
            let classes = self.netlink.classes(index).unwrap_or_default();
            for class in classes.iter().filter_map(|message| queueing::read(message)) {
                let Some(name) = self.name(index) else { break };
                let label = format!("{name} {}", class.name_of_class());
                class.rows("class", &label, rows);
            }
        }
        Ok(Some(()))
    }
}

/// The carrier of one interface. sysfs shows the interfaces of the network namespace that it was
/// mounted in, rtnetlink those of the caller's.
pub(super) struct Carrier {
    netlink: Rtnetlink,
    interface: String,
}

impl Carrier {
    pub fn open(interface: &str) -> Result<Option<Self>, Unreadable> {
        let netlink = Rtnetlink::open().map_err(|error| format!("opening rtnetlink: {error}"))?;
        Ok(Some(Self {
            netlink,
            interface: interface.to_owned(),
        }))
    }
}

impl Source for Carrier {
    fn read(&mut self, rows: &mut Rows) -> Result<Option<()>, Unreadable> {
        let link = self.netlink.link(&self.interface).map_err(|error| {
            let interface = &self.interface;
            format!("asking for the carrier of {interface}: {error}")
        })?;
        if let Some(changes) = link.carrier_changes {
            rows.set("carrier", &self.interface, "changes", changes.into());
        }
        Ok(Some(()))
    }
}

/// The counters of one interface's driver.
pub(super) struct Driver {
    interface: String,
    names: Vec<Name>,
}

enum Name {
    Queue(OfQueue),
    Device(String),
}

impl Driver {
    /// None for a driver that has none.
    pub fn open(interface: &str) -> Result<Option<Self>, Unreadable> {
        let names = match ethtool::statistic_names(interface) {
            Ok(names) => names,
            Err(error) if error.raw_os_error() == Some(NOT_SUPPORTED) => return Ok(None),
            Err(error) => return Err(format!("asking {interface}'s driver: {error}")),
        };
        let name = |name: String| match driver::of_queue(&name) {
            Some(of) => Name::Queue(of),
            None => Name::Device(name),
        };
        Ok(Some(Self {
            interface: interface.to_owned(),
            names: names.into_iter().map(name).collect(),
        }))
    }
}

/// EOPNOTSUPP.
const NOT_SUPPORTED: i32 = 95;

impl Source for Driver {
    fn read(&mut self, rows: &mut Rows) -> Result<Option<()>, Unreadable> {
        let values = ethtool::statistics(&self.interface, self.names.len())
            .map_err(|error| format!("asking {}'s driver: {error}", self.interface))?;
        for (name, value) in self.names.iter().zip(values) {
            match name {
                Name::Queue(of) => {
                    let label = format!("{} {}", self.interface, of.queue);
                    rows.set("queue", &label, &of.name, value);
                }
                Name::Device(name) => rows.set("driver", &self.interface, name, value),
            }
        }
        Ok(Some(()))
    }
}
