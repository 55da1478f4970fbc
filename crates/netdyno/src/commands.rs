//! What the commands do.

mod place;
mod run;
mod screen;
mod serve;
mod show;
mod sink;

pub use run::run;
pub use serve::serve;
pub use show::show;
