//! What the user reads after a slip.

use crate::{Link, Load};

#[test]
fn bad_loads_get_one_sentence() {
    for (text, sentence) in [
        (
            "strem",
            "'strem' is not a kind of load: the kinds are stream, maerts, bidir, rr, crr, \
             udp-stream, udp-maerts, udp-bidir, udp-rr, probe",
        ),
        (
            "stream:sise=1",
            "'sise' is not a key of a load: the keys are name, flows, size, request, reply, depth, \
             rate, pace, rps, arrival, bytes, count, delay, cpu, peer-cpu, sndbuf, rcvbuf, mss, \
             nodelay, cc, dscp, dontroute, bind, device, source-port, trunc",
        ),
        ("stream:size", "'size' needs a value: size=…"),
        (
            "stream:size=",
            "size: '' is not a size: a number of bytes, with K, M, G or T for powers of 1024",
        ),
        ("stream:flows=2,flows=2", "'flows' is given twice"),
        ("stream:nodelay,nodelay", "'nodelay' is given twice"),
        (
            "stream:flows=2,4",
            "'4' continues no list: only the values of cpu and peer-cpu are lists",
        ),
        (
            "stream:4",
            "'4' continues no list: only the values of cpu and peer-cpu are lists",
        ),
        (
            "stream:cpu=3-1",
            "cpu: '3-1' is not a list of CPUs such as 0-3,8 (0 to 8191)",
        ),
        (
            "stream:flows=0",
            "flows: '0' is not a number of flows (1 to 100000)",
        ),
        (
            "stream:flows=-1",
            "flows: '-1' is not a number of flows (1 to 100000)",
        ),
        (
            "stream:flows=100001",
            "flows: 100001 is out of range: 1 to 100000",
        ),
        (
            "rr:depth=4097",
            "depth: 4097 is out of range: 1 to 4096 outstanding requests",
        ),
        ("stream:size=0", "size: 0 is out of range: 1 byte to 64M"),
        (
            "stream:size=65M",
            "size: 68157440 is out of range: 1 byte to 64M",
        ),
        ("rr:request=0", "request: 0 is out of range: 1 byte to 64M"),
        ("rr:reply=0", "reply: 0 is out of range: 1 byte to 64M"),
        (
            "udp-stream:size=23",
            "size: 23 is out of range: 24 to 65507 bytes of UDP payload",
        ),
        (
            "udp-stream:size=64K",
            "size: 65536 is out of range: 24 to 65507 bytes of UDP payload",
        ),
        (
            "udp-rr:reply=1",
            "reply: 1 is out of range: 24 to 65507 bytes of UDP payload",
        ),
        (
            "rr:size=1",
            "'size' is not for rr: its sizes are 'request' and 'reply'",
        ),
        (
            "stream:request=1",
            "'request' is not for stream: its size is 'size'",
        ),
        (
            "bidir:reply=1",
            "'reply' is not for bidir: its size is 'size'",
        ),
        (
            "udp-bidir:depth=1",
            "'depth' is not for udp-bidir: it has no requests",
        ),
        (
            "crr:depth=2",
            "'depth' is not for crr: a connection carries one request",
        ),
        ("rr:rate=1M", "'rate' is not for rr: its rate is 'rps'"),
        (
            "maerts:rps=1",
            "'rps' is not for maerts: its rate is 'rate'",
        ),
        (
            "stream:arrival=poisson",
            "'arrival' is not for stream: it has no requests",
        ),
        ("crr:bytes=1", "'bytes' is not for crr: it ends by 'count'"),
        (
            "probe:count=1",
            "'count' is not for probe: a probe runs as long as the run",
        ),
        (
            "probe:delay=1",
            "'delay' is not for probe: a probe runs as long as the run",
        ),
        (
            "udp-stream:mss=1000",
            "'mss' is not for udp-stream: it is an option of TCP",
        ),
        (
            "udp-rr:nodelay",
            "'nodelay' is not for udp-rr: it is an option of TCP",
        ),
        (
            "udp-maerts:cc=bbr",
            "'cc' is not for udp-maerts: it is an option of TCP",
        ),
        (
            "rr:trunc",
            "'trunc' is not for rr: only TCP bulk data can be dropped unread",
        ),
        (
            "udp-stream:trunc",
            "'trunc' is not for udp-stream: only TCP bulk data can be dropped unread",
        ),
        ("rr:nodelay=off", "nodelay: it is always on for rr"),
        (
            "stream:nodelay=maybe",
            "nodelay: 'maybe' is neither on nor off",
        ),
        (
            "stream:rate=1M,pace=1M",
            "'rate' and 'pace' exclude each other: 'rate' is paced by us, 'pace' by the kernel",
        ),
        (
            "stream:rate=0",
            "rate: 0 is out of range: 1 bit/s to 1000T; leave it out for no limit",
        ),
        (
            "stream:pace=7",
            "pace: 7 is out of range: 8 bit/s to 1000T; leave it out for no limit",
        ),
        (
            "stream:rate=1MiB",
            "rate: '1MiB' is not a rate: bits per second, with k, M, G or T for powers of 1000",
        ),
        (
            "stream:bytes=1,count=1",
            "'bytes' and 'count' exclude each other: a load ends by one of them",
        ),
        (
            "stream:bytes=0",
            "bytes: 0 is out of range: 1 byte to 8192T",
        ),
        (
            "rr:count=many",
            "count: 'many' is not a number of messages or transactions",
        ),
        (
            "rr:arrival=closed,rps=1",
            "'arrival' and 'rps' exclude each other: a closed loop asks when it is answered",
        ),
        ("rr:arrival=poisson", "'arrival=poisson' needs 'rps'"),
        ("rr:arrival=paced", "'arrival=paced' needs 'rps'"),
        (
            "rr:arrival=bursty,rps=1",
            "arrival: 'bursty' is not an arrival process: closed, paced or poisson",
        ),
        (
            "probe:arrival=closed",
            "a probe is open loop: use the kind rr for a closed loop",
        ),
        (
            "rr:rps=0",
            "rps: 0 is out of range: 0.001 to 1000000000 requests per second",
        ),
        (
            "rr:rps=-5",
            "rps: -5 is out of range: 0.001 to 1000000000 requests per second",
        ),
        (
            "rr:rps=inf",
            "rps: inf is out of range: 0.001 to 1000000000 requests per second",
        ),
        (
            "rr:rps=NaN",
            "rps: NaN is out of range: 0.001 to 1000000000 requests per second",
        ),
        (
            "rr:rps=fast",
            "rps: 'fast' is not a number of requests per second",
        ),
        (
            "stream:mss=87",
            "mss: 87 is out of range: 88 to 32767 bytes",
        ),
        (
            "stream:sndbuf=2G",
            "sndbuf: 2147483648 is out of range: 1 byte to 1G",
        ),
        (
            "stream:dscp=64",
            "dscp: '64' is not a DSCP code point: 0 to 63, or cs0…cs7, af11…af43, ef, va, le",
        ),
        (
            "stream:cc=a b",
            "cc: 'a b' is not a congestion control: 1 to 15 letters, digits, '_' or '-'",
        ),
        (
            "stream:bind=host",
            "bind: 'host' is not an IPv4 or IPv6 address of this host",
        ),
        (
            "stream:device=../x",
            "device: '../x' is not an interface name: 1 to 15 characters, no space, no '/'",
        ),
        (
            "stream:source-port=70000",
            "source-port: '70000' is not a port (1 to 65535)",
        ),
        (
            "stream:source-port=65535,flows=2",
            "source-port: 65535 is out of range: the flows take ports from there on, within 1 to 65535",
        ),
        (
            "stream:delay=soon",
            "delay: 'soon' is not a time: seconds, or a number with ns, us, ms, s, m or h",
        ),
        (
            "stream:name=a\u{7}",
            "name: a name is 1 to 64 printable ASCII characters without comma or quote",
        ),
    ] {
        match Load::parse(text) {
            Ok(load) => panic!("{text}: accepted as {load:?}"),
            Err(error) => assert_eq!(error.to_string(), sentence, "{text}"),
        }
    }
}

#[test]
fn an_empty_token_is_refused() {
    for text in ["stream:", "stream:flows=1,", "stream:,", "", ":"] {
        assert!(Load::parse(text).is_err(), "{text}");
    }
}

#[test]
fn bad_links_get_one_sentence() {
    for (text, sentence) in [
        (
            "",
            "'' is not KEY=VALUE: the keys are rate, delay, loss, qdisc, queues, mtu, offload",
        ),
        (
            "fast",
            "'fast' is not KEY=VALUE: the keys are rate, delay, loss, qdisc, queues, mtu, offload",
        ),
        (
            "speed=1",
            "'speed' is not a key of a link: the keys are rate, delay, loss, qdisc, queues, mtu, \
             offload",
        ),
        ("mtu=1500,mtu=1500", "'mtu' is given twice"),
        ("rate=1", "rate: 1 bit/s is out of range: 8 bit/s to 1000T"),
        (
            "delay=11",
            "delay: 11.00 s is out of range: at most 10 s one way",
        ),
        (
            "loss=1",
            "loss: 1 is out of range: 0 to less than 100 % of the packets, written as 1% or 0.01",
        ),
        (
            "loss=-1%",
            "loss: -0.01 is out of range: 0 to less than 100 % of the packets, written as 1% or 0.01",
        ),
        (
            "loss=nan",
            "loss: NaN is out of range: 0 to less than 100 % of the packets, written as 1% or 0.01",
        ),
        (
            "loss=some%",
            "loss: 'some%' is not a share of packets such as 1% or 0.01",
        ),
        (
            "queues=0",
            "queues: '0' is not a number of transmit queues (1 to 4096)",
        ),
        (
            "queues=5000",
            "queues: 5000 is out of range: 1 to 4096 transmit queues",
        ),
        ("mtu=60", "mtu: 60 is out of range: 68 to 65535 bytes"),
        (
            "qdisc=",
            "qdisc: a qdisc is a name and the words that tc takes after it",
        ),
        ("offload=no", "offload: 'no' is neither on nor off"),
    ] {
        match Link::parse(text) {
            Ok(link) => panic!("{text}: accepted as {link:?}"),
            Err(error) => assert_eq!(error.to_string(), sentence, "{text}"),
        }
    }
}
