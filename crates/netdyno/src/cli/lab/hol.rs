//! `netdyno lab hol`.

use clap::Args;
use sim::hol::Hol;
use units::BitRate;

use super::{Form, FormArgs, bits, count, positive};

/// How long an urgent packet waits behind bulk in the device, simulated
#[derive(Debug, Args)]
pub struct HolArgs {
    /// Rate of the link
    #[arg(long, value_name = "RATE", default_value = "100M")]
    rate: BitRate,
    /// Bytes of a bulk packet on the wire
    #[arg(long, value_name = "BYTES", default_value_t = 1538)]
    packet: u64,
    /// Descriptors of the transmit ring
    #[arg(long, value_name = "N", default_value_t = 256)]
    ring: usize,
    /// Descriptors that a bulk packet takes
    #[arg(long, value_name = "N", default_value_t = 1)]
    descriptors: usize,
    /// Bulk flows
    #[arg(long, value_name = "N", default_value_t = 20)]
    flows: usize,
    /// Segments that a bulk packet is cut into after the qdisc
    #[arg(long, value_name = "N", default_value_t = 1)]
    gso: usize,
    /// Packets that a flow may have below it
    #[arg(long, value_name = "N", default_value_t = 64)]
    flow_packets: usize,
    /// Nanoseconds between two looks of the driver at what was sent
    #[arg(
        long,
        value_name = "NS",
        default_value_t = 250_000.0,
        allow_negative_numbers = true
    )]
    completion: f64,
    /// Byte queue limits
    #[arg(long)]
    bql: bool,
    /// The urgent packet waits in the qdisc like any other
    #[arg(long)]
    no_priority: bool,
    /// Urgent packets
    #[arg(long, value_name = "N", default_value_t = 400)]
    probes: usize,
    /// The same seed gives the same events
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    form: FormArgs,
}

/// Urgent packets behind bulk.
#[derive(Debug, Clone, PartialEq)]
pub struct HolRequest {
    /// What is simulated.
    pub hol: Hol,
    /// How to show it.
    pub form: Form,
}

impl HolArgs {
    pub(super) fn request(self) -> Result<HolRequest, String> {
        let rate = bits("--rate", self.rate)?;
        if !(64..=65_536).contains(&self.packet) {
            return Err(format!(
                "--packet: {} is not between 64 and 65536",
                self.packet
            ));
        }
        let ring = count("--ring", self.ring, 1 << 16)?;
        Ok(HolRequest {
            hol: Hol {
                rate,
                packet_bytes: self.packet,
                ring: ring as u64,
                descriptors: count("--descriptors", self.descriptors, ring)? as u64,
                gso: count("--gso", self.gso, 64)? as u64,
                flows: count("--flows", self.flows, 1 << 16)? as u64,
                flow_packets: count("--flow-packets", self.flow_packets, 1 << 16)? as u64,
                completion_ns: positive("--completion", self.completion)?,
                bql: self.bql,
                priority: !self.no_priority,
                probes: count("--probes", self.probes, 100_000)? as u64,
                seed: self.seed,
            },
            form: self.form.form(),
        })
    }
}
