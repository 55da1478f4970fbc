use plan::Family;
use proptest::prelude::*;
use units::Bytes;

use super::*;

/// A message with these words from word 2 on.
fn words(words: &[u32]) -> Frame {
    let mut frame = Frame::new(0, 0);
    for (at, word) in (2..).zip(words) {
        frame.set_word(at, *word);
    }
    frame
}

/// `value` is these words, and these words are `value`.
fn both<C: Codec<Value: PartialEq + std::fmt::Debug>>(codec: &C, value: C::Value, raw: &[u32]) {
    let mut frame = words(&[0xaaaa_aaaa; 30]);
    codec.write(&mut frame, 2, &value);
    let written: Vec<_> = (2..2 + raw.len()).map(|at| frame.word(at)).collect();
    assert_eq!(written, raw, "{value:?}");
    assert_eq!(frame.word(2 + raw.len()), 0xaaaa_aaaa, "a word too many");
    assert_eq!(codec.read(&frame, 2), Ok(value));
}

fn wrong(codec: &impl Codec<Value: std::fmt::Debug>, raw: u32) -> String {
    codec.read(&words(&[raw]), 2).unwrap_err()
}

const fn size(bytes: u64) -> Option<Bytes> {
    Some(Bytes::new(bytes))
}

#[test]
fn wishes_are_not_negative() {
    both(&Wish, None, &[u32::MAX]);
    both(&Wish, Some(0), &[0]);
    both(&Wish, Some(0x7fff_ffff), &[0x7fff_ffff]);
    both(&WishedBytes, None, &[u32::MAX]);
    both(&WishedBytes, size(32_000), &[32_000]);
    assert_eq!(
        wrong(&WishedBytes, 0xffff_fff0),
        "-16: -1 (default) and numbers from 0 are accepted"
    );
    assert_eq!(
        wrong(&Wish, 0x8000_0000),
        "-2147483648: -1 (default) and numbers from 0 are accepted"
    );
}

#[test]
fn a_default_size_is_what_the_layout_calls_it() {
    both(&Size::OMNI, None, &[u32::MAX]);
    both(&Size::CLASSIC, None, &[0]);
    for codec in [Size::OMNI, Size::CLASSIC] {
        both(&codec, size(1), &[1]);
        both(&codec, size(2_000_000_000), &[2_000_000_000]);
        for default in [0, u32::MAX] {
            assert_eq!(codec.read(&words(&[default]), 2), Ok(None));
        }
        for absurd in [0x8000_0000, 0xffff_fffe] {
            assert_eq!(
                wrong(&codec, absurd),
                format!("{absurd} bytes: up to 2147483647 bytes are accepted")
            );
        }
    }
}

#[test]
fn alignments_are_at_least_one() {
    both(&Alignment, Bytes::new(4096), &[4096]);
    for none in [0, u32::MAX] {
        assert_eq!(Alignment.read(&words(&[none]), 2), Ok(Bytes::new(1)));
    }
    let mut frame = words(&[]);
    Alignment.write(&mut frame, 2, &Bytes::new(0));
    assert_eq!(frame.word(2), 1, "a real netserver dies of 0");
    assert!(wrong(&Alignment, 1 << 31).contains("up to 67108864 bytes"));
    both(&Offset, Bytes::new(0), &[0]);
    assert!(wrong(&Offset, u32::MAX).contains("up to 67108864 bytes"));
}

#[test]
fn what_an_answer_does_not_know_is_negative() {
    both(&Known, Some(9361), &[9361]);
    both(&Known, None, &[u32::MAX]);
    both(&KnownBytes, size(0), &[0]);
    both(&KnownBytes, None, &[u32::MAX]);
    for stale in [0x8000_0000, 0xffff_fffe] {
        assert_eq!(Known.read(&words(&[stale]), 2), Ok(None));
        assert_eq!(KnownBytes.read(&words(&[stale]), 2), Ok(None));
    }
}

#[test]
fn numbers_are_ieee_754_in_network_order() {
    both(&Real, 100.0, &[0x42c8_0000]);
    both(&Real, -1.0, &[0xbf80_0000]);
    for no_number in [u32::MAX, f32::NAN.to_bits(), f32::INFINITY.to_bits()] {
        assert_eq!(Real.read(&words(&[no_number]), 2), Ok(0.0));
    }
    both(&DoubleBytes, Bytes::new(1 << 40), &[0x4270_0000, 0]);
    both(&DoubleBytes, Bytes::new(5), &[0x4014_0000, 0]);
    for (double, bytes) in [
        (f64::NAN, 0),
        (-3.0, 0),
        (f64::NEG_INFINITY, 0),
        (1e300, u64::MAX),
    ] {
        let bits = double.to_bits();
        let raw = words(&[(bits >> 32) as u32, bits as u32]);
        assert_eq!(DoubleBytes.read(&raw, 2), Ok(Bytes::new(bytes)));
    }
}

#[test]
fn long_counts_have_the_high_word_first() {
    both(&LongBytes, Bytes::new(0x1_0000_0002), &[1, 2]);
    both(&LongBytes, Bytes::new(u64::MAX), &[u32::MAX, u32::MAX]);
    both(&WrappingBytes, Bytes::new(0xffff_ffff), &[0xffff_ffff]);
    let mut frame = words(&[]);
    WrappingBytes.write(&mut frame, 2, &Bytes::new(0x1_0000_0002));
    assert_eq!(frame.word(2), 2);
}

#[test]
fn ports_and_families_have_few_numbers() {
    both(&Port, 0, &[0]);
    both(&Port, 65535, &[65535]);
    assert_eq!(
        wrong(&Port, 65536),
        "65536: ports from 0 to 65535 are accepted"
    );
    both(&FamilyNumber, Family::Any, &[0]);
    both(&FamilyNumber, Family::V4, &[4]);
    both(&FamilyNumber, Family::V6, &[6]);
    assert_eq!(
        wrong(&FamilyNumber, 7),
        "7: 0 (any), 4 (IPv4) and 6 (IPv6) are accepted"
    );
}

#[test]
fn texts_are_raw_and_end_with_a_nul() {
    let text = Text { room: 8 };
    both(&text, "cubic".into(), &[0x6375_6269, 0x6300_0000]);
    both(&text, String::new(), &[0, 0]);
    both(&text, "seventy".into(), &[0x7365_7665, 0x6e74_7900]);
    let mut frame = words(&[u32::MAX; 4]);
    text.write(&mut frame, 2, &"too long a text".into());
    assert_eq!(frame.raw(2, 9), b"too lon\0\xff");
    assert_eq!(
        text.read(&words(&[0x6162_6364, 0x6566_6768]), 2),
        Ok("abcdefg".into()),
        "the last byte is the NUL's, whatever it is"
    );
    assert_eq!(
        text.read(&words(&[0x1b5b_324a, 0x80ff_0041]), 2),
        Ok("?[2J??".into())
    );
    text.write(&mut frame, 2, &"µ\n".into());
    assert_eq!(frame.raw(2, 3), b"??\0");
}

#[test]
fn what_does_not_fit_is_the_most_that_does() {
    let mut frame = words(&[]);
    WishedBytes.write(&mut frame, 2, &size(u64::MAX));
    Size::OMNI.write(&mut frame, 3, &size(u64::from(u32::MAX)));
    Wish.write(&mut frame, 4, &Some(u32::MAX));
    for at in 2..5 {
        assert_eq!(
            frame.word(at),
            i32::MAX as u32,
            "no wish turns into a default"
        );
    }
}

#[test]
fn others_have_their_own_words() {
    both(&Word, 0xffff_ffff, &[0xffff_ffff]);
    both(&YesNo, true, &[1]);
    both(&YesNo, false, &[0]);
    assert_eq!(YesNo.read(&words(&[0xffff_0000]), 2), Ok(true));
    both(&FlagBits, Flags::KEEPALIVE, &[0x8000_0000]);
    both(&LengthWord, Length::Count(10), &[0xffff_fff6]);
    both(&MarkWord, Mark::Failed, &[0xffff_fffe]);
    let localhost: std::net::IpAddr = "::1".parse().unwrap();
    both(&FourWords, localhost.into(), &[0, 0, 0, 0x0100_0000]);
}

/// What is read and written reads as the same.
fn steady<C: Codec<Value: PartialEq + std::fmt::Debug>>(codec: &C, raw: &Frame) {
    if let Ok(value) = codec.read(raw, 2) {
        let mut again = raw.clone();
        codec.write(&mut again, 2, &value);
        assert_eq!(codec.read(&again, 2), Ok(value));
    }
}

proptest! {
    #[test]
    fn every_codec_reads_what_it_writes(raw in prop::collection::vec(any::<u32>(), 8)) {
        let raw = words(&raw);
        steady(&Word, &raw);
        steady(&YesNo, &raw);
        steady(&Wish, &raw);
        steady(&WishedBytes, &raw);
        steady(&Size::OMNI, &raw);
        steady(&Size::CLASSIC, &raw);
        steady(&Alignment, &raw);
        steady(&Offset, &raw);
        steady(&Known, &raw);
        steady(&KnownBytes, &raw);
        steady(&Real, &raw);
        steady(&DoubleBytes, &raw);
        steady(&LongBytes, &raw);
        steady(&WrappingBytes, &raw);
        steady(&Port, &raw);
        steady(&FamilyNumber, &raw);
        steady(&FlagBits, &raw);
        steady(&LengthWord, &raw);
        steady(&MarkWord, &raw);
        steady(&FourWords, &raw);
        steady(&Text { room: 16 }, &raw);
    }
}
