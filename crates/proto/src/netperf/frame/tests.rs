use proptest::prelude::*;

use super::*;

#[test]
fn words_are_in_network_order() {
    let frame = Frame::new(97, u32::MAX);
    let mut expected = [0; Frame::LEN];
    expected[..8].copy_from_slice(&[0, 0, 0, 97, 255, 255, 255, 255]);
    assert_eq!(frame.as_bytes(), &expected);
    assert_eq!(Frame::of(expected), frame);
    assert_eq!((frame.kind(), frame.errno()), (97, u32::MAX));
}

#[test]
fn the_last_word_has_a_place() {
    let mut frame = Frame::new(0, 0);
    frame.set_word(163, 0x0102_0304);
    assert_eq!(frame.word(163), 0x0102_0304);
    assert_eq!(frame.as_bytes()[652..], [1, 2, 3, 4]);
}

#[test]
fn no_negative_number_is_a_cpu() {
    for (second, cpu) in [
        (0, Some(0)),
        (63, Some(63)),
        (i32::MAX as u32, Some(i32::MAX as u32)),
        (i32::MIN as u32, None),
        (u32::MAX, None),
    ] {
        assert_eq!(Frame::new(97, second).cpu(), cpu, "{second}");
    }
}

#[test]
fn what_is_shown_leaves_zeros_out() {
    let mut frame = Frame::new(97, 1);
    frame.set_word(163, 5);
    let shown = format!("{frame:?}");
    assert_eq!(
        shown,
        "  0: 00000061 00000001 00000000 00000000\n640: 00000000 00000000 00000000 00000005\n"
    );
}

#[test]
fn a_message_is_whole_with_its_last_byte() {
    let frame = Frame::new(97, 3);
    let mut reader = FrameReader::default();
    reader.feed(&frame.as_bytes()[..Frame::LEN - 1]);
    assert_eq!(reader.pop(), None);
    assert_eq!(reader.held(), Frame::LEN - 1);
    reader.feed(&frame.as_bytes()[Frame::LEN - 1..]);
    assert_eq!(reader.pop(), Some(frame));
    assert_eq!(reader.held(), 0);
    assert_eq!(reader.pop(), None);
}

#[test]
fn a_long_stream_leaves_no_long_buffer_behind() {
    let mut reader = FrameReader::default();
    reader.feed(&[7; 100 * Frame::LEN]);
    assert_eq!(std::iter::from_fn(|| reader.pop()).count(), 100);
    reader.feed(&[1]);
    assert!(reader.capacity() < Frame::LEN, "{}", reader.capacity());
}

proptest! {
    #[test]
    fn fragments_do_not_matter(
        stream in prop::collection::vec(any::<u8>(), 0..4 * Frame::LEN),
        sizes in prop::collection::vec(1_usize..1000, 1..20),
    ) {
        let mut reader = FrameReader::default();
        let mut sizes = sizes.into_iter().cycle();
        let (mut rest, mut frames) = (&stream[..], vec![]);
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(sizes.next().unwrap_or(1)));
            reader.feed(now);
            frames.extend(std::iter::from_fn(|| reader.pop()));
            rest = later;
        }
        let whole: Vec<_> = frames.iter().flat_map(|frame| *frame.as_bytes()).collect();
        prop_assert_eq!(&stream[..whole.len()], whole);
        prop_assert_eq!(reader.held(), stream.len() % Frame::LEN);
    }
}
