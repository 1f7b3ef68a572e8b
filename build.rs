//! Lets programs and tests find a prebuilt DuckDB library at run time (see `scripts/duckdb`).

/// `PHAROS_LIBRARY_PATH` is where an installed program finds it (`scripts/release`).
const NAMES: [&str; 2] = ["PHAROS_LIBRARY_PATH", "DUCKDB_LIB_DIR"];

fn main() {
    for name in NAMES {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if let Some(directory) = NAMES.into_iter().find_map(std::env::var_os) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", directory.display());
    }
}
