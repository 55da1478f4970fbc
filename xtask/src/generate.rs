//! Files made from the program's own definitions.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::{cargo, shell};

/// Man pages and completions.
pub fn man(folder: Option<&str>) -> Result<bool> {
    let folder = match folder {
        // The example runs in the workspace's folder, the caller maybe elsewhere.
        Some(folder) => std::path::absolute(folder)?,
        None => target_folder()?.join("man"),
    };
    std::fs::create_dir_all(&folder)?;
    let made = example("netdyno", "man", &folder)?;
    if made {
        println!("{}", folder.display());
    }
    Ok(made)
}

/// The JSON Schema of the result document.
pub fn schema() -> Result<bool> {
    let folder = cargo::root().join("docs/schema");
    std::fs::create_dir_all(&folder)?;
    example("report", "schema", &folder)
}

fn example(package: &str, name: &str, folder: &Path) -> Result<bool> {
    shell::run(
        cargo::cargo()
            .args(["run", "--quiet", "--package", package, "--example", name])
            .arg("--")
            .arg(folder),
    )
}

fn target_folder() -> Result<PathBuf> {
    Ok(cargo::Metadata::of_workspace()?.target_directory)
}
