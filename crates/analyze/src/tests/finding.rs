//! Findings: each cause from the rows that prove it, and none from a clean run.

use plan::{Family, Link, Path};
use record::{Cause, End, HostObserved, LossAddress, Rows, Run, TcpSummary};
use units::{BitRate, Bytes};

use super::run;
use crate::{findings, samples};

/// A stream that had data for all its two seconds and was held by nothing known.
fn stream() -> Run {
    let mut run = run(&samples::tcp_stream());
    let tcp = run.loads[0].tcp.as_mut().unwrap().client.as_mut().unwrap();
    *tcp = TcpSummary {
        flows: 1,
        congestion_control: Some("cubic".to_owned()),
        rtt_us: Some(20_000),
        min_rtt_us: Some(19_900),
        cwnd_segments: Some(40),
        mss_bytes: Some(1448),
        retransmits: Some(0),
        busy_us: Some(3_000_000),
        rwnd_limited_us: Some(0),
        sndbuf_limited_us: Some(0),
        ..TcpSummary::default()
    };
    run.loads[0].directions[0].retransmits = Some(0);
    run.latency_under_load = None;
    observe(&mut run, |_| {});
    run
}

fn datagrams() -> Run {
    let mut run = run(&samples::udp_with_loss());
    observe(&mut run, |_| {});
    run
}

/// Both hosts with rows of an idle machine of two CPUs, changed by `change` at the client.
fn observe(run: &mut Run, change: impl Fn(&mut Rows)) {
    let name = run.loads[0].name.clone();
    let host = |change: &dyn Fn(&mut Rows)| {
        let mut rows = Rows::default();
        for cpu in ["cpu0", "cpu1"] {
            rows.set("cpu", cpu, "idle_ns", 2_700_000_000);
            rows.set("cpu", cpu, "system_ns", 300_000_000);
        }
        let thread = format!("{name}-0/7");
        rows.set("thread", &thread, "run_ns", 300_000_000);
        rows.set("thread", &thread, "wait_ns", 1_000_000);
        rows.set("thread", &thread, "migrations", 1);
        change(&mut rows);
        Some(HostObserved {
            seconds: Some(3.0),
            counted: rows,
            ..HostObserved::default()
        })
    };
    run.hosts_observed.client = host(&change);
    run.hosts_observed.server = host(&|_| {});
}

fn at_server(run: &mut Run, source: &str, label: &str, name: &str, value: u64) {
    let host = run.hosts_observed.server.as_mut().unwrap();
    host.counted.set(source, label, name, value);
}

fn client(run: &mut Run) -> &mut TcpSummary {
    run.loads[0].tcp.as_mut().unwrap().client.as_mut().unwrap()
}

#[track_caller]
fn causes(run: &Run) -> Vec<Cause> {
    let found = findings(run);
    for finding in &found {
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        assert!(finding.advice.len() <= 96, "{}", finding.advice);
        assert!((0.0..=1.0).contains(&finding.explains), "{finding:?}");
    }
    found.into_iter().map(|finding| finding.cause).collect()
}

#[test]
fn nothing_but_the_congestion_window_held_it() {
    assert_eq!(causes(&stream()), [Cause::CongestionWindow]);
}

#[test]
fn the_receivers_window_and_the_send_buffer() {
    let mut run = stream();
    client(&mut run).rwnd_limited_us = Some(1_400_000);
    assert_eq!(causes(&run), [Cause::ReceiveWindow]);
    let mut run = stream();
    client(&mut run).sndbuf_limited_us = Some(1_000_000);
    assert_eq!(causes(&run), [Cause::SendBuffer]);
}

#[test]
fn two_causes_give_two_findings_in_the_order_of_what_they_explain() {
    let mut run = stream();
    client(&mut run).rwnd_limited_us = Some(600_000);
    client(&mut run).sndbuf_limited_us = Some(2_400_000);
    assert_eq!(causes(&run), [Cause::SendBuffer, Cause::ReceiveWindow]);
    let found = findings(&run);
    assert!((found[0].explains - 0.8).abs() < 1e-9, "{found:?}");
    assert!((found[1].explains - 0.2).abs() < 1e-9, "{found:?}");
}

#[test]
fn a_window_closed_by_a_reader_without_cpu_is_the_cpus_fault() {
    let mut run = stream();
    client(&mut run).rwnd_limited_us = Some(2_700_000);
    let thread = format!("{}-0/7", run.loads[0].name);
    at_server(&mut run, "thread", &thread, "run_ns", 1_500_000_000);
    at_server(&mut run, "thread", &thread, "wait_ns", 1_450_000_000);
    assert_eq!(causes(&run)[0], Cause::ReceiverCpu);
    // A window that the user made small is what keeps the reader busy.
    run.plan.loads[0].socket.rcvbuf = Some(Bytes::new(4096));
    assert_eq!(
        causes(&run)[..2],
        [Cause::ReceiveWindow, Cause::ReceiverCpu]
    );
}

#[test]
fn a_busy_sending_thread() {
    let mut run = stream();
    let thread = format!("{}-0/7", run.loads[0].name);
    observe(&mut run, |rows| {
        rows.set("thread", &thread, "run_ns", 2_950_000_000)
    });
    assert_eq!(causes(&run)[0], Cause::SenderCpu);
    // A control group that stops the thread is why it got no more.
    observe(&mut run, |rows| {
        rows.set("thread", &thread, "run_ns", 2_950_000_000);
        rows.set("cgroup", "/lab", "throttled_us", 400_000);
    });
    assert_eq!(causes(&run)[..2], [Cause::CgroupThrottle, Cause::SenderCpu]);
}

#[test]
fn losses_that_no_queue_of_these_hosts_owns_up_to() {
    let mut run = stream();
    run.loads[0].directions[0].retransmits = Some(4_000);
    client(&mut run).retransmits = Some(4_000);
    assert_eq!(causes(&run)[0], Cause::PathLoss);
    observe(&mut run, |rows| {
        rows.set("qdisc", "eth0 pfifo 1: root", "drops", 4_000);
        rows.set("qdisc", "eth0 pfifo 1: root", "packets", 200_000);
    });
    let found = causes(&run);
    assert_eq!(found[0], Cause::QdiscDrop);
    assert!(!found.contains(&Cause::PathLoss), "{found:?}");
}

#[test]
fn segments_that_the_receiver_had_already_are_no_loss() {
    let mut run = stream();
    run.loads[0].directions[0].retransmits = Some(4_000);
    client(&mut run).retransmits = Some(4_000);
    observe(&mut run, |rows| {
        rows.set("netstat", "TcpExt", "TCPDSACKRecvSegs", 3_990);
    });
    let found = causes(&run);
    assert!(!found.contains(&Cause::PathLoss), "{found:?}");
    assert!(found.contains(&Cause::Reordering), "{found:?}");
}

#[test]
fn what_was_asked_for_is_the_limit() {
    let mut run = stream();
    let rate = run.loads[0].received.unwrap().bits_per_second.unwrap() as u64;
    run.plan.loads[0].pace = Some(BitRate::new(rate));
    assert_eq!(causes(&run), [Cause::Pacing]);
    run.plan.loads[0].pace = None;
    run.plan.loads[0].rate = Some(BitRate::new(rate));
    assert_eq!(causes(&run), [Cause::Application]);
}

#[test]
fn a_full_link_and_a_shaper() {
    let mut run = stream();
    let rate = run.loads[0].received.unwrap().bits_per_second.unwrap() as u64;
    run.plan.path = Path::Testbed {
        link: Link {
            rate: Some(BitRate::new(rate * 100 / 95)),
            ..Link::default()
        },
        family: Family::V4,
    };
    assert_eq!(causes(&run), [Cause::LinkRate]);
    let mut run = stream();
    observe(&mut run, |rows| {
        rows.set("qdisc", "eth0 tbf 1: root", "overlimits", 90_000);
        rows.set("qdisc", "eth0 tbf 1: root", "packets", 200_000);
    });
    let host = run.hosts_observed.client.as_mut().unwrap();
    host.highest
        .set("qdisc", "eth0 tbf 1: root", "backlog_bytes", 50_000);
    assert_eq!(causes(&run), [Cause::LinkRate]);
}

#[test]
fn drops_of_a_shaper_that_never_runs_empty_come_after_its_rate() {
    let mut run = stream();
    run.loads[0].directions[0].retransmits = Some(50);
    client(&mut run).retransmits = Some(50);
    let tbf = "eth0 tbf 1: root";
    observe(&mut run, |rows| {
        rows.set("qdisc", tbf, "overlimits", 199_000);
        rows.set("qdisc", tbf, "packets", 200_000);
        rows.set("qdisc", tbf, "drops", 50);
    });
    let host = run.hosts_observed.client.as_mut().unwrap();
    host.highest.set("qdisc", tbf, "backlog_bytes", 50_000);
    assert_eq!(causes(&run)[..2], [Cause::LinkRate, Cause::QdiscDrop]);
}

#[test]
fn lost_datagrams_are_found_where_they_were_lost() {
    type Part = fn(&mut LossAddress) -> &mut Option<u64>;
    let places: [(Cause, Part); 7] = [
        (Cause::SendBuffer, |of| &mut of.sender_socket),
        (Cause::QdiscDrop, |of| &mut of.sender_qdisc),
        (Cause::InterfaceDrop, |of| &mut of.sender_interface),
        (Cause::PathLoss, |of| &mut of.path),
        (Cause::InterfaceDrop, |of| &mut of.receiver_interface),
        (Cause::SoftnetDrop, |of| &mut of.receiver_softnet),
        (Cause::ReceiverSocketDrop, |of| &mut of.receiver_socket),
    ];
    for (cause, place) in places {
        let mut run = datagrams();
        let loss = &mut run.loads[0].loss[0];
        loss.address = LossAddress::default();
        *place(&mut loss.address) = Some(loss.lost - 4);
        loss.address.unaccounted = 4;
        assert_eq!(causes(&run), [cause, Cause::Unaccounted]);
    }
}

/// 37 % were lost at the socket, and three causes that explain more of the time hid it.
#[test]
fn where_datagrams_of_a_flood_were_lost_is_among_the_first_three() {
    let mut run = datagrams();
    run.plan.loads[0].rate = None;
    run.loads[0].granted = Default::default();
    let loss = &mut run.loads[0].loss[0];
    loss.lost_share = Some(0.05);
    loss.address = LossAddress::default();
    loss.address.receiver_socket = Some(loss.lost);
    observe(&mut run, |rows| {
        rows.set("thread", "udp-stream-0/7", "run_ns", 2_000_000_000);
        rows.set("thread", "udp-stream-0/7", "wait_ns", 1_000_000_000);
        rows.set("cpu", "cpu0", "steal_ns", 1_000_000_000);
    });
    let found = findings(&run);
    let at = found
        .iter()
        .position(|finding| finding.cause == Cause::ReceiverSocketDrop)
        .unwrap();
    assert!(at < 3, "{:?}", causes(&run));
    assert_eq!(found[at].explains, 1.0, "the share of the loss");
}

/// A reader that had small pieces to read was 86 % busy, and hid the spinner on the sender's CPU.
#[test]
fn a_sender_kept_from_its_cpu_comes_before_a_receiver_that_is_busy() {
    let mut run = stream();
    let name = run.loads[0].name.clone();
    let thread = format!("{name}-0/7");
    let mut worker = |end: End, ran: u64, waited: u64| {
        let host = match end {
            End::Client => run.hosts_observed.client.as_mut(),
            End::Server => run.hosts_observed.server.as_mut(),
        };
        let rows = &mut host.unwrap().counted;
        rows.set("thread", &thread, "run_ns", ran);
        rows.set("thread", &thread, "wait_ns", waited);
    };
    worker(End::Client, 1_200_000_000, 990_000_000);
    worker(End::Server, 2_450_000_000, 130_000_000);
    let causes = causes(&run);
    assert_eq!(causes[0], Cause::SenderCpu);
    assert!(causes[1..].contains(&Cause::ReceiverCpu), "{causes:?}");
}

/// A link that was down for a second was told as reordering and a lack of CPU.
#[test]
fn a_time_in_which_nothing_came_is_the_first_finding() {
    let mut run = stream();
    let measured = run
        .intervals
        .iter_mut()
        .filter(|interval| interval.end == End::Server && interval.phase == record::Phase::Measure);
    let silent = measured.last().unwrap();
    let (from, to) = (silent.from_ns, silent.to_ns);
    for load in &mut silent.loads {
        load.counters.received_bytes = 0;
    }
    let found = &findings(&run)[0];
    assert_eq!(found.cause, Cause::Interruption);
    let seconds = (to - from) as f64 / 1e9;
    assert!((found.evidence[0].value - seconds).abs() < 1e-9);
    assert_eq!(found.evidence.len(), 1);
    let server = run.hosts_observed.server.as_mut().unwrap();
    server.counted.set("carrier", "eth0", "changes", 2);
    let found = &findings(&run)[0];
    assert_eq!(found.evidence[1].row, "carrier.changes");
    assert_eq!(found.evidence[1].end, Some(End::Server));
    // A load that was to end by itself had perhaps ended.
    run.plan.loads[0].stop = plan::Stop::Bytes {
        bytes: Bytes::new(1),
    };
    assert_ne!(findings(&run)[0].cause, Cause::Interruption);
}

#[test]
fn datagrams_that_all_came_are_no_limit() {
    let mut run = datagrams();
    let received = &mut run.loads[0].directions[0].received;
    let rate = received.unwrap().bits_per_second.unwrap();
    run.plan.loads[0].rate = Some(BitRate::new(rate as u64));
    run.loads[0].granted = Default::default();
    run.loads[0].loss[0].lost_share = Some(0.0);
    assert_eq!(causes(&run), [Cause::Unlimited]);
}

#[test]
fn without_rows_nothing_can_be_told_and_what_is_missing_is_said() {
    let mut run = stream();
    run.loads[0].tcp = None;
    run.hosts_observed = Default::default();
    run.cost = Default::default();
    let found = findings(&run);
    assert_eq!(found[0].cause, Cause::CannotTell);
    let missing: Vec<_> = found[0].evidence.iter().map(|row| row.end).collect();
    assert_eq!(missing, [Some(End::Client), Some(End::Server)]);
}

#[test]
fn steal_and_soft_interrupts_on_one_cpu() {
    let mut run = stream();
    observe(&mut run, |rows| {
        rows.set("cpu", "cpu0", "steal_ns", 900_000_000);
        rows.set("cpu", "cpu0", "softirq_ns", 2_600_000_000);
        rows.set("cpu", "cpu0", "idle_ns", 0);
        rows.set("cpu", "cpu1", "softirq_ns", 1_000_000);
    });
    let found = causes(&run);
    assert!(found.contains(&Cause::CpuSteal), "{found:?}");
    assert!(found.contains(&Cause::SoftirqOneCpu), "{found:?}");
}

#[test]
fn the_root_lock_says_why_the_senders_cpu_was_busy() {
    let mut run = stream();
    let thread = format!("{}-0/7", run.loads[0].name);
    observe(&mut run, |rows| {
        rows.set("thread", &thread, "run_ns", 2_950_000_000);
        let lock = "eth0 root lock 1: txq-0";
        rows.set("lock", lock, "wait_ns", 600_000_000);
        rows.set("lock", lock, "waits", 300_000);
        rows.set("lock", "in do_futex", "wait_ns", 900_000_000);
    });
    assert_eq!(causes(&run)[..2], [Cause::RootLock, Cause::SenderCpu]);
}

#[test]
fn flows_that_share_a_queue_while_another_is_idle() {
    let mut run = stream();
    let queues = |run: &mut Run, second: u64| {
        observe(run, |rows| {
            rows.set("txq", "eth0 tx-0", "packets", 90_000);
            rows.set("txq", "eth0 tx-1", "packets", second);
            for port in ["40000", "40001"] {
                let flow = format!("port {port} to 12866 on cpu0");
                rows.set("txq_flow", "eth0 tx-0", &flow, 45_000);
            }
        });
    };
    let environment = &mut run.hosts.client.environment;
    environment.insert("queues.tx".to_owned(), "2".to_owned());
    queues(&mut run, 20);
    assert_eq!(causes(&run)[0], Cause::QueueCollision);
    // Both in use: no collision, whoever is where.
    queues(&mut run, 80_000);
    assert!(!causes(&run).contains(&Cause::QueueCollision));
}
