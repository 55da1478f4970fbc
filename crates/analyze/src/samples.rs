//! Event streams of made-up runs, one a kind of outcome. Whoever shows, stores or checks runs can
//! be tested on them without a network.

mod bulk;
mod compared;
mod datagram;
mod exchange;
mod stage;
mod unfinished;

use record::Event;

pub use bulk::{bidir, tcp_stream, thousand_flows};
pub use compared::{compared, compared_with_itself};
pub use datagram::udp_with_loss;
pub use exchange::open_loop;
pub use unfinished::{interrupted, killed, refused};

/// All of them, by name.
pub fn all() -> Vec<(&'static str, Vec<Event>)> {
    vec![
        ("tcp-stream", tcp_stream()),
        ("bidir", bidir()),
        ("udp-with-loss", udp_with_loss()),
        ("open-loop", open_loop()),
        ("thousand-flows", thousand_flows()),
        ("refused", refused()),
        ("interrupted", interrupted()),
        ("killed", killed()),
    ]
}
