use proptest::prelude::*;

use super::*;

fn reader(limit: u64) -> FrameReader {
    FrameReader::new(Bytes::new(limit))
}

fn pop(reader: &mut FrameReader) -> Option<Vec<u8>> {
    reader.pop().expect("no rule is broken").map(<[u8]>::to_vec)
}

#[test]
fn golden_bytes() {
    assert_eq!(encode(&"né"), b"\0\0\0\x05\"n\xc3\xa9\"");
}

#[test]
fn a_frame_comes_out_with_its_last_byte() {
    let frame = encode(&[1, 2, 3]);
    let mut reader = reader(100);
    for byte in &frame[..frame.len() - 1] {
        reader.feed(&[*byte]);
        assert_eq!(pop(&mut reader), None);
    }
    reader.feed(&frame[frame.len() - 1..]);
    assert_eq!(pop(&mut reader), Some(b"[1,2,3]".to_vec()));
    assert_eq!(pop(&mut reader), None);
}

#[test]
fn the_limit_itself_is_accepted_and_one_more_is_not() {
    let mut reader = reader(5);
    reader.feed(b"\0\0\0\x05hello\0\0\0\x06");
    assert_eq!(pop(&mut reader), Some(b"hello".to_vec()));
    let error = reader.pop().unwrap_err();
    assert_eq!(
        error.to_string(),
        "a message of 6 bytes was announced, at most 5 bytes are accepted"
    );
    assert_eq!(reader.pop(), Err(error), "and it stays wrong");
}

#[test]
fn an_over_long_length_is_an_error_before_any_content() {
    let mut reader = reader(FrameReader::SERVER_LIMIT.get());
    reader.feed(b"GET");
    assert_eq!(pop(&mut reader), None);
    reader.feed(b" ");
    assert_eq!(
        reader.pop().unwrap_err().announced,
        Bytes::new(0x4745_5420),
        "HTTP announces a gigabyte"
    );
}

#[test]
fn a_raised_limit_never_falls() {
    let mut reader = reader(5);
    reader.raise_limit(Bytes::new(6));
    reader.raise_limit(Bytes::new(1));
    reader.feed(b"\0\0\0\x06abcdef");
    assert_eq!(pop(&mut reader), Some(b"abcdef".to_vec()));
}

#[test]
fn an_announced_length_takes_no_memory() {
    let mut reader = FrameReader::new(FrameReader::CLIENT_LIMIT);
    reader.feed(&[0x04, 0, 0, 0]);
    assert_eq!(pop(&mut reader), None);
    assert!(reader.capacity() < 100, "{}", reader.capacity());
}

proptest! {
    #[test]
    fn fragments_do_not_matter(
        contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8),
        cuts in prop::collection::vec(1..30usize, 1..20),
    ) {
        let mut stream = Vec::new();
        for content in &contents {
            stream.extend_from_slice(&u32::try_from(content.len()).unwrap().to_be_bytes());
            stream.extend_from_slice(content);
        }
        let mut reader = reader(40);
        let mut popped = Vec::new();
        let mut cuts = cuts.into_iter().cycle();
        let mut rest = &stream[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at(cuts.next().unwrap().min(rest.len()));
            reader.feed(now);
            rest = later;
            popped.extend(std::iter::from_fn(|| pop(&mut reader)));
        }
        prop_assert_eq!(popped, contents);
        prop_assert!(reader.capacity() <= 256, "{}", reader.capacity());
    }
}
