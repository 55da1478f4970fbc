//! The reporter and the traffic do not wait for each other: what both processes ask of the
//! kernel, by strace.

/// Tests that need the machine for themselves.
mod alone {
    use std::fs;
    use std::net::Ipv4Addr;
    use std::path::Path;
    use std::process::Command;

    use nix::sys::signal::Signal;
    use tempfile::TempDir;

    use crate::client::Client;
    use crate::process::{self, children, eventually, program};
    use crate::server::Server;

    /// Calls by which a thread waits, or gives its turn away.
    const WAITING: &str = "futex,sched_yield,nanosleep,clock_nanosleep,poll,ppoll,select,pselect6,\
                           epoll_wait,epoll_pwait,epoll_pwait2";

    /// Netdyno under strace, all threads, its calls of `WAITING` in `file`.
    fn traced(file: &Path) -> Command {
        let mut command = Command::new("strace");
        sys::child::die_with_parent(&mut command);
        command
            .args(["-f", "-qq", "-e"])
            .arg(format!("trace={WAITING}"))
            .args(["-e", "signal=none", "-o"]);
        command.arg(file).arg(program());
        command
    }

    #[derive(Debug, Default)]
    struct Calls {
        futex: usize,
        yields: usize,
        /// Sleeps and looks that do not wait.
        empty: usize,
        /// All that wait for a descriptor or for a time.
        waits: usize,
    }

    fn read(file: &Path) -> Calls {
        let mut calls = Calls::default();
        for line in fs::read_to_string(file).unwrap().lines() {
            // "1234 futex(0x7f…, FUTEX_WAIT_PRIVATE, 0, NULL) = 0"; a call that another thread
            // interrupts on the paper is resumed in a line of its own.
            let Some((_, call)) = line.split_once(' ') else {
                continue;
            };
            let call = call.trim_start();
            let Some((name, arguments)) = call.split_once('(') else {
                continue;
            };
            match name {
                "futex" => calls.futex += 1,
                "sched_yield" => calls.yields += 1,
                _ => calls.waits += 1,
            }
            calls.empty += usize::from(is_empty(name, arguments));
        }
        calls
    }

    /// Whether the call cannot wait: a timeout of zero.
    fn is_empty(name: &str, arguments: &str) -> bool {
        let zero = "{tv_sec=0, tv_nsec=0}";
        match name {
            "nanosleep" | "ppoll" | "pselect6" | "epoll_pwait2" => arguments.contains(zero),
            // An absolute time that is past is no loop by itself; zero is none.
            "clock_nanosleep" => arguments.contains(zero),
            "epoll_wait" | "epoll_pwait" => {
                let arguments: Vec<&str> = arguments.split(", ").collect();
                let timeout = arguments
                    .iter()
                    .rev()
                    .find_map(|word| word.split(')').next()?.parse::<i64>().ok());
                timeout == Some(0) && name == "epoll_wait"
            }
            "poll" => arguments.contains(", 0)"),
            _ => false,
        }
    }

    /// What client and server do in a run of two seconds.
    fn run(load: &str, interval: &str) -> (usize, [Calls; 2]) {
        let folder = TempDir::new().unwrap();
        let [client, server] = ["client", "server"].map(|name| folder.path().join(name));
        let serving = Server::launch(traced(&server), Ipv4Addr::LOCALHOST.into(), "");
        let words = format!(
            "{} -t 2 -i {interval} --no-probe --json --load {load}",
            serving.address()
        );
        let run = Client::wrapped(traced(&client), "run", &words).end();
        assert!([0, 6].contains(&run.code), "{}", run.stderr);
        let document = run.document();
        assert!(document.loads[0].received.unwrap().bytes > 0);
        let events = run.store.events().len();
        // strace ends, and has written everything, when the server has ended.
        for server in children(serving.pid()) {
            process::tell(server, Signal::SIGTERM);
        }
        serving.end();
        eventually("the trace", || server.exists().then_some(()));
        (events, [read(&client), read(&server)])
    }

    /// The reporter waits for the coordinator, at each edge and not more often; the traffic, which
    /// here is thousands of calls a second, waits for neither.
    #[test]
    fn traffic_and_reporter_do_not_wait_for_each_other() {
        not_run::needs_root!();
        not_run::needs_program!("strace");
        for load in ["stream:rate=1G", "stream"] {
            for interval in ["1", "10ms"] {
                let (events, ends) = run(load, interval);
                for (end, calls) in ["client", "server"].into_iter().zip(ends) {
                    let what = format!("{load}, intervals of {interval}, {end}: {calls:?}");
                    assert_eq!(calls.yields, 0, "{what}");
                    // An edge that is late already is not waited for.
                    assert!(calls.empty < 20 + events, "{what}");
                    // Each event is a wait of the one and a wake by the other, twice if late.
                    let most = 100 + if end == "client" { 4 * events } else { 0 };
                    assert!(calls.futex < most, "{what}");
                }
            }
        }
    }
}
