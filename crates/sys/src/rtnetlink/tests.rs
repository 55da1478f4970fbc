use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use super::*;
use crate::netns::NetNs;

const MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];

/// Runs in a thread of its own, so that the namespaces end with it.
fn in_new_namespace(test: impl FnOnce(NetNs) + Send + 'static) {
    std::thread::spawn(|| test(NetNs::unshare().unwrap()))
        .join()
        .unwrap();
}

#[test]
fn the_loopback_is_there_and_counts() {
    let mut netlink = Rtnetlink::open().unwrap();
    let lo = netlink.link("lo").unwrap();
    assert_eq!((lo.name.as_str(), lo.mtu), ("lo", Some(65536)));
    assert!(lo.counters.is_some());
    assert_eq!(netlink.link_by_index(lo.index).unwrap().name, "lo");
}

#[test]
fn an_absent_interface_is_an_error_with_the_kernels_number() {
    let error = Rtnetlink::open().unwrap().link("no-such-if").unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENODEV), "{error}");
}

#[test]
fn own_addresses_are_reached_through_the_loopback() {
    let mut netlink = Rtnetlink::open().unwrap();
    let index = netlink
        .interface_towards(Ipv4Addr::LOCALHOST.into())
        .unwrap();
    assert_eq!(netlink.link_by_index(index).unwrap().name, "lo");
}

#[test]
fn a_veth_pair_between_two_namespaces_carries_and_is_silent() {
    not_run::needs_root!();
    in_new_namespace(|far| {
        let mut there = Rtnetlink::open().unwrap();
        let _near = NetNs::unshare().unwrap();
        let mut here = Rtnetlink::open().unwrap();
        let veth = NewVeth {
            ends: [
                VethEnd {
                    name: "near",
                    netns: None,
                },
                VethEnd {
                    name: "far",
                    netns: Some(&far),
                },
            ],
            queues: 3,
        };
        here.add_veth(&veth).unwrap();
        let error = here.add_veth(&veth).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{error}");

        for (netlink, name, last) in [(&mut here, "near", 1), (&mut there, "far", 2)] {
            let link = netlink.link(name).unwrap();
            assert_eq!((link.tx_queues, link.carries), (Some(3), false));
            netlink.set_device(link.index, 9000, MAC).unwrap();
            netlink.silence(link.index).unwrap();
            for (address, prefix) in [
                (Ipv4Addr::new(10, 73, 0, last).into(), 30),
                (
                    Ipv6Addr::new(0xfd73, 0, 0, 0, 0, 0, 0, last.into()).into(),
                    64,
                ),
            ] {
                netlink.add_address(link.index, address, prefix).unwrap();
            }
            netlink.set_up(link.index, true).unwrap();
        }
        for (netlink, name) in [(&mut here, "near"), (&mut there, "far")] {
            let index = netlink.link(name).unwrap().index;
            netlink
                .wait_until_it_carries(index, Duration::from_secs(5))
                .unwrap();
            let link = netlink.link(name).unwrap();
            assert_eq!(link.mtu, Some(9000));
            assert_eq!(link.counters, Some(record::InterfaceCounters::default()));
        }
        let own = "fd73::1".parse().unwrap();
        here.wait_until_own(own, Duration::from_secs(5)).unwrap();
        let towards = here.interface_towards(own).unwrap();
        assert_eq!(towards, here.link("lo").unwrap().index);
        let stranger = here.wait_until_own("fd73::2".parse().unwrap(), Duration::from_millis(5));
        assert_eq!(stranger.unwrap_err().kind(), io::ErrorKind::TimedOut);
        let index = here.link("near").unwrap().index;
        let refusal = here.set_device(index, 1_000_000, MAC).unwrap_err();
        assert!(
            refusal
                .to_string()
                .contains("mtu greater than device maximum"),
            "{refusal}"
        );
        let towards = here.interface_towards("fd73::2".parse().unwrap()).unwrap();
        assert_eq!(towards, index);
        assert!(
            here.interface_towards("192.0.2.1".parse().unwrap())
                .is_err()
        );
    });
}

#[test]
fn waiting_for_a_link_that_stays_down_ends() {
    not_run::needs_root!();
    in_new_namespace(|_ns| {
        let mut netlink = Rtnetlink::open().unwrap();
        let index = netlink.link("lo").unwrap().index;
        let error = netlink
            .wait_until_it_carries(index, Duration::from_millis(20))
            .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        netlink.set_up(index, true).unwrap();
        netlink
            .wait_until_it_carries(index, Duration::from_secs(5))
            .unwrap();
    });
}
