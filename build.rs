//! Lets programs and tests find a prebuilt DuckDB library at run time (see `scripts/duckdb`), and lists the notification channels that
//! the program brings along.

use std::{env, fmt::Write as _, fs, path::PathBuf};

/// `PHAROS_LIBRARY_PATH` is where an installed program finds it (`scripts/release`).
const NAMES: [&str; 2] = ["PHAROS_LIBRARY_PATH", "DUCKDB_LIB_DIR"];
/// One file for each channel, named after it.
const CHANNELS: &str = "src/actors/delivery/hooks/channels/built_in";

fn main() {
    for name in NAMES {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if let Some(directory) = NAMES.into_iter().find_map(env::var_os) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", directory.display());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    fs::write(out.join("channels.rs"), channels()).unwrap();
}

/// An expression: the name and the text of every file, in order.
fn channels() -> String {
    println!("cargo:rerun-if-changed={CHANNELS}");
    let folder = fs::canonicalize(CHANNELS).unwrap();
    let files = fs::read_dir(&folder).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut list = "[".to_owned();
    for file in files {
        let name = file.file_stem().unwrap();
        let _ = write!(list, "({name:?}, include_str!({file:?})),");
    }
    list + "]"
}
