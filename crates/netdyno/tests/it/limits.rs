//! What the server's owner permits.

use record::{End, Status};

use crate::client::Client;
use crate::server::Server;

/// A run that the server refuses: its sentence.
fn refused(server: &Server, words: &str) -> String {
    let ended = Client::new(&format!("{} --json {words}", server.address())).end();
    assert_eq!(ended.code, 4, "{words}: {}", ended.stderr);
    let run = ended.document();
    assert_eq!(run.status, Status::Failed);
    run.reason.unwrap()
}

#[test]
fn no_more_tests_than_permitted_run_at_once() {
    let server = Server::start("--max-tests 2");
    let words = format!("{} -t 3 --no-probe --json", server.address());
    let running = [(); 2].map(|()| Client::new(&words).start());
    for client in &running {
        client.measures(End::Client, 1);
    }
    assert!(refused(&server, "-t 1").contains("--max-tests"));
    for client in running {
        client.end().went_to_its_end();
    }
}

#[test]
fn who_is_not_on_the_list_is_not_served() {
    let server = Server::start("--allow 192.0.2.0/24 --allow 2001:db8::/32");
    let ended = Client::new(&format!("{} -t 1 --json", server.address())).end();
    assert!([3, 4].contains(&ended.code), "{}", ended.code);
    assert_eq!(ended.document().status, Status::Failed);
    assert!(server.log().contains("--allow"), "{}", server.log());
    let server = Server::start("--allow 192.0.2.0/24 --allow 127.0.0.0/8");
    Client::new(&format!("{} -t 0.2 --no-probe", server.address())).document();
}

#[test]
fn a_longer_test_than_permitted_is_refused_with_both_times() {
    let server = Server::start("--max-duration 3");
    let reason = refused(&server, "-t 10");
    assert!(
        reason.contains("10.00 s") && reason.contains("3.00 s"),
        "{reason}"
    );
    assert!(refused(&server, "--load stream:bytes=1G").contains("3.00 s"));
    Client::new(&format!("{} -t 0.5", server.address())).document();
}

#[test]
fn a_rate_is_cut_to_what_is_permitted_and_both_stand_in_the_document() {
    let server = Server::start("--max-rate 20M");
    for (load, flows, asked) in [
        ("stream:flows=2", 2, "no limit"),
        ("maerts:rate=50M", 1, "50"),
        ("udp-stream:rate=50M,size=1000", 1, "50"),
        ("bidir:rate=40M", 1, "40"),
    ] {
        let words = format!("{} -t 1 --no-probe --load {load}", server.address());
        let run = Client::new(&words).document();
        let result = &run.loads[0];
        for way in &result.directions {
            let rate = way.received.unwrap().bits_per_second.unwrap();
            // The measured second may hold a write more than was due in it.
            assert!(
                rate < 20e6 + 2.0 * 8.0 * 131_072.0 * f64::from(flows),
                "{load}: {rate}"
            );
        }
        let doubt = run
            .doubts
            .iter()
            .find(|doubt| doubt.doubt == "capped")
            .unwrap();
        assert!(doubt.evidence.contains("--max-rate"), "{doubt:?}");
        assert!(doubt.evidence.contains(asked), "{doubt:?}");
        for end in End::BOTH.into_iter().filter(|end| end.sends(result.kind)) {
            let granted = match end {
                End::Client => &result.granted.client,
                End::Server => &result.granted.server,
            };
            let rate = granted.as_ref().unwrap().rate_bits_per_second;
            assert_eq!(
                rate,
                Some(20_000_000 / u64::from(flows as u32)),
                "{load} at the {end:?}"
            );
        }
    }
    let run = Client::new(&format!(
        "{} -t 0.5 --no-probe --load stream:rate=10M",
        server.address()
    ));
    assert!(
        run.document()
            .doubts
            .iter()
            .all(|doubt| doubt.doubt != "capped")
    );
}

#[test]
fn a_server_for_one_test_ends_after_it_and_not_before() {
    let server = Server::start("--one-off");
    // Neither junk nor a plain connection is a test.
    crate::stranger::visit(server.address(), b"GET / HTTP/1.1\r\n\r\n");
    Client::new(&format!("{} -t 0.3 --no-probe", server.address())).document();
    assert_eq!(server.end().code(), Some(0));
}

/// The port on which a server says that it serves clients of `tool` too.
fn port_for(server: &Server, tool: &str) -> String {
    let log = server.log();
    let line = log
        .lines()
        .find(|line| line.contains(&format!("clients of {tool} are served too")))
        .unwrap_or_else(|| panic!("{tool}: {log}"));
    line.rsplit_once("port=").unwrap().1.to_owned()
}

/// What a client of ours, which speaks as the tool does, prints.
fn printed(words: &str) -> String {
    let mut command = crate::process::netdyno();
    let output = command.args(words.split_whitespace()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// They went past `--max-rate` and, iperf 2's, past `--max-duration` too.
#[test]
fn clients_of_other_tools_are_held_to_the_limits() {
    let ports = "--netperf-port 0 --iperf2-port 0 --iperf3-port 0";
    let server = Server::start(&format!("--max-rate 20M --max-duration 2 {ports}"));
    let [netperf, iperf2, iperf3] =
        ["netperf", "iperf 2", "iperf3"].map(|tool| port_for(&server, tool));
    // What a sender counts is in the buffers of both ends too: in a test of a second that is as much
    // again. Without a limit it would be gigabits.
    let most = 20e6 * 4.0;
    for way in ["", "-R"] {
        let json = printed(&format!("iperf3 -c 127.0.0.1 -p {iperf3} -t 1 -J {way}"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let rate = json["end"]["sum_received"]["bits_per_second"].as_f64();
        let rate = rate.unwrap_or_else(|| panic!("iperf3 {way}: {json}"));
        assert!(rate > 0.0 && rate < most, "iperf3 {way}: {rate}");
    }
    for test in ["TCP_STREAM", "TCP_MAERTS"] {
        let words = format!("netperf -H 127.0.0.1 -p {netperf} -l 1 -P 0 -v 0 -t {test}");
        let rate: f64 = printed(&words).trim().parse().unwrap();
        assert!(rate > 0.0 && rate * 1e6 < most, "netperf {test}: {rate}");
    }
    let started = std::time::Instant::now();
    let row = printed(&format!("iperf -c 127.0.0.1 -p {iperf2} -t 30 -y C"));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    let rate: f64 = row.trim().rsplit(',').next().unwrap().parse().unwrap();
    assert!(rate > 0.0 && rate < most, "iperf 2: {row}");
    let json = printed(&format!("iperf3 -c 127.0.0.1 -p {iperf3} -t 1 -u -b 0 -J"));
    assert!(
        json.contains("\"error\""),
        "datagrams without a rate: {json}"
    );
}
