//! Holds the packets of a flow against their headers (`--l2checks`).

use std::sync::Arc;

use proto::iperf2::{PacketFault, packet_fault};
use sys::FrameTap;

use crate::iperf2::meter::Meter;

/// Looks at each packet that brought a datagram.
pub(crate) struct PacketCheck {
    tap: FrameTap,
    buffer: Vec<u8>,
    /// Wrong lengths, wrong checksums, and what is no datagram.
    faults: [u64; 3],
    meter: Arc<Meter>,
}

/// A packet of IP at most.
const LONGEST: usize = 64 << 10;

impl PacketCheck {
    pub fn new(tap: FrameTap, meter: Arc<Meter>) -> Self {
        Self {
            tap,
            buffer: vec![0; LONGEST],
            faults: [0; 3],
            meter,
        }
    }

    /// Looks at those that came since.
    pub fn look(&mut self) {
        let before = self.faults;
        while let Ok(Some(frame)) = self.tap.next(&mut self.buffer) {
            let packet = &self.buffer[..frame.held];
            let fault = packet_fault(packet, frame.length, frame.unsummed);
            let at = match fault {
                None => continue,
                Some(PacketFault::Length) => 0,
                Some(PacketFault::Checksum) => 1,
                Some(PacketFault::Unknown) => 2,
            };
            self.faults[at] += 1;
        }
        if self.faults != before {
            self.meter.faults.set(self.faults);
        }
    }
}
