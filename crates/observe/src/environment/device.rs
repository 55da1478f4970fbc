//! The interface: how it is set, where its work goes.

use std::os::fd::{AsRawFd, OwnedFd};

use sys::ethtool;
use sys::rtnetlink::Rtnetlink;

use super::host::note;
use super::{Environment, gathered};
use crate::source::queueing;
use crate::tree::Tree;

pub(super) fn describe(tree: &Tree, interface: &str, environment: &mut Environment) {
    settings(interface, environment);
    queueing(interface, environment);
    let Some((sysfs, _keep)) = sysfs(tree, interface) else {
        return;
    };
    steering(&sysfs, interface, environment);
    affinities(tree, &sysfs, interface, environment);
}

fn settings(interface: &str, environment: &mut Environment) {
    if let Ok(information) = ethtool::information(interface) {
        for (name, value) in [
            ("interface.driver_version", information.version),
            ("interface.firmware", information.firmware),
            ("interface.bus", information.bus),
        ] {
            note(
                environment,
                name,
                Some(value).filter(|value| !value.is_empty()),
            );
        }
    }
    let speed = ethtool::speed(interface).ok().flatten();
    note(
        environment,
        "interface.speed_mbit",
        speed.map(|speed| speed.to_string()),
    );
    for (name, on) in ethtool::features(interface).unwrap_or_default() {
        let on = if on { "on" } else { "off" };
        environment.insert(format!("offload.{name}"), on.to_owned());
    }
    for group in &ethtool::SETTINGS {
        for (name, value) in group.read(interface).unwrap_or_default() {
            environment.insert(format!("{}.{name}", group.group), value.to_string());
        }
    }
}

/// Qdiscs and classes of the interface, with their options.
fn queueing(interface: &str, environment: &mut Environment) {
    let Ok(mut netlink) = Rtnetlink::open() else {
        return;
    };
    let Ok(link) = netlink.link(interface) else {
        return;
    };
    let tree = [netlink.qdiscs(), netlink.classes(link.index)];
    for (messages, is_class) in tree.into_iter().zip([false, true]) {
        let messages = messages.unwrap_or_default();
        let of_interface = |of: &queueing::Queueing| of.index == link.index;
        let read = messages
            .iter()
            .filter_map(|message| queueing::read(message));
        for of in read.filter(of_interface) {
            let group = if is_class { "class" } else { "qdisc" };
            let name = format!("{group}.{}", of.place(is_class));
            let text = format!("{} {}", of.kind, of.options).trim_end().to_owned();
            environment.insert(name, text);
        }
    }
}

/// A tree whose root is /sys of the interface's network namespace. What is mounted at /sys will
/// do where it shows an interface of the same name and number.
fn sysfs(tree: &Tree, interface: &str) -> Option<(Tree, Option<OwnedFd>)> {
    if let Ok(root) = sys::sysfs::of_this_namespace() {
        let path = format!("/proc/self/fd/{}", root.as_raw_fd());
        return Some((Tree::at(path), Some(root)));
    }
    let index = Rtnetlink::open().ok()?.link(interface).ok()?.index;
    let mounted = Tree::at(tree.path("sys"));
    let same = mounted.text(format!("class/net/{interface}/ifindex"))? == index.to_string();
    same.then_some((mounted, None))
}

/// Which CPUs send by which queue (XPS), which receive for which (RPS), and limits of queues.
fn steering(sysfs: &Tree, interface: &str, environment: &mut Environment) {
    const OF_QUEUES: [(&str, &str, &str); 6] = [
        ("tx", "xps_cpus", "xps_cpus"),
        ("tx", "xps_rxqs", "xps_rxqs"),
        ("tx", "byte_queue_limits/limit_max", "bql_max_bytes"),
        ("tx", "tx_maxrate", "maxrate_mbit"),
        ("rx", "rps_cpus", "rps_cpus"),
        ("rx", "rps_flow_cnt", "rps_flows"),
    ];
    let folder = format!("class/net/{interface}");
    let queues = sysfs.names(format!("{folder}/queues"));
    for direction in ["tx", "rx"] {
        let of = |queue: &&String| queue.starts_with(direction);
        let count = queues.iter().filter(of).count();
        note(
            environment,
            &format!("queues.{direction}"),
            (count > 0).then(|| count.to_string()),
        );
    }
    for queue in &queues {
        for (direction, file, name) in OF_QUEUES {
            if queue.starts_with(direction) {
                let value = sysfs.text(format!("{folder}/queues/{queue}/{file}"));
                note(environment, &format!("queue.{queue}.{name}"), value);
            }
        }
    }
    for (name, file) in [
        ("interface.numa_node", "device/numa_node"),
        ("interface.threaded_napi", "threaded"),
        ("interface.gro_flush_timeout_ns", "gro_flush_timeout"),
        ("interface.napi_defer_hard_irqs", "napi_defer_hard_irqs"),
        ("interface.txqueuelen", "tx_queue_len"),
    ] {
        note(environment, name, sysfs.text(format!("{folder}/{file}")));
    }
}

/// CPUs that may handle the device's interrupts. A virtio device's are those of its parent.
fn affinities(tree: &Tree, sysfs: &Tree, interface: &str, environment: &mut Environment) {
    let lists = ["device/msi_irqs", "device/../msi_irqs"];
    let numbers = lists
        .iter()
        .map(|list| sysfs.numbers(format!("class/net/{interface}/{list}")))
        .find(|numbers| !numbers.is_empty());
    let mut all = Vec::new();
    for number in numbers.unwrap_or_default() {
        let text = |file: &str| tree.text(format!("proc/irq/{number}/{file}"));
        let list = text("smp_affinity_list");
        if let Some(list) = &list {
            all.push((number, list.clone()));
        }
        note(environment, &format!("irq.{number}.affinity"), list);
        note(
            environment,
            &format!("irq.{number}.effective"),
            text("effective_affinity_list"),
        );
    }
    note(environment, "interface.irq_affinity", gathered(&all));
}
