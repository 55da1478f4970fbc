use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;

fn file(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_virtual_machine_is_read() {
    let root = tempfile::tempdir().unwrap();
    let at = root.path();
    file(at, "proc/sys/kernel/hostname", "left\n");
    file(at, "proc/sys/kernel/osrelease", "6.18.44\n");
    file(at, "proc/sys/kernel/arch", "x86_64\n");
    file(at, "proc/sys/kernel/random/boot_id", "6fd2…\n");
    file(
        at,
        "proc/meminfo",
        "MemTotal:       24600000 kB\nMemFree: 1 kB\n",
    );
    file(
        at,
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Some Processor\nflags\t\t: fpu hypervisor lahf_lm\n",
    );
    file(
        at,
        "proc/stat",
        "cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n",
    );
    file(
        at,
        "sys/devices/system/clocksource/clocksource0/current_clocksource",
        "kvm-clock\n",
    );
    file(at, "sys/class/dmi/id/sys_vendor", "QEMU\n");
    file(at, "proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
    fs::create_dir_all(at.join("proc/thread-self/ns")).unwrap();
    symlink("net:[4026531840]", at.join("proc/thread-self/ns/net")).unwrap();

    let facts = host(&Tree::at(at));
    let expected = Facts {
        netdyno: env!("CARGO_PKG_VERSION").into(),
        hostname: Some("left".into()),
        kernel: Some("6.18.44".into()),
        machine: Some("x86_64".into()),
        cpu_model: Some("Some Processor".into()),
        cpus: Some(1),
        memory_bytes: Some(24_600_000 * 1024),
        clocksource: Some("kvm-clock".into()),
        virtualization: Some("QEMU".into()),
        locality: Locality {
            boot_id: Some("6fd2…".into()),
            netns: Some(4_026_531_840),
        },
        sysctls: [("net.ipv4.tcp_rmem".into(), "4096 131072 6291456".into())].into(),
        ..Facts::default()
    };
    assert_eq!(facts, expected);
}

#[test]
fn real_hardware_has_no_hypervisor_even_with_a_maker() {
    let root = tempfile::tempdir().unwrap();
    file(root.path(), "proc/cpuinfo", "flags : fpu vme\n");
    file(root.path(), "sys/class/dmi/id/sys_vendor", "Some Maker\n");
    assert_eq!(host(&Tree::at(root.path())).virtualization, None);
}

#[test]
fn an_empty_tree_gives_none_and_no_zero() {
    let root = tempfile::tempdir().unwrap();
    let facts = host(&Tree::at(root.path()));
    let expected = Facts {
        netdyno: env!("CARGO_PKG_VERSION").into(),
        machine: Some(std::env::consts::ARCH.into()),
        ..Facts::default()
    };
    assert_eq!(facts, expected);
}

#[test]
fn this_host_is_known_by_boot_and_namespace() {
    let facts = facts(Some("lo"));
    assert!(facts.locality.boot_id.is_some());
    assert!(facts.locality.netns.is_some());
    assert!(facts.mtu_bytes.is_some());
    assert_eq!(facts.qdisc.as_deref(), Some("noqueue"));
    assert!(
        facts
            .sysctls
            .contains_key("net.ipv4.tcp_congestion_control")
    );
}

#[test]
fn the_sysctls_are_in_order_and_named_once() {
    assert!(SYSCTLS.is_sorted_by(|a, b| a < b));
}
