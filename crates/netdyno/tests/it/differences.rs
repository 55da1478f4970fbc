//! Many command lines, each held against what another tool does with it.

use std::sync::Mutex;

/// Fails with the differences of all `lines` that have one, so many of them tried at a time. A busy
/// machine can move a line of text past the end of an interval: what differs has a second try.
pub fn none(lines: Vec<String>, at_once: usize, of: impl Fn(&str) -> Option<String> + Sync) {
    let (left, wrong) = (Mutex::new(lines), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let Some(line) = left.lock().unwrap().pop() else {
                return;
            };
            if let Some(difference) = of(&line).and_then(|_| of(&line)) {
                wrong.lock().unwrap().push(difference);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
