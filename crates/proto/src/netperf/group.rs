//! Many equal tests on one control connection: netdyno's own words, in the last words of messages,
//! which netperf leaves empty and does not read.
//!
//! A client that has more than one test to make asks for the first with the number of all. A
//! netserver answers for one, as ever. netdyno answers with a response for each test, in order,
//! every one of them with the number of tests that it does; at their end the results of each come
//! in the same order. Question and answer differ, so that a server that leaves a question's words
//! in its answers grants nothing.

use super::Frame;

/// The most tests of one control connection.
const MOST: u32 = 4096;

/// The first of the words: they end the message.
const AT: usize = Frame::LEN / 4 - 3;
const NAME: u32 = u32::from_be_bytes(*b"ndyn");
const ASKED: u32 = u32::from_be_bytes(*b"may?");
const GRANTED: u32 = u32::from_be_bytes(*b"does");

/// Asks for so many tests like the one of this request.
pub(super) fn ask(frame: &mut Frame, tests: u32) {
    write(frame, ASKED, tests);
}

/// For how many tests a request asks.
pub(super) fn asked(frame: &Frame) -> u32 {
    read(frame, ASKED).clamp(1, MOST)
}

/// Says that this is the answer of one of so many tests.
pub(super) fn grant(frame: &mut Frame, tests: u32) {
    write(frame, GRANTED, tests);
}

/// Of how many tests a response is one.
pub(super) fn granted(frame: &Frame) -> u32 {
    read(frame, GRANTED).clamp(1, MOST)
}

fn write(frame: &mut Frame, word: u32, tests: u32) {
    if tests > 1 {
        for (at, word) in (AT..).zip([NAME, word, tests]) {
            frame.set_word(at, word);
        }
    }
}

fn read(frame: &Frame, word: u32) -> u32 {
    match [frame.word(AT), frame.word(AT + 1)] == [NAME, word] {
        true => frame.word(AT + 2),
        false => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_no_answer() {
        let mut frame = Frame::new(97, 0);
        assert_eq!((asked(&frame), granted(&frame)), (1, 1));
        ask(&mut frame, 500);
        assert_eq!((asked(&frame), granted(&frame)), (500, 1));
        grant(&mut frame, 500);
        assert_eq!((asked(&frame), granted(&frame)), (1, 500));
    }

    #[test]
    fn one_test_says_nothing_and_absurd_numbers_are_bounded() {
        let mut frame = Frame::new(97, 0);
        ask(&mut frame, 1);
        assert_eq!(frame, Frame::new(97, 0));
        ask(&mut frame, u32::MAX);
        assert_eq!(asked(&frame), MOST);
        frame.set_word(AT + 2, 0);
        assert_eq!(asked(&frame), 1);
    }
}
