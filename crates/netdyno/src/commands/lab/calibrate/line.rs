//! Locks, atomics and cache lines, on pinned threads.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use sys::clock;

use report::lab::document::Reading;

use super::reading;

pub const READ: &str = "read of a held line";
pub const ATOMIC: &str = "atomic on a held line";
pub const PAUSE: &str = "relax instruction";
pub const TRANSFER: &str = "line transfer, one way";

/// Operations of a batch, and batches.
const BATCH: u32 = 20_000;
const BATCHES: usize = 60;

/// Round trips of a block of ping-pong, blocks of a session, and sessions with threads anew: a
/// virtual CPU may have moved in between.
const TRIPS: u32 = 500;
const BLOCKS: usize = 40;
const SESSIONS: usize = 5;

/// All of them.
pub fn readings(cpus: &[u16]) -> Vec<Reading> {
    let first = cpus.first().copied();
    let here = thread::scope(|scope| {
        let measured = scope.spawn(move || {
            // Where it cannot be pinned it runs where it may.
            let _ = first.map(sys::thread::pin);
            held()
        });
        measured.join().unwrap_or_default()
    });
    let mut readings: Vec<Reading> = here;
    let pairs = cpus.iter().enumerate();
    let pairs = pairs.flat_map(|(at, a)| cpus[at + 1..].iter().map(move |b| (*a, *b)));
    let mut all = Vec::new();
    // More pairs than that take longer than they tell.
    for (a, b) in pairs.take(64) {
        let blocks: Vec<f64> = (0..SESSIONS).flat_map(|_| ping_pong(a, b)).collect();
        all.extend_from_slice(&blocks);
        readings.extend(reading(
            &format!("line transfer between CPU {a} and {b}"),
            blocks,
        ));
    }
    readings.extend(reading(TRANSFER, all));
    readings
}

fn held() -> Vec<Reading> {
    let word = AtomicU32::new(0);
    let lock = locks::named::<AtomicU32>("qspin", 1);
    let readings = [
        reading(
            READ,
            batches(|| {
                black_box(black_box(&word).load(Ordering::Acquire));
            }),
        ),
        reading(
            ATOMIC,
            batches(|| {
                black_box(black_box(&word).fetch_add(1, Ordering::AcqRel));
            }),
        ),
        reading(PAUSE, batches(spin_loop)),
        lock.and_then(|lock| {
            reading(
                "uncontended queued spinlock, both ways",
                batches(|| {
                    lock.lock(0);
                    lock.unlock(0);
                }),
            )
        }),
    ];
    readings.into_iter().flatten().collect()
}

/// Nanoseconds of one operation, by batches.
fn batches(operation: impl Fn()) -> Vec<f64> {
    let batch = || {
        let begin = clock::now();
        (0..BATCH).for_each(|_| operation());
        (clock::now().get() - begin.get()) as f64 / f64::from(BATCH)
    };
    batch();
    (0..BATCHES).map(|_| batch()).collect()
}

/// Two threads take turns at one word: half a round trip is one transfer and one atomic.
fn ping_pong(a: u16, b: u16) -> Vec<f64> {
    let word = AtomicU32::new(0);
    let turns = TRIPS * 2 * (BLOCKS as u32 + 1);
    let play = |cpu: u16, parity: u32, blocks: &mut Vec<f64>| {
        // Where it cannot be pinned the figure shows it.
        let _ = sys::thread::pin(cpu);
        let mut begin = clock::now();
        let mut turn = parity;
        while turn < turns {
            while word
                .compare_exchange(turn, turn + 1, Ordering::AcqRel, Ordering::Relaxed)
                .is_err()
            {
                spin_loop();
            }
            turn += 2;
            if (turn / 2).is_multiple_of(TRIPS) {
                let now = clock::now();
                blocks.push((now.get() - begin.get()) as f64 / f64::from(TRIPS * 2));
                begin = now;
            }
        }
    };
    let mut blocks = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| play(b, 1, &mut Vec::new()));
        scope.spawn(|| play(a, 0, &mut blocks));
    });
    // The first has the start of the threads in it.
    blocks.drain(..1.min(blocks.len()));
    blocks
}
