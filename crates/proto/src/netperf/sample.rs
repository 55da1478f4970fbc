//! Values that several tests use.

use proptest::prelude::*;
use units::{Bytes, Nanos};

use super::{CpuUse, Frame, Mark, Opened, Tally};

/// A message of any words but the first two, which are often such that a request may have them.
pub(super) fn any_frame(kind: u32, second: u32) -> impl Strategy<Value = Frame> {
    let word = prop_oneof![20 => 0_u32..8, 1 => Just(u32::MAX), 1 => any::<u32>()];
    prop::collection::vec(word, Frame::LEN / 4 - 2).prop_map(move |words| {
        let mut frame = Frame::new(kind, second);
        for (at, word) in (2..).zip(words) {
            frame.set_word(at, word);
        }
        frame
    })
}

/// What netserver opened for the test of the fixtures.
pub(super) fn opened() -> Opened {
    Opened {
        port: 42733,
        recv_buffer: Some(Bytes::new(131_072)),
        send_buffer: Some(Bytes::new(16384)),
        recv_size: Some(Bytes::new(100)),
        send_size: Some(Bytes::new(200)),
        recv_width: 1,
        send_width: 1,
        nodelay: true,
        cpu_rate: Some(100.0),
        pace: None,
        priority: Mark::Unset,
        tos: Mark::Unset,
    }
}

/// What netserver counted in the test of the fixtures.
pub(super) fn tally() -> Tally {
    Tally {
        bytes_received: Bytes::new(936_100),
        recv_calls: 9361,
        bytes_sent: Bytes::new(1_872_200),
        send_calls: 9361,
        transactions: 9361,
        recv_buffer: Some(Bytes::new(263_336)),
        send_buffer: Some(Bytes::new(4_194_304)),
        elapsed: Nanos::new(1_000_301_003),
        cpu: Some(CpuUse {
            method: CpuUse::PROC_STAT,
            busy_percent: f32::from_bits(0x41fc_3f22),
            user_percent: f32::from_bits(0x3fe5_82cf),
            system_percent: f32::from_bits(0x4148_244a),
            iowait_percent: 0.0,
            irq_percent: 0.0,
            softirq_percent: f32::from_bits(0x4189_d4d2),
            peak_cpu: Some(1),
            peak_percent: f32::from_bits(0x4203_c3c3),
        }),
        cpus: 2,
        retransmits: Some(0),
        congestion: "cubic".into(),
    }
}
