//! What iperf3 prints: text, one JSON document (`-J`), or lines of JSON (`--json-stream`), of a
//! client or of a server. Layouts, widths, trailing blanks, names and types are part of it.
//!
//! One [`Transcript`] is one test. It is told [`Event`]s as they happen and answers each with what
//! is to be printed now; sums over streams are its own work.

mod document;
mod end;
mod event;
mod form;
mod interval;
mod number;
mod start;
mod sum;
mod text;
mod time;
mod transcript;
mod unit;

pub use end::{Counts, Cpu, CpuUse, End, File, PathExtremes, StreamEnd};
pub use event::Event;
pub use form::{Form, Notation, Role};
pub use interval::{Datagrams, Interval, PathSample, StreamInterval};
pub use start::{Buffers, Connected, Contact, Protocol, Started, Way};
pub use transcript::{ServerOutput, Transcript};
pub use unit::Unit;
