//! Transmit queues: who uses them, and how long packets wait for the driver.

use aya::maps::{HashMap, MapError};
use aya::{Btf, include_bytes_aligned};
use record::Rows;

use super::{Programs, buckets};
use crate::sampler::Source;
use crate::source::Unreadable;

/// struct queue of queues.bpf.c: name of the device, number.
type Queue = [u8; 24];
/// struct waits, in 64-bit words: waits, their time, the longest, packets, bytes, buckets.
type Waits = [u64; 5 + 32];
/// struct from: name of the device, number of the queue, handle of the qdisc.
type From = [u8; 24];
/// struct batches, in 64-bit words: batches, packets, the largest, those without a packet, buckets.
type Batches = [u64; 4 + 32];
/// struct flow: queue, CPU, local port, remote port in network order.
type Flow = [u8; 32];

pub(crate) struct Queues(Programs);

impl Queues {
    pub fn open(btf: Option<&Btf>) -> Result<Option<Self>, Unreadable> {
        let object = include_bytes_aligned!("../../bpf/queues.bpf.o");
        let mut programs = Programs::load("queues", btf, object)?;
        programs.attach("transmit", "net_dev_start_xmit")?;
        programs.attach("queue", "net_dev_queue")?;
        programs.attach("dequeue", "qdisc_dequeue")?;
        Ok(Some(Self(programs)))
    }
}

/// `eth0 tx-3`.
fn of_queue(queue: &[u8]) -> String {
    let device = queue[..16].split(|b| *b == 0).next().unwrap_or_default();
    let number = queue[16..]
        .first_chunk()
        .map_or(0, |b| u32::from_ne_bytes(*b));
    format!("{} tx-{number}", String::from_utf8_lossy(device))
}

/// `eth0 8001: tx-3`; a qdisc that nobody named has no handle.
fn of_qdisc(from: &From) -> String {
    let queue = of_queue(from);
    let handle = from[20..]
        .first_chunk()
        .map_or(0, |b| u32::from_ne_bytes(*b))
        >> 16;
    match queue.split_once(' ').filter(|_| handle != 0) {
        Some((device, queue)) => format!("{device} {handle:x}: {queue}"),
        None => queue,
    }
}

/// `port 40000 to 12866 on cpu1`.
fn of_flow(flow: &Flow) -> String {
    let cpu = flow[24..]
        .first_chunk()
        .map_or(0, |b| u32::from_ne_bytes(*b));
    let local = u16::from_ne_bytes([flow[28], flow[29]]);
    let remote = u16::from_be_bytes([flow[30], flow[31]]);
    format!("port {local} to {remote} on cpu{cpu}")
}

impl Source for Queues {
    fn read(&mut self, rows: &mut Rows) -> Result<Option<()>, Unreadable> {
        let Self(programs) = self;
        programs.rows(&["no_room"], rows)?;
        let trouble = |error: MapError| programs.trouble(&error);
        let queues: HashMap<_, Queue, Waits> =
            programs.map("queues")?.try_into().map_err(trouble)?;
        for (queue, waits) in queues.iter().flatten() {
            let label = of_queue(&queue);
            let names = ["waits", "wait_ns", "longest_ns", "packets", "bytes"];
            for (name, value) in names.into_iter().zip(waits) {
                rows.set("txq", &label, name, value);
            }
            buckets(rows, "txq", &label, &waits[names.len()..]);
        }
        let flows: HashMap<_, Flow, u64> = programs.map("flows")?.try_into().map_err(trouble)?;
        for (flow, packets) in flows.iter().flatten() {
            rows.set("txq_flow", &of_queue(&flow), &of_flow(&flow), packets);
        }
        let dequeued: HashMap<_, From, Batches> =
            programs.map("dequeued")?.try_into().map_err(trouble)?;
        for (from, batches) in dequeued.iter().flatten() {
            let label = of_qdisc(&from);
            let names = ["batches", "packets", "largest_packets", "empty"];
            for (name, value) in names.into_iter().zip(batches) {
                rows.set("dequeue", &label, name, value);
            }
            let counts = batches[names.len()..].iter().enumerate();
            for (bits, count) in counts.filter(|(_, count)| **count > 0) {
                let name = format!("batches_from_{}_packets", 1_u64 << bits);
                rows.set("dequeue", &label, &name, *count);
            }
        }
        Ok(Some(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qdisc_is_named_by_its_device_handle_and_queue() {
        let mut from = [0; 24];
        from[..5].copy_from_slice(b"veth0");
        from[16] = 1;
        assert_eq!(of_qdisc(&from), "veth0 tx-1");
        from[20..].copy_from_slice(&0x8001_0000_u32.to_ne_bytes());
        assert_eq!(of_qdisc(&from), "veth0 8001: tx-1");
    }

    #[test]
    fn a_flow_is_named_by_its_ports_and_cpu() {
        let mut flow = [0; 32];
        flow[..5].copy_from_slice(b"veth0");
        flow[16] = 2;
        flow[24] = 1;
        flow[28..30].copy_from_slice(&40_000_u16.to_ne_bytes());
        flow[30..32].copy_from_slice(&12_866_u16.to_be_bytes());
        assert_eq!(of_flow(&flow), "port 40000 to 12866 on cpu1");
        assert_eq!(of_queue(&flow), "veth0 tx-2");
    }
}
