//! Writes the JSON Schemas into the folder given, or into `docs/schema`.

use std::path::PathBuf;
use std::{env, fs};

fn main() -> std::io::Result<()> {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema");
    let folder = env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from(published), PathBuf::from);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("run-1.json"), report::schema::run())?;
    fs::write(folder.join("event-1.json"), report::schema::event())?;
    fs::write(folder.join("observe-1.json"), report::schema::observe())?;
    fs::write(
        folder.join("comparison-1.json"),
        report::schema::comparison(),
    )?;
    fs::write(folder.join("series-1.json"), report::schema::series())?;
    fs::write(folder.join("merge-1.json"), report::schema::merge())?;
    fs::write(folder.join("trend-1.json"), report::schema::trend())?;
    fs::write(folder.join("lab-1.json"), report::schema::lab())
}
