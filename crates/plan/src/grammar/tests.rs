use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZeroU16, NonZeroU32};

use proptest::prelude::*;
use units::{BitRate, Bytes, CpuList, Nanos};

use crate::{Arrival, Kind, Link, Load, SocketOptions, Stop, strategy};

fn load(text: &str) -> Load {
    Load::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn some(n: u64) -> Option<Bytes> {
    Some(Bytes::new(n))
}

#[test]
fn a_kind_alone_has_the_documented_defaults() {
    for kind in Kind::ALL {
        assert_eq!(load(kind.name()), Load::new(kind));
    }
    for (kind, size, request, reply) in [
        (Kind::Stream, 131_072, 0, 0),
        (Kind::Bidir, 131_072, 0, 0),
        (Kind::UdpStream, 1400, 0, 0),
        (Kind::Rr, 0, 1, 1),
        (Kind::Crr, 0, 1, 1),
        (Kind::Probe, 0, 1, 1),
        (Kind::UdpRr, 0, 24, 24),
    ] {
        let load = Load::new(kind);
        let sizes = [load.size, load.request, load.reply].map(Bytes::get);
        assert_eq!(sizes, [size, request, reply], "{kind}");
    }
}

#[test]
fn every_key_lands_where_it_belongs() {
    let asked = load(
        "stream:name=big one,flows=4,size=64K,rate=20M,bytes=1G,delay=250ms,cpu=0-2,peer-cpu=3,\
         sndbuf=1M,rcvbuf=2M,mss=1200,nodelay,cc=cubic,dscp=ef,dontroute,bind=::1,device=eth0,\
         source-port=5000,trunc",
    );
    let expected = Load {
        name: "big one".to_owned(),
        flows: NonZeroU32::new(4).unwrap(),
        size: Bytes::new(65_536),
        rate: Some(BitRate::new(20_000_000)),
        stop: Stop::Bytes {
            bytes: Bytes::new(1 << 30),
        },
        delay: Nanos::from_millis(250),
        cpu: CpuList::new(vec![0, 1, 2]),
        peer_cpu: CpuList::new(vec![3]),
        socket: SocketOptions {
            sndbuf: some(1 << 20),
            rcvbuf: some(2 << 20),
            mss: some(1200),
            nodelay: true,
            cc: Some("cubic".parse().unwrap()),
            dscp: Some(46.try_into().unwrap()),
            dontroute: true,
            bind: Some(IpAddr::V6(Ipv6Addr::LOCALHOST)),
            device: Some("eth0".parse().unwrap()),
            source_port: Some(5000),
        },
        trunc: true,
        ..Load::new(Kind::Stream)
    };
    assert_eq!(asked, expected);

    let asked = load("rr:request=100,reply=1K,depth=8,count=1000,pace=1G,bind=127.0.0.1");
    let expected = Load {
        request: Bytes::new(100),
        reply: Bytes::new(1024),
        depth: NonZeroU32::new(8).unwrap(),
        stop: Stop::Count { count: 1000 },
        pace: Some(BitRate::new(1_000_000_000)),
        socket: SocketOptions {
            bind: Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            ..SocketOptions::default()
        },
        ..Load::new(Kind::Rr)
    };
    assert_eq!(asked, expected);
}

#[test]
fn arrivals() {
    let rate = |requests_per_second| Arrival::Paced {
        requests_per_second,
    };
    let poisson = |requests_per_second| Arrival::Poisson {
        requests_per_second,
    };
    for (text, arrival) in [
        ("rr", Arrival::Closed),
        ("rr:arrival=closed", Arrival::Closed),
        ("rr:rps=1000", rate(1000.0)),
        ("rr:arrival=paced,rps=0.5", rate(0.5)),
        ("udp-rr:rps=1e3,arrival=poisson", poisson(1000.0)),
        ("probe", rate(10.0)),
        ("probe:rps=100", rate(100.0)),
        ("probe:arrival=poisson", poisson(10.0)),
    ] {
        assert_eq!(load(text).arrival, arrival, "{text}");
    }
}

#[test]
fn a_bare_number_continues_a_list_and_a_bare_word_is_a_flag() {
    let asked = load("stream:cpu=0,2,4-5,peer-cpu=1,3,nodelay,trunc");
    assert_eq!(asked.cpu, CpuList::new(vec![0, 2, 4, 5]));
    assert_eq!(asked.peer_cpu, CpuList::new(vec![1, 3]));
    assert!(asked.socket.nodelay && asked.trunc);
    for (text, on) in [
        ("on", true),
        ("true", true),
        ("off", false),
        ("false", false),
    ] {
        assert_eq!(load(&format!("stream:nodelay={text}")).socket.nodelay, on);
    }
    assert_eq!(
        load("stream: flows = 2 , nodelay"),
        load("stream:flows=2,nodelay")
    );
}

#[test]
fn dscp_names() {
    for (name, code) in [
        ("0", 0),
        ("63", 63),
        ("cs1", 8),
        ("AF41", 34),
        ("ef", 46),
        ("le", 1),
    ] {
        let asked = load(&format!("stream:dscp={name}")).socket.dscp.unwrap();
        assert_eq!(asked.get(), code, "{name}");
    }
}

#[test]
fn links() {
    assert_eq!(
        Link::parse(
            "rate=100mbit,delay=20ms,loss=1%,qdisc=htb r2q 1000 default 3,queues=2,mtu=9000,\
             offload=off"
        ),
        Ok(Link {
            rate: Some(BitRate::new(100_000_000)),
            delay: Some(Nanos::from_millis(20)),
            loss: Some(0.01),
            qdisc: Some("htb r2q 1000 default 3".to_owned()),
            queues: NonZeroU16::new(2),
            mtu: Some(9000),
            offload: Some(false),
        })
    );
    assert_eq!(Link::parse("loss=0.01").unwrap().loss, Some(0.01));
}

proptest! {
    #[test]
    fn no_text_breaks_the_parsers(text in ".{0,80}") {
        let _ = Load::parse(&text);
        let _ = Link::parse(&text);
    }

    #[test]
    fn no_text_after_a_kind_and_a_key_breaks_them(
        kind in proptest::sample::select(Kind::ALL.to_vec()),
        key in proptest::sample::select(crate::Key::ALL.to_vec()),
        text in "[0-9a-zA-Z.,=:%µ∞ -]{0,30}",
    ) {
        if let Ok(load) = Load::parse(&format!("{kind}:{key}={text}")) {
            prop_assert_eq!(load.check(), Ok(()));
        }
        for key in Link::KEYS {
            let _ = Link::parse(&format!("{key}={text}"));
        }
    }

    /// A load's settings, written in the grammar, give the load back. Only a device's name may
    /// hold a comma, which the grammar cannot say.
    #[test]
    fn settings_are_the_grammar(mut load in strategy::load()) {
        load.socket.device.take_if(|device| device.as_str().contains(','));
        let settings = load.settings();
        let words: Vec<_> = settings.iter().map(|(key, text)| format!("{key}={text}")).collect();
        let text = match words.as_slice() {
            [] => load.kind.name().to_owned(),
            words => format!("{}:{}", load.kind, words.join(",")),
        };
        prop_assert_eq!(Load::parse(&text), Ok(load));
    }
}
