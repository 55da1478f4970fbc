//! What a clock is needed for: pacing, coordinated omission, outages.

/// Tests that need the machine for themselves.
mod alone {
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use nix::sys::signal::Signal;
    use plan::Family;
    use record::{End, Event, LoadReport, Status};

    use crate::client::Client;
    use crate::hosts::hosts;
    use crate::machine::{holds, judge};
    use crate::server::Server;

    /// A burst of four datagrams would overflow this queue.
    #[test]
    fn a_paced_sender_loses_nothing_in_a_short_queue() {
        not_run::needs_namespaces!();
        not_run::needs_program!("tc");
        holds(|| {
            let words = "-t 3 --no-probe --load udp-stream:rate=20M,size=1200 --link";
            let run = Client::new(words)
                .word("qdisc=tbf rate 25mbit burst 2kb limit 6kb")
                .document();
            let load = &run.loads[0];
            let loss = &load.loss[0];
            let found = format!("{loss:?} of {:?}", load.pacing);
            judge(&run, "no loss in a short queue", loss.lost == 0, &found)?;
            judge(
                &run,
                "the load was offered",
                run.status == Status::Ok,
                &found,
            )?;
            let pacing = load.pacing.as_ref().unwrap().client.unwrap();
            // 9600 bits at 20 Mbit/s.
            assert_eq!(pacing.asked_gap_ns, 480_000);
            assert!(pacing.error.p99_ns.is_some(), "{pacing:?}");
            assert!(pacing.error.samples + 10 > loss.sent, "{pacing:?}");
            Ok(())
        });
    }

    /// The server stands still for one second of ten. A tenth of the requests were meant to start
    /// in it, and waited for up to a second: so one in twenty waited half a second or longer. Only
    /// one request was on its way.
    #[test]
    fn response_times_hold_the_wait_that_service_times_omit() {
        holds(|| {
            let server = Server::start("");
            let words = format!(
                "{} -t 10 --no-probe --load rr:rps=1000 --json",
                server.address()
            );
            let client = Client::new(&words).start();
            client.measures(End::Client, 2);
            server.tell(Signal::SIGSTOP);
            sleep(Duration::from_secs(1));
            server.tell(Signal::SIGCONT);
            let ended = client.end();
            ended.went_to_its_end();
            let run = ended.document();
            let [response, service] =
                [run.loads[0].latency, run.loads[0].service_time].map(Option::unwrap);
            let p95 = response.p95_ns.unwrap();
            let near =
                (350_000_000..650_000_000).contains(&p95) && response.p50_ns.unwrap() < p95 / 10;
            judge(
                &run,
                "p95 of the response time near 500 ms",
                near,
                format!("{response:?}"),
            )?;
            assert!(service.max_ns.unwrap() > 900_000_000, "{service:?}");
            let report = client_report(&ended.store.events());
            let outliers = |buckets: record::Buckets| {
                buckets
                    .0
                    .iter()
                    .filter(|(at, _)| *at >= 500_000_000)
                    .map(|(_, n)| n)
                    .sum::<u64>()
            };
            let slow = outliers(report.service.unwrap());
            judge(&run, "one slow service time", slow == 1, slow)?;
            assert!(outliers(report.response.unwrap()) > 300);
            Ok(())
        });
    }

    fn client_report(events: &[Event]) -> LoadReport {
        let report = events.iter().find_map(|event| match event {
            Event::Report(report) if report.end == End::Client => Some(&report.loads[0]),
            _ => None,
        });
        report.unwrap().clone()
    }

    #[test]
    fn an_outage_is_reported_with_its_length() {
        not_run::needs_root!();
        hosts("delay=1ms", Family::V4, |hosts| {
            holds(|| {
                let server = hosts.serve("");
                // 1000 datagrams a second.
                let words = format!(
                    "{} -t 3 --no-probe --load udp-stream:rate=8M,size=1000 --json",
                    server.address()
                );
                let client = Client::new(&words).start();
                client.measures(End::Server, 1);
                hosts.testbed.set_down(true).unwrap();
                let down = Instant::now();
                sleep(Duration::from_millis(137));
                hosts.testbed.set_down(false).unwrap();
                let real = down.elapsed().as_nanos() as u64;
                let ended = client.end();
                ended.went_to_its_end();
                let run = ended.document();
                let loss = &run.loads[0].loss[0];
                let outage = loss.outages[0];
                let off = outage.length_ns.abs_diff(real);
                let found = format!("{outage:?}, in truth {real} ns");
                judge(&run, "length of an outage", off <= 3_000_000, found)?;
                assert!(loss.lost >= outage.lost && outage.lost > 0, "{loss:?}");
                Ok(())
            });
        });
    }
}
