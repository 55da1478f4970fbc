//! Cargo, and what it knows of the workspace.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// `cargo metadata`, as far as it is read here.
#[derive(Debug, Deserialize)]
pub struct Metadata {
    /// The workspace's packages and, unless left out, all that they depend on.
    pub packages: Vec<Package>,
    /// Ids of the workspace's packages.
    pub workspace_members: Vec<String>,
    /// Where builds go.
    pub target_directory: PathBuf,
}

/// A package.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Package {
    /// Cargo's id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Version.
    #[serde(default)]
    pub version: String,
    /// Its Cargo.toml.
    #[serde(default)]
    pub manifest_path: PathBuf,
    /// SPDX expression.
    pub license: Option<String>,
    /// What its Cargo.toml asks for.
    pub dependencies: Vec<Dependency>,
}

/// One line of a Cargo.toml.
#[derive(Debug, Clone, Deserialize)]
pub struct Dependency {
    /// The package's name.
    pub name: String,
    /// None for ordinary, `dev` or `build`.
    pub kind: Option<String>,
    /// Set for packages of this workspace.
    pub path: Option<PathBuf>,
}

impl Package {
    /// The folder of a package of the workspace, from the workspace's.
    pub fn folder(&self) -> String {
        let folder = self.manifest_path.parent().unwrap_or(&self.manifest_path);
        let inner = folder.strip_prefix(root()).unwrap_or(folder);
        inner.to_string_lossy().into_owned()
    }
}

impl Metadata {
    /// The workspace's own packages.
    pub fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| self.workspace_members.contains(&package.id))
    }

    /// What the workspace's Cargo.toml files say, without looking at other packages.
    pub fn of_workspace() -> Result<Self> {
        Self::read(&["--no-deps"])
    }

    /// The workspace and all that it is built from on this kind of machine.
    pub fn of_everything() -> Result<Self> {
        Self::read(&["--filter-platform", &host_triple()?])
    }

    fn read(options: &[&str]) -> Result<Self> {
        let output = cargo()
            .args(["metadata", "--format-version", "1", "--quiet"])
            .args(options)
            .stderr(Stdio::inherit())
            .output()
            .context("cannot start cargo")?;
        if !output.status.success() {
            bail!("cargo metadata failed: {}", output.status);
        }
        serde_json::from_slice(&output.stdout).context("cannot read what cargo metadata printed")
    }
}

/// A cargo command in the workspace's folder, without input.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Whether a cargo subcommand is installed.
pub fn has(subcommand: &str) -> bool {
    cargo()
        .args([subcommand, "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The workspace's folder: the parent of this package's, which cargo tells at run time. The folder
/// known when this was compiled may be another clone's that shares the build folder.
pub fn root() -> PathBuf {
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let package = PathBuf::from(package);
    package.parent().map_or(package.clone(), PathBuf::from)
}

fn host_triple() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .arg("-vV")
        .output()
        .context("cannot start rustc")?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .context("rustc -vV names no host")
}
