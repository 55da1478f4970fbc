//! iperf 2's bytes under fuzz.

use proto::Parse;
use proto::iperf2::{
    Ack, Amount, BounceMessage, BurstHeader, DatagramHeader, Extended, FirstDatagram, FrameBlock,
    FrameSettings, Mode, Opening, PermitKey, Reception, ReportLayout, ServerReport, Shape, Stamp,
    TestHeader, UpperFlags, Version, digits,
};
use units::{Bytes, Nanos};

use crate::Seed;

/// Reads a connection's beginning byte by byte: nothing is asked for that is not needed, an answer
/// comes within bounds, and what was read of a header says the same when it is written again.
pub fn iperf2_opening(data: &[u8]) {
    let mut wanted = 4;
    for length in 0..=data.len().min(Opening::MOST) {
        let bytes = &data[..length];
        match Opening::parse(bytes) {
            Parse::Incomplete => {
                let more = Opening::wanted(bytes);
                assert!(more > length && more <= Opening::MOST, "{length}: {more}");
                wanted = more;
            }
            Parse::Complete(opening) => {
                assert!(length <= wanted, "{length} after {wanted}");
                if let Opening::Test(header, taken) = opening {
                    assert!(taken <= length);
                    again(&header);
                } else if opening == Opening::Bounceback {
                    bounce(data);
                }
                return;
            }
        }
    }
    assert!(data.len() < Opening::MOST, "no answer");
}

fn again(header: &TestHeader) {
    let bytes = header.encode();
    if header.extended.is_none() {
        return;
    }
    if let Parse::Complete(Opening::Test(read, taken)) = Opening::parse(&bytes) {
        assert_eq!(taken, bytes.len());
        assert_eq!((read.mode, read.amount), (header.mode, header.amount));
        assert_eq!(read.key, header.key);
        assert_eq!(read.encode(), bytes);
    }
}

fn bounce(data: &[u8]) {
    let message = BounceMessage::read(data);
    let length = message.reply_len();
    assert!((BounceMessage::LEAST..=BounceMessage::MOST).contains(&length));
    let mut reply = [0; BounceMessage::LEAST];
    message.write(&mut reply);
    let read = BounceMessage::read(&reply);
    assert_eq!(read.server_times(), message.server_times());
}

/// Reads datagrams that a server gets, cut from one input: what begins a flow, and what its
/// receiver makes of the rest.
pub fn iperf2_datagram(data: &[u8]) {
    let _ = proto::iperf2::packet_fault(data, data.len(), false);
    let Some((size, data)) = data.split_first() else {
        return;
    };
    let mut datagrams = data.chunks(usize::from(*size).max(1));
    let Some(first) = datagrams.next() else {
        return;
    };
    let Some(flow) = FirstDatagram::parse(first) else {
        return;
    };
    assert!(flow.front.id >= 0);
    let mut reception = Reception::default();
    let mut taken = 0;
    for (number, datagram) in std::iter::once(first).chain(datagrams).enumerate() {
        let Some(header) = DatagramHeader::parse(datagram, flow.shape) else {
            continue;
        };
        reception.take(header, datagram.len(), number as i64 * 1000);
        taken += 1;
        let _ = FrameBlock::read(datagram, false);
        let _ = BurstHeader::read(datagram).rest();
    }
    assert_eq!(reception.received, taken);
    assert!(reception.lost() <= reception.skipped && reception.highest >= 0);
    let mut report = [0; ServerReport::LEN];
    let made = reception.report(1000);
    made.write(&mut report, ReportLayout::for_shape(flow.shape), true);
    let (read, layout) = ServerReport::parse(&report).expect("a report");
    assert_eq!(layout, ReportLayout::for_shape(flow.shape));
    assert_eq!(read.bytes, made.bytes);
}

/// Reads what a client gets: an ack in a stream, an ack or a report in a datagram.
pub fn iperf2_reply(data: &[u8]) {
    if let Parse::Complete(Some((ack, taken))) = Ack::parse(data) {
        assert!(taken <= data.len());
        let bytes = ack.encode();
        assert_eq!(bytes.len(), taken);
        assert_eq!(Ack::parse(&bytes), Parse::Complete(Some((ack, taken))));
    }
    if let Some((report, layout)) = ServerReport::parse(data) {
        let mut again = vec![0; ServerReport::LEN];
        report.write(&mut again, layout, true);
        let (read, _) = ServerReport::parse(&again).expect("a report");
        assert_eq!(
            (read.bytes, read.extension.is_some()),
            (report.bytes, report.extension.is_some())
        );
    }
}

fn header(mode: Mode, upper: UpperFlags) -> TestHeader {
    TestHeader {
        mode,
        extended: Some(Extended {
            upper,
            version: Version::SPOKEN,
            rate: Some(1 << 20),
            frames: FrameSettings {
                per_second: 50.0,
                mean: 4e6,
                deviation: 1e5,
                gap_ms: 0.005,
            },
            ..Extended::default()
        }),
        ..TestHeader::new(5001, Amount::Time(Nanos::from_secs(10)))
    }
}

/// The inputs that the corpora begin with.
pub(crate) fn seeds() -> Vec<Seed> {
    [openings(), datagrams(), replies()].concat()
}

fn seed(target: &'static str, name: &str, data: Vec<u8>) -> Seed {
    Seed {
        target,
        name: name.to_owned(),
        data,
    }
}

fn openings() -> Vec<Seed> {
    let upper = UpperFlags::from_bits;
    let with_key = TestHeader {
        key: PermitKey::new(b"abcdef"),
        ..header(Mode::Forward, UpperFlags::NONE)
    };
    let legacy = TestHeader {
        mode: Mode::Dual,
        ..TestHeader::new(5001, Amount::Bytes(Bytes::new(1 << 20)))
    };
    let mut longest = vec![0xff; Opening::MOST];
    longest[1] = 0x7f;
    let mut cookie = b"abcdefghijklmnopqrstuvwxyz234567abcd".to_vec();
    cookie.push(0);
    let mut bounce = vec![0x5a; 100];
    BounceMessage::request(100, 1, Default::default(), Stamp::default()).write(&mut bounce);
    [
        ("plain", header(Mode::Forward, UpperFlags::NONE).encode()),
        ("dual", header(Mode::Dual, UpperFlags::NONE).encode()),
        (
            "tradeoff",
            header(Mode::Tradeoff, UpperFlags::NONE).encode(),
        ),
        (
            "reverse-trip-times",
            header(Mode::Reverse, upper(0x10)).encode(),
        ),
        (
            "full-duplex-frames",
            header(Mode::FullDuplex, upper(0x01)).encode(),
        ),
        ("bursts", header(Mode::Forward, upper(0x2000)).encode()),
        ("key", with_key.encode()),
        ("legacy-dual", legacy.encode()),
        ("digits", digits(60)),
        ("iperf3", cookie),
        ("bounceback", bounce),
        ("longest", longest),
    ]
    .map(|(name, data)| seed("iperf2_opening", name, data))
    .to_vec()
}

fn datagrams() -> Vec<Seed> {
    let flow = |shape: Shape, ids: &[i64], size: u8| {
        let mut data = vec![size];
        for id in ids {
            let mut datagram = digits(size.into());
            let sent = Stamp::from_micros(1_796_054_800_000_000);
            DatagramHeader { id: *id, sent }.write(&mut datagram);
            match shape {
                Shape::Modern => {
                    header(Mode::Forward, UpperFlags::NONE).write_datagram(&mut datagram)
                }
                Shape::Legacy => datagram[12..36].fill(0),
                Shape::Middle => datagram[12..20].copy_from_slice(b"2345\0\0\0\0"),
            }
            data.extend(datagram);
        }
        data
    };
    let ends = [1, i64::MAX, i64::MIN, 0, -1];
    let mut small = flow(Shape::Modern, &[1, 2, -3], 20);
    small[17..19].copy_from_slice(&[0, 2]);
    [
        ("in-order", flow(Shape::Modern, &[1, 2, 3, -4], 200)),
        (
            "lost-late-twice",
            flow(Shape::Modern, &[1, 2, 5, 4, 6, 6, -7], 200),
        ),
        ("first-lost", flow(Shape::Modern, &[5, 6, -7], 100)),
        ("end-first", flow(Shape::Modern, &[-7, 1], 100)),
        ("ends-of-numbers", flow(Shape::Modern, &ends, 160)),
        ("legacy", flow(Shape::Legacy, &[0, 1, 2, -2], 60)),
        ("middle", flow(Shape::Middle, &[0, 1, 2], 60)),
        ("small-trip-times", small),
        ("twelve-bytes", flow(Shape::Modern, &[1, 2, 3], 12)),
        ("crumbs", vec![7; 64]),
    ]
    .map(|(name, data)| seed("iperf2_datagram", name, data))
    .to_vec()
}

fn replies() -> Vec<Seed> {
    let ack = |times| {
        Ack {
            version: Version::SPOKEN,
            times,
        }
        .encode()
    };
    let at = Stamp::from_micros(1_796_054_800_000_000);
    let times = proto::iperf2::AckTimes {
        start: at,
        accepted: at,
        sent: at,
    };
    let report = |layout, holds| {
        let mut datagram = vec![0; 1470];
        let mut reception = Reception::default();
        for id in [1, 2, 4, -5] {
            reception.take(DatagramHeader { id, sent: at }, 1470, at.as_micros() + id);
        }
        reception
            .report(1_000_000)
            .write(&mut datagram, layout, holds);
        datagram
    };
    let modern = report(ReportLayout::Modern, true);
    [
        ("ack", ack(None)),
        ("ack-with-times", ack(Some(times))),
        ("ack-and-data", [ack(None), digits(100)].concat()),
        ("half-an-ack", ack(None)[..14].to_vec()),
        ("report", modern.clone()),
        ("report-128", modern[..128].to_vec()),
        ("report-cut", modern[..60].to_vec()),
        ("report-plain", report(ReportLayout::Modern, false)),
        ("report-legacy", report(ReportLayout::Legacy, false)),
        ("digits", digits(128)),
        ("zeros", vec![0; 1470]),
        ("ones", vec![0xff; 128]),
    ]
    .map(|(name, data)| seed("iperf2_reply", name, data))
    .to_vec()
}
