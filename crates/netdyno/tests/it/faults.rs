//! Ends that vanish, stop or are interrupted during a run: bounded time, the documented code, a
//! valid document with every interval until then, and the same in the store.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use plan::Family;
use record::{End, Event, Run, Status};

use crate::client::{Client, Ended, Running, measured};
use crate::hosts::hosts;
use crate::process::eventually;
use crate::server::Server;

/// Measured time of the runs here, s.
const TIME: u64 = 3;
/// A run's own time, a second of it idle, and five more: whatever happens.
const LONGEST: Duration = Duration::from_secs(1 + TIME + 5);

/// A run against `server`, two intervals into its measured time.
fn running(server: &Server, load: &str) -> Running {
    let words = format!(
        "{} -t {TIME} -i 100ms --json --load {load}",
        server.address()
    );
    let client = Client::new(&words).start();
    client.measures(End::Client, 2);
    client.measures(End::Server, 2);
    client
}

/// What holds of every run that broke: it is over in time, and all that came before is there.
fn broken(ended: &Ended, code: i32, status: Status) -> Run {
    assert_eq!(ended.code, code, "{}", ended.stderr);
    assert!(ended.took < LONGEST, "{:?}", ended.took);
    let run = ended.document();
    assert_eq!(run.status, status);
    assert!(
        run.reason
            .as_ref()
            .is_some_and(|reason| !reason.contains('\n')),
        "{:?}",
        run.reason
    );
    let events = ended.store.events();
    for end in End::BOTH {
        let edges = measured(&events, end).count();
        assert!(edges >= 2, "{edges} edges of the {end:?}");
        let intervals = run.intervals.iter().filter(|interval| interval.end == end);
        let counted = intervals.filter(|interval| interval.phase == record::Phase::Measure);
        assert_eq!(
            counted.count(),
            edges,
            "an interval for every edge of the {end:?}"
        );
    }
    run
}

/// Does something for each of three loads, at once: most of the time is waiting.
fn each_load(does: impl Fn(&'static str) + Sync) {
    let does = &does;
    std::thread::scope(|scope| {
        for load in ["stream", "maerts", "udp-stream:rate=10M"] {
            scope.spawn(move || does(load));
        }
    });
}

#[test]
fn a_killed_server_is_code_4_at_once() {
    each_load(|load| {
        let server = Server::start("");
        let client = running(&server, load);
        server.tell(Signal::SIGKILL);
        let run = broken(&client.end(), 4, Status::Failed);
        assert!(run.hosts.server.is_some());
    });
}

#[test]
fn a_stopped_server_is_code_3() {
    each_load(|load| {
        let server = Server::start("");
        let client = running(&server, load);
        server.tell(Signal::SIGSTOP);
        broken(&client.end(), 3, Status::Failed);
    });
}

#[test]
fn a_server_that_is_told_to_end_says_so() {
    let server = Server::start("");
    let client = running(&server, "stream");
    server.tell(Signal::SIGTERM);
    let run = broken(&client.end(), 4, Status::Failed);
    assert!(run.reason.unwrap().contains("the server was stopped"));
    assert_eq!(server.end().code(), Some(0));
}

#[test]
fn a_link_that_goes_down_is_code_3() {
    not_run::needs_root!();
    each_load(|load| {
        hosts("", Family::V4, move |hosts| {
            let server = hosts.serve("");
            let client = running(&server, load);
            hosts.testbed.set_down(true).unwrap();
            broken(&client.end(), 3, Status::Failed);
        });
    });
}

/// A second test must get the place of one that vanished, and by then.
fn place_is_free(server: &Server, by: Instant) {
    let words = format!("{} -t 0.2 --no-probe --json", server.address());
    let free = eventually("a free place", || {
        let begun = Instant::now();
        let ended = Client::new(&words).end();
        if ended.code == 4 {
            let reason = ended.document().reason.unwrap();
            assert!(reason.contains("--max-tests"), "{reason}");
        }
        (ended.code == 0).then_some(begun)
    });
    assert!(free <= by, "a place {:?} late", free - by);
}

#[test]
fn a_killed_client_leaves_its_place_and_its_intervals() {
    each_load(|load| {
        let server = Server::start("--max-tests 1");
        let client = running(&server, load);
        client.tell(Signal::SIGKILL);
        place_is_free(&server, Instant::now() + Duration::from_secs(5));
        let killed = client.end();
        assert_eq!((killed.code, killed.stdout.as_str()), (128 + 9, ""));
        let edges = measured(&killed.store.events(), End::Client).count();
        let shown = Client::show(killed.store, "--json");
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        let run = crate::document::run(&shown.stdout);
        let intervals = run.intervals.iter().filter(|interval| {
            interval.end == End::Client && interval.phase == record::Phase::Measure
        });
        assert_eq!(intervals.count(), edges);
        assert!(edges >= 2);
        assert_eq!(run.status, Status::Failed);
    });
}

#[test]
fn a_stopped_client_keeps_no_place_for_ever() {
    let server = Server::start("--max-tests 1");
    let begun = Instant::now();
    let client = running(&server, "stream");
    client.tell(Signal::SIGSTOP);
    place_is_free(&server, begun + LONGEST);
    client.tell(Signal::SIGCONT);
    let ended = client.end();
    assert!([3, 4].contains(&ended.code), "{}", ended.code);
    assert_eq!(ended.document().status, Status::Failed);
}

#[test]
fn an_interrupted_run_is_code_130_with_all_that_it_has() {
    each_load(|load| {
        let server = Server::start("--max-tests 1");
        let client = running(&server, load);
        client.tell(Signal::SIGINT);
        let run = broken(&client.end(), 130, Status::Interrupted);
        assert!(
            run.loads[0]
                .received
                .is_some_and(|received| received.bytes > 0)
        );
        place_is_free(&server, Instant::now() + Duration::from_secs(5));
    });
}

/// What came since the last interval was lost, and without intervals everything.
#[test]
fn an_interrupted_run_without_intervals_has_the_figures_of_both_ends() {
    each_load(|load| {
        let server = Server::start("--max-tests 1");
        let words = format!("{} -t 60 -i 0 --no-probe --json", server.address());
        let client = Client::new(&format!("{words} --load {load}")).start();
        eventually("the load's start", || {
            let events = client.store().events();
            let granted = |event: &Event| matches!(event, Event::Granted { .. });
            events.iter().any(granted).then_some(())
        });
        std::thread::sleep(Duration::from_millis(500));
        client.tell(Signal::SIGINT);
        let ended = client.end();
        assert_eq!(ended.code, 130, "{}", ended.stderr);
        let run = ended.document();
        assert_eq!(run.status, Status::Interrupted);
        let way = &run.loads[0].directions[0];
        let bytes = |tally: Option<record::Tally>| tally.map_or(0, |tally| tally.bytes);
        assert!(bytes(way.received) > 0, "{load}: {way:?}");
        assert!(bytes(way.sent) > 0, "{load}: {way:?}");
        place_is_free(&server, Instant::now() + Duration::from_secs(5));
    });
}

#[test]
fn a_second_interrupt_does_not_wait_for_anything() {
    let server = Server::start("");
    let client = running(&server, "stream");
    // Nobody answers the goodbye.
    server.tell(Signal::SIGSTOP);
    client.tell(Signal::SIGINT);
    std::thread::sleep(Duration::from_millis(50));
    // It may be over already.
    let _ = nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(client.pid() as i32),
        Signal::SIGINT,
    );
    broken(&client.end(), 130, Status::Interrupted);
}

#[test]
fn an_interrupt_before_the_start_is_code_130_too() {
    // A peer that says nothing: the client waits for its hello.
    let peer = crate::stranger::server(Vec::new());
    let client = Client::new(&format!("{peer} -t 10 --json")).start();
    eventually("the first event", || {
        (!client.store().events().is_empty()).then_some(())
    });
    client.tell(Signal::SIGINT);
    let ended = client.end();
    assert_eq!(ended.code, 130);
    assert_eq!(ended.document().status, Status::Interrupted);
}
