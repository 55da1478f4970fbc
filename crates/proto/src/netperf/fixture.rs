//! Messages of real exchanges, one file each: rows of four words under the offset of their first
//! byte, rows of zeros left out.

use super::Frame;

pub(super) fn omni_request() -> Frame {
    frame(include_str!("fixtures/omni_request.txt"))
}

pub(super) fn omni_response() -> Frame {
    frame(include_str!("fixtures/omni_response.txt"))
}

pub(super) fn omni_results() -> Frame {
    frame(include_str!("fixtures/omni_results.txt"))
}

pub(super) fn sendfile_request() -> Frame {
    frame(include_str!("fixtures/sendfile_request.txt"))
}

pub(super) fn sendfile_response() -> Frame {
    frame(include_str!("fixtures/sendfile_response.txt"))
}

/// The first line says where the message comes from.
fn frame(text: &str) -> Frame {
    let mut frame = Frame::new(0, 0);
    for row in text.lines().skip(1) {
        let (offset, words) = row.split_once(':').expect("an offset");
        let first: usize = offset.trim().parse().expect("a number");
        for (at, word) in (first / 4..).zip(words.split_whitespace()) {
            frame.set_word(at, u32::from_str_radix(word, 16).expect("eight hex digits"));
        }
    }
    frame
}
