//! Causes put into a testbed on purpose: each must be the first finding, and clean runs have none of
//! them. With `NETDYNO_SCORE` set, each case adds a line to that file: `cargo xtask explain-score`.

mod dropped;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::{Child, Command};

use nix::sys::signal::Signal;
use plan::Family;
use record::{Cause, End, Finding, Run};

use crate::client::Client;
use crate::hosts::hosts;
use crate::machine::{holds, others};
use crate::process::{children, eventually, program, tell};

/// A run in which what was put in comes first.
fn first(case: &str, put_in: Cause, run: impl Fn() -> Run) -> Run {
    holds(|| {
        let run = run();
        match comes_first(case, put_in, &run) {
            true => Ok(run),
            false => Err(format!("{case}: {:#?}", run.findings)),
        }
    })
}

/// The same beside a spinner of ours. Where more than that works on the machine, either CPU may be the
/// one that is short.
fn first_beside_a_spinner(case: &str, put_in: Cause, run: impl Fn() -> Run) {
    const OURS: f64 = 1.1;
    holds(|| {
        let run = run();
        if comes_first(case, put_in, &run) {
            return Ok(());
        }
        match others(&run).filter(|others| *others > OURS) {
            Some(others) => {
                let reason = format!("other work took {others:.2} CPUs, the spinner among it");
                not_run::cell(case, reason);
                Ok(())
            }
            None => Err(format!("{case}: {:#?}", run.findings)),
        }
    });
}

/// A run without any other finding. What the hypervisor takes is a cause that nobody put in, and a
/// true one.
fn only(case: &str, expected: Cause, run: impl Fn() -> Run) {
    holds(|| {
        let run = run();
        let stolen = run.findings.iter().find(|one| one.cause == Cause::CpuSteal);
        if stolen.is_some() {
            not_run::cell(case, "the hypervisor took CPU time from it");
            return Ok(());
        }
        match comes_first(case, expected, &run) && run.findings.len() == 1 {
            true => Ok(()),
            false => Err(format!("{case}: {:#?}", run.findings)),
        }
    });
}

/// Whether what came first is what was put in; kept for the score.
fn comes_first(case: &str, put_in: Cause, run: &Run) -> bool {
    let found = run.findings.first();
    let name = found.map_or("nothing", |finding| finding.cause.name());
    if let Some(path) = std::env::var_os("NETDYNO_SCORE") {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .unwrap();
        writeln!(file, "{}\t{name}\t{case}", put_in.name()).unwrap();
    }
    if let Some(found) = found {
        let told = !found.evidence.is_empty() && found.advice.len() <= 96;
        assert!(told, "{found:?}");
    }
    name == put_in.name()
}

/// A run in a testbed with `link`.
fn run(words: &str, link: &str) -> Run {
    let client = Client::new(words);
    match link {
        "" => client.document(),
        link => client.word("--link").word(link).document(),
    }
}

/// What kept the kernel from being traced.
fn untraced(run: &Run) -> Option<&str> {
    let mut doubts = run.doubts.iter();
    let doubt = doubts.find(|doubt| doubt.doubt == "unobserved")?;
    Some(&doubt.evidence)
}

/// Work that keeps a CPU busy, until it is dropped.
struct Spinner(Child);

impl Spinner {
    fn on(cpu: u32) -> Self {
        let mut command = Command::new("taskset");
        command.args(["-c", &cpu.to_string(), "sh", "-c", "while :; do :; done"]);
        sys::child::die_with_parent(&mut command);
        Self(command.spawn().unwrap())
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_small_receive_buffer_on_a_long_path() {
    not_run::needs_namespaces!();
    first("64 kB receive buffer, 20 ms", Cause::ReceiveWindow, || {
        run("-t 2 --no-probe --load stream:rcvbuf=64K", "delay=20ms")
    });
}

#[test]
fn a_small_send_buffer_on_a_long_path() {
    not_run::needs_namespaces!();
    first("64 kB send buffer, 20 ms", Cause::SendBuffer, || {
        run("-t 2 --no-probe --load stream:sndbuf=64K", "delay=20ms")
    });
}

#[test]
fn a_token_bucket_at_the_sender() {
    not_run::needs_namespaces!();
    first("tbf of 50 Mbit/s", Cause::LinkRate, || {
        run(
            "-t 2 --load stream:cc=cubic",
            "qdisc=tbf rate 50mbit burst 64kb latency 20ms",
        )
    });
}

#[test]
fn a_link_of_a_rate() {
    not_run::needs_namespaces!();
    first("link of 50 Mbit/s", Cause::LinkRate, || {
        run("-t 2 --load stream", "rate=50M")
    });
}

#[test]
fn packets_lost_on_the_path() {
    not_run::needs_namespaces!();
    first("1 % lost on the path", Cause::PathLoss, || {
        run(
            "-t 2 --no-probe --load stream:cc=cubic",
            "delay=5ms,loss=0.01",
        )
    });
}

#[test]
fn datagrams_lost_on_the_path() {
    not_run::needs_namespaces!();
    let run = first(
        "5 % of the datagrams lost on the path",
        Cause::PathLoss,
        || {
            run(
                "-t 2 --no-probe --load udp-stream:rate=20M",
                "delay=1ms,loss=0.05",
            )
        },
    );
    let loss = &run.loads[0].loss[0];
    assert!(loss.address.path.unwrap() > loss.lost * 9 / 10, "{loss:?}");
}

#[test]
fn a_pace() {
    not_run::needs_namespaces!();
    first("pace of 50 Mbit/s", Cause::Pacing, || {
        run("-t 2 --no-probe --load stream:pace=50M", "")
    });
}

#[test]
fn an_application_that_writes_a_kilobyte_a_millisecond() {
    not_run::needs_namespaces!();
    first("1 kB a millisecond", Cause::Application, || {
        run("-t 2 --no-probe --load stream:size=1000,rate=8M", "")
    });
}

#[test]
fn a_tiny_receive_buffer_under_a_flood() {
    not_run::needs_namespaces!();
    first(
        "4 kB receive buffer, 400 Mbit/s",
        Cause::ReceiverSocketDrop,
        || run("-t 1 --no-probe --load udp-stream:rcvbuf=4K,rate=400M", ""),
    );
}

#[test]
fn a_receiver_that_stops() {
    not_run::needs_namespaces!();
    let words = "-t 2 --no-probe --load udp-stream:rate=100M,rcvbuf=64K -i 0.1 --json";
    let case = "receiver stopped for 200 ms";
    first(case, Cause::ReceiverSocketDrop, || {
        let running = Client::new(words).start();
        running.measures(End::Client, 3);
        let server = eventually("the server's process", || {
            children(running.pid()).first().copied()
        });
        tell(server, Signal::SIGSTOP);
        std::thread::sleep(std::time::Duration::from_millis(200));
        tell(server, Signal::SIGCONT);
        running.end().document()
    });
}

#[test]
fn a_queue_that_overflows_at_the_sender() {
    not_run::needs_namespaces!();
    let run = first("40 Mbit/s into 20 Mbit/s", Cause::QdiscDrop, || {
        run(
            "-t 2 --no-probe --load udp-stream:rate=40M",
            "rate=20M,qdisc=pfifo limit 50",
        )
    });
    let loss = &run.loads[0].loss[0];
    assert!(
        loss.address.sender_qdisc.unwrap() > loss.lost * 9 / 10,
        "{loss:?}"
    );
}

#[test]
fn bulk_and_probe_in_one_fifo() {
    not_run::needs_namespaces!();
    let run = first("one FIFO at 20 Mbit/s", Cause::HeadOfLine, || {
        run(
            "-t 4 -O 2 --load stream:cc=cubic,sndbuf=4M",
            "rate=20M,qdisc=pfifo limit 500",
        )
    });
    assert!(
        run.findings
            .iter()
            .any(|finding| finding.cause == Cause::LinkRate),
        "{:#?}",
        run.findings
    );
}

mod alone {
    //! Cases that need both CPUs for themselves.

    use super::*;

    #[test]
    fn a_spinner_on_the_receivers_cpu() {
        not_run::needs_namespaces!();
        not_run::needs_program!("taskset");
        let _spinner = Spinner::on(1);
        let case = "spinner on the receiver's CPU";
        first_beside_a_spinner(case, Cause::ReceiverCpu, || {
            run("-t 2 --no-probe --load stream:cpu=0,peer-cpu=1", "")
        });
    }

    #[test]
    fn a_spinner_on_the_senders_cpu() {
        not_run::needs_namespaces!();
        not_run::needs_program!("taskset");
        let _spinner = Spinner::on(0);
        let case = "spinner on the sender's CPU";
        first_beside_a_spinner(case, Cause::SenderCpu, || {
            run("-t 2 --no-probe --load stream:cpu=0,peer-cpu=1", "")
        });
    }

    /// HTB has one lock for all of the device's queues.
    #[test]
    fn one_root_lock_for_senders_on_both_cpus() {
        not_run::needs_root!();
        let shared = || {
            run(
                "-t 2 --no-probe --explain locks --load udp-stream:flows=4,size=64,cpu=0-1",
                "qdisc=htb r2q 1000 default 3",
            )
        };
        if let Some(missing) = untraced(&shared()) {
            return not_run::test(not_run::here!(), missing);
        }
        first(
            "HTB shared by senders on both CPUs",
            Cause::RootLock,
            shared,
        );
    }

    /// Each CPU's packets into queue 0, against a queue for each CPU.
    #[test]
    fn all_flows_steered_to_one_queue() {
        not_run::needs_root!();
        hosts("queues=2", Family::V4, |hosts| {
            let server = hosts.serve("");
            for (maps, collide) in [(["3", "0"], true), (["1", "2"], false)] {
                let device = hosts.testbed.device(End::Client);
                let files = format!("/sys/class/net/{device}/queues");
                // Its own /sys is of this host's namespace.
                let set = maps
                    .into_iter()
                    .enumerate()
                    .map(|(queue, map)| format!("echo {map} > {files}/tx-{queue}/xps_cpus"));
                let script = set.fold("mount -t sysfs sysfs /sys".to_owned(), |all, one| {
                    format!("{all} && {one}")
                });
                let mut command = Command::new("unshare");
                let status = command.args(["-m", "sh", "-c", &script]).status();
                if !status.is_ok_and(|status| status.success()) {
                    return not_run::test(not_run::here!(), "no XPS maps can be set here");
                }
                // The queue of a datagram socket is that of the CPU that greeted; TCP chooses
                // anew when nothing is under way (ooo_okay in net/ipv4/tcp_output.c).
                let words = "-t 1 --no-probe --explain queues --load stream:flows=2,cpu=0 \
                             --load stream:flows=2,cpu=1";
                let steered = || Client::new(&format!("{} {words}", server.address())).document();
                let run = steered();
                if let Some(missing) = untraced(&run) {
                    return not_run::test(not_run::here!(), missing);
                }
                if collide {
                    let case = "four flows in one of two queues";
                    first(case, Cause::QueueCollision, steered);
                } else {
                    let collides = |finding: &Finding| finding.cause == Cause::QueueCollision;
                    assert!(!run.findings.iter().any(collides), "{:#?}", run.findings);
                }
            }
        });
    }

    #[test]
    fn a_cpu_quota() {
        not_run::needs_root!();
        let Some(group) = Quota::of("20000") else {
            return not_run::test(not_run::here!(), "no control group with a CPU quota");
        };
        first("a fifth of a CPU", Cause::CgroupThrottle, || {
            let mut command = Command::new("sh");
            // The shell moves itself, so that everything it becomes is in the group.
            command.args(["-c", "echo $$ > \"$0\"/cgroup.procs; exec \"$@\""]);
            command.arg(&group.0).arg(program());
            sys::child::die_with_parent(&mut command);
            Client::wrapped(command, "run", "-t 2 --no-probe --load stream").document()
        });
    }

    /// The scheduler moves the sender, and its packets overtake each other.
    #[test]
    fn segments_that_were_overtaken_are_not_called_lost() {
        not_run::needs_namespaces!();
        holds(|| {
            let run = run("-t 2 --no-probe --load stream", "");
            let lost = |finding: &Finding| finding.cause == Cause::PathLoss;
            match run.findings.iter().any(lost) {
                true => Err(format!("{:#?}", run.findings)),
                false => Ok(()),
            }
        });
    }

    /// Nothing was put in.
    #[test]
    fn clean_runs_have_no_causes() {
        not_run::needs_namespaces!();
        for (words, link) in [
            ("-t 2 --load udp-stream:rate=10M", ""),
            ("-t 2 --load udp-stream:rate=18M", "rate=20M"),
            ("-t 2 --load probe", ""),
        ] {
            let case = format!("clean: {words} {link}");
            only(&case, Cause::Unlimited, || run(words, link));
        }
        first("clean: requests and replies", Cause::RoundTrip, || {
            run("-t 2 --no-probe --load rr", "")
        });
    }
}

/// A control group of version 1 with so many microseconds of CPU in every 100 ms; removed when
/// dropped.
struct Quota(String);

impl Quota {
    fn of(microseconds: &str) -> Option<Self> {
        let path = format!("/sys/fs/cgroup/cpu/netdyno-{}", std::process::id());
        fs::create_dir(&path).ok()?;
        let group = Self(path);
        fs::write(format!("{}/cpu.cfs_quota_us", group.0), microseconds).ok()?;
        Some(group)
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
