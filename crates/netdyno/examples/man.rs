//! Writes the man pages and the completions of netdyno into a folder:
//! `cargo run --example man -- FOLDER`.

use std::path::PathBuf;
use std::{env, fs, io};

use clap_complete::{Shell, generate_to};

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "which folder?"));
    };
    fs::create_dir_all(&folder)?;
    clap_mangen::generate_to(netdyno::cli::command(), &folder)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        generate_to(shell, &mut netdyno::cli::command(), "netdyno", &folder)?;
    }
    Ok(())
}
