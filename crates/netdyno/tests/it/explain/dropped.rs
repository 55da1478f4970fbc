//! A loss on the path by a program in the kernel: every hundredth packet, wherever it is from.

use aya::maps::Array;
use aya::programs::{SchedClassifier, TcAttachType, tc};
use aya::{Ebpf, include_bytes_aligned};
use plan::Family;
use record::End;

use super::*;

/// Drops on its way into `device` of the calling thread's host, as long as it is kept.
fn dropping(device: &str) -> Result<Ebpf, String> {
    let mut bpf = Ebpf::load(include_bytes_aligned!("../../../../observe/bpf/drop.bpf.o"))
        .map_err(|error| format!("loading: {error:?}"))?;
    let program = bpf.program_mut("drop").unwrap();
    let program: &mut SchedClassifier = program.try_into().unwrap();
    let failed = |error: &dyn std::fmt::Debug| format!("attaching: {error:?}");
    program.load().map_err(|error| failed(&error))?;
    // Where programs stand by themselves (since 6.6) they need no qdisc to hang on.
    let _ = tc::qdisc_add_clsact(device);
    program
        .attach(device, TcAttachType::Ingress)
        .map_err(|error| failed(&error))?;
    Ok(bpf)
}

#[test]
fn every_hundredth_packet_dropped_in_the_kernel_is_a_loss_on_the_path() {
    not_run::needs_root!();
    let here = not_run::here!();
    hosts("delay=5ms", Family::V4, move |hosts| {
        let device = hosts.testbed.device(End::Server);
        let bpf = match hosts.on(End::Server, || dropping(device)) {
            Ok(bpf) => bpf,
            Err(reason) => return not_run::test(here, &reason),
        };
        let server = hosts.serve("");
        let load = "-t 2 --no-probe --load stream:cc=cubic";
        let mut seen = Vec::new();
        for _ in 0..3 {
            let run = Client::new(&format!("{} {load}", server.address())).document();
            let again = run.loads[0].tcp.as_ref().map(|tcp| format!("{tcp:?}"));
            let case = "every hundredth packet dropped by BPF";
            if comes_first(case, Cause::PathLoss, &run) {
                let packets: Array<_, u64> = bpf.map("seen").unwrap().try_into().unwrap();
                assert!(packets.get(&0, 0).unwrap() > 100);
                return;
            }
            seen.push((run.findings.first().map(|finding| finding.cause), again));
        }
        panic!("{seen:?}");
    });
}
