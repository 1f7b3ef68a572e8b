//! Lets programs and tests find a prebuilt DuckDB library at run time (see `scripts/duckdb`), and lists the notification channels that
//! the program brings along.

use std::{env, error::Error, fmt::Write as _, fs, path::PathBuf};

/// `PHAROS_LIBRARY_PATH` is where an installed program finds it (`scripts/release`).
const NAMES: [&str; 2] = ["PHAROS_LIBRARY_PATH", "DUCKDB_LIB_DIR"];
/// One file for each channel, named after it.
const CHANNELS: &str = "src/actors/delivery/hooks/channels/built_in";

fn main() -> Result<(), Box<dyn Error>> {
    for name in NAMES {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if let Some(directory) = NAMES.into_iter().find_map(env::var_os) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", directory.display());
    }
    let out = env::var_os("OUT_DIR").ok_or("cargo names no directory for what is built")?;
    fs::write(PathBuf::from(out).join("channels.rs"), channels()?)?;
    Ok(())
}

/// An expression: the name and the text of every file, in order. Where the checkout is, is asked when it is compiled: several
/// checkouts may share one build directory.
fn channels() -> Result<String, Box<dyn Error>> {
    println!("cargo:rerun-if-changed={CHANNELS}");
    let mut files = Vec::new();
    for file in fs::read_dir(CHANNELS)? {
        files.push(file?.path());
    }
    files.sort();
    let mut list = "[".to_owned();
    for file in files {
        let name = file.file_stem().and_then(|name| name.to_str());
        let (name, path) = (name.unwrap_or_default(), file.display());
        write!(
            list,
            "({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{path}\"))),"
        )?;
    }
    Ok(list + "]")
}
