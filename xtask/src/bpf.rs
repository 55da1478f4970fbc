//! `cargo xtask bpf`: the programs that netdyno loads into the kernel, from their sources. The
//! objects are committed, so that building netdyno needs no C compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{cargo, shell};

/// Where sources and objects are.
const FOLDER: &str = "crates/observe/bpf";
/// Beside them: the compiler that made the objects.
const COMPILER: &str = "compiler.txt";

/// Compiles all of them.
pub fn run() -> Result<bool> {
    let folder = cargo::root().join(FOLDER);
    for name in programs(&folder)? {
        compile(&folder, &name, &folder)?;
        println!("{name}.bpf.o");
    }
    fs::write(folder.join(COMPILER), version()? + "\n")?;
    Ok(true)
}

/// Names of the programs, without their endings.
fn programs(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("listing {}", folder.display()))? {
        let name = entry?.file_name().into_string().unwrap_or_default();
        names.extend(name.strip_suffix(".bpf.c").map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// Compiles one into the folder `to`. No path of this machine gets into the object.
fn compile(folder: &Path, name: &str, to: &Path) -> Result<PathBuf> {
    let object = to.join(format!("{name}.bpf.o"));
    let mut clang = Command::new("clang");
    clang
        .current_dir(folder)
        .args([
            "-O2", "-g", "-Wall", "-Werror", "-target", "bpf", "-mcpu=v3",
        ])
        .args(["-fdebug-compilation-dir=.", "-c"])
        .arg(format!("{name}.bpf.c"))
        .arg("-o")
        .arg(&object);
    ensure!(shell::run(&mut clang)?, "clang does not take {name}.bpf.c");
    // Types and relocations stay, what only a debugger reads goes.
    let mut strip = Command::new("llvm-strip");
    strip.arg("-g").arg(&object);
    ensure!(
        shell::run(&mut strip)?,
        "llvm-strip does not take {name}.bpf.o"
    );
    Ok(object)
}

/// The first line that clang says of itself.
fn version() -> Result<String> {
    let output = Command::new("clang").arg("--version").output();
    let output = output.context("running clang (see 'cargo xtask install')")?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_objects_are_those_of_the_sources() {
        not_run::needs_program!("clang");
        not_run::needs_program!("llvm-strip");
        let folder = cargo::root().join(FOLDER);
        let made_by = fs::read_to_string(folder.join(COMPILER)).unwrap();
        let here = version().unwrap();
        not_run::unless!(
            made_by.trim() == here,
            format!("{} made them, {here} is here", made_by.trim())
        );
        let to = tempfile::tempdir().unwrap();
        for name in programs(&folder).unwrap() {
            let object = compile(&folder, &name, to.path()).unwrap();
            let committed = fs::read(folder.join(format!("{name}.bpf.o"))).unwrap();
            assert!(
                fs::read(object).unwrap() == committed,
                "{name}.bpf.o is not what {name}.bpf.c says; run: cargo xtask bpf"
            );
        }
    }
}
