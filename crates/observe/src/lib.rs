//! What the kernel says about this machine, read and not judged. Absent is none, never zero.
//!
//! Everything is seen from the calling thread's network namespace: /proc/sys/net shows it by
//! itself, and interfaces are asked for by netlink and ioctl, because /sys/class/net shows the
//! namespace of whoever mounted /sys.

pub mod cpu;
mod environment;
mod facts;
pub mod interface;
pub mod memory;
mod sampler;
mod source;
mod tracing;
mod tree;

pub use facts::facts;
pub use sampler::{Effort, Sampler};
