//! What the user reads after a slip.

use super::Refusal;
use super::tests::request;

#[test]
fn slips_get_one_sentence() {
    let run = [
        (
            "run server --sysctl net.core.rmem_max=1",
            "--sysctl net.core.rmem_max=1: on the way to a HOST only server:KEY=VALUE is set for a \
             run, by a server with --allow-sysctl; this machine's are yours to set (sysctl -w)",
        ),
        (
            "run --jsn",
            "unexpected argument '--jsn' found, did you mean '--json'?",
        ),
        ("run -Z", "unexpected argument '-Z' found"),
        ("run a b", "unexpected argument 'b' found"),
        (
            "run -t",
            "a value is required for '--time <T>' but none was supplied",
        ),
        (
            "run -t soon",
            "--time: 'soon' is not a time: seconds, or a number with ns, us, ms, s, m or h",
        ),
        (
            "run -t 0",
            "time: a run takes more than 0 s; leave it out for 10.00 s",
        ),
        (
            "run -t 3000000",
            "time: 3000000.00 s is too long: at most 30 days",
        ),
        (
            "run -i 0.001",
            "interval: 1.00 ms is too short: at least 10.00 ms, or 0 for none",
        ),
        (
            "run --json --csv",
            "the argument '--json' cannot be used with '--csv'",
        ),
        (
            "run -R --bidir",
            "the argument '--reverse' cannot be used with '--bidir'",
        ),
        (
            "run -4 -6",
            "the argument '--ipv4' cannot be used with '--ipv6'",
        ),
        (
            "run -S 8 --dscp 2",
            "the argument '--tos <BYTE>' cannot be used with '--dscp <DSCP>'",
        ),
        ("run a -p 0", "--port: 0 is not in 1..=65535"),
        ("run a:1 -p 2", "-p: 'a' has a port already"),
        ("run -p 2", "-p: only a HOST has a port"),
        ("run 10.0.0.1 -6", "-6: '10.0.0.1' is an IPv4 address"),
        ("run ::1 -4", "-4: '::1' is an IPv6 address"),
        (
            "run 'a b'",
            "'a b' is not a server: a host is a name or an address (HOST, HOST:PORT, \
             [IPV6]:PORT or FILE.toml)",
        ),
        (
            "run a --link mtu=1500",
            "--link does not go with a HOST: only the testbed's link can be made",
        ),
        (
            "run --link mtu=1",
            "--link 'mtu=1': mtu: 1 is out of range: 68 to 65535 bytes",
        ),
        (
            "run -6 --link mtu=1000",
            "link: mtu: IPv6 needs an MTU of at least 1280 bytes, not 1000",
        ),
        (
            "run --allow-local",
            "--allow-local: a testbed is always on this host",
        ),
        (
            "run --load stream:rps=1",
            "--load 'stream:rps=1': 'rps' is not for stream: its rate is 'rate'",
        ),
        (
            "run --load hop",
            "--load: 'hop' is not a kind of load: the kinds are stream, maerts, bidir, rr, crr, \
             udp-stream, udp-maerts, udp-bidir, udp-rr, probe",
        ),
        (
            "run --load rr -P 4",
            "-P does not go with --load: write 'flows=…' in the load",
        ),
        (
            "run --load rr -w 1M",
            "-w does not go with --load: write 'sndbuf=…,rcvbuf=…' in the load",
        ),
        (
            "run --load rr -N",
            "-N does not go with --load: write 'nodelay' in the load",
        ),
        (
            "run --load rr -u",
            "-u does not go with --load: its kind says it",
        ),
        (
            "run --load probe --no-probe",
            "--no-probe does not go with --load probe",
        ),
        (
            "run --load rr:name=a --load rr:name=a",
            "two loads are named 'a': each needs its own name",
        ),
        (
            "run --load stream:flows=99999 --load rr:flows=2 --no-probe",
            "100001 flows in all are too many: at most 100000",
        ),
        (
            "run --load rr:delay=10",
            "delay: load 1 (rr) would start 10.00 s after the others, when the run is over",
        ),
        (
            "run -P 0",
            "--parallel: '0' is not a number of flows (1 to 100000)",
        ),
        (
            "run -P 100001",
            "-P: flows: 100001 is out of range: 1 to 100000",
        ),
        (
            "run -u -l 10",
            "-l: size: 10 is out of range: 24 to 65507 bytes of UDP payload",
        ),
        (
            "run -u -M 1400",
            "-M: 'mss' is not for udp-stream: it is an option of TCP",
        ),
        ("run -n 0", "-n: bytes: 0 is out of range: 1 byte to 8192T"),
        (
            "run -b 1G/10",
            "--bitrate: '1G/10' is not a rate: bits per second, with k, M, G or T for powers of 1000",
        ),
        (
            "run -S 185",
            "--tos: the two lowest bits of '185' are ECN, which is the kernel's to set",
        ),
        (
            "run -S 256",
            "--tos: '256' is not a type-of-service byte (0 to 255)",
        ),
        ("run none.toml", "cannot read none.toml: no such file"),
        (
            "run bad.toml",
            "bad.toml: load 1: 'rate' is not for rr: its rate is 'rps'",
        ),
        (
            "run good.toml -P 4",
            "-P does not go with a run file: say it in good.toml (only -t, -O and -i go beside it)",
        ),
        (
            "run good.toml --load rr",
            "--load does not go with a run file: say it in good.toml (only -t, -O and -i go beside \
             it)",
        ),
    ];
    let serve = [
        (
            "serve --max-tests 0",
            "--max-tests: '0' is not a number of tests above 0",
        ),
        ("serve --bind x", "--bind 'x': invalid IP address syntax"),
        (
            "serve --log xml",
            "invalid value 'xml' for '--log <FORM>' [possible values: text, json]",
        ),
        (
            "serve --allow 10.0.0.1/8",
            "--allow: '10.0.0.1/8' has bits set after its first 8: it is no block",
        ),
        (
            "serve --max-rate 0",
            "--max-rate: 0 grants no test: leave it out for no limit",
        ),
        (
            "serve --max-duration 0",
            "--max-duration: 0 grants no test: leave it out for no limit",
        ),
    ];
    let show = [
        (
            "show ../x",
            "'../x' is not the name of a run: letters, digits, '-', '_' and '.'",
        ),
        (
            "show --json --json-lines",
            "the argument '--json' cannot be used with '--json-lines'",
        ),
    ];
    let compare = [(
        "compare --exec-a a --exec-b b --regex (.) --b-sysctl server:net.core.rmem_max=1",
        "side b: the sysctl server:net.core.rmem_max=1 is of another machine, whose command is not \
         ours: --b-setup 'ssh ...' sets it there",
    )];
    let top = [
        (
            "",
            "a command is missing: the commands are run, compare, serve, show, history, export, merge, explain, lab, diff, observe",
        ),
        (
            "rnu",
            "'rnu' is not a command: the commands are run, compare, serve, show, history, export, merge, explain, lab, diff, observe",
        ),
        ("--jso", "unexpected argument '--jso' found"),
    ];
    // The description of a command stood there as an error, and the help was not that of what was
    // typed.
    let lab = [
        (
            "lab",
            "it needs a command or an argument: its help lists them",
        ),
        (
            "lab nosuch",
            "'nosuch' is not a command of 'lab': its commands are qdisc, spinlock, sweep, timers, \
             hol, reporter, model, reproduce, calibrate",
        ),
    ];
    let spinlock = [
        ("lab spinlock -Z", "unexpected argument '-Z' found"),
        (
            "lab spinlock --seed -1",
            "'-1' is below 0, which no option before it takes",
        ),
        (
            "lab spinlock --seed 1.5",
            "--seed '1.5': it is no whole number from 0 up",
        ),
        (
            "lab spinlock --seed 99999999999999999999",
            "--seed '99999999999999999999': the number is too large",
        ),
    ];
    let remove = [(
        "history remove",
        "remove which runs: name them, or give a filter",
    )];
    let all = [
        ("netdyno lab --help", &lab[..]),
        ("netdyno lab spinlock --help", &spinlock),
        ("netdyno history remove --help", &remove),
        ("netdyno run --help", &run),
        ("netdyno serve --help", &serve),
        ("netdyno show --help", &show),
        ("netdyno compare --help", &compare),
        ("netdyno --help", &top),
    ];
    for (help, slips) in all {
        for (line, sentence) in slips {
            let expected = Err(Refusal::Usage(format!("{sentence} (see '{help}')")));
            assert_eq!(request(line), expected, "{line}");
        }
    }
}
