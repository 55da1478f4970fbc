//! netdyno: load a path, observe both ends, explain, compare.

use std::process::ExitCode;

fn main() -> ExitCode {
    netdyno::main_with(std::env::args_os())
}
