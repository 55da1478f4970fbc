//! Quantities with a unit. Every number that crosses a crate border and has a unit is one of
//! these types; none of them derefs to a bare number. Parsing here is netdyno's own dialect
//! (sizes binary, rates decimal); the other tools' suffixes live with their command lines.

mod bit_rate;
mod bytes;
mod cpu_list;
mod nanos;
mod suffix;

pub use bit_rate::BitRate;
pub use bytes::Bytes;
pub use cpu_list::CpuList;
pub use nanos::Nanos;
pub use suffix::ParseError;
