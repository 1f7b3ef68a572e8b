//! Lets programs and tests find a prebuilt DuckDB library at run time (see `scripts/duckdb`).

fn main() {
    // `PHAROS_LIBRARY_PATH` is where an installed program finds it (`scripts/release`).
    for name in ["PHAROS_LIBRARY_PATH", "DUCKDB_LIB_DIR"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let directory =
        std::env::var("PHAROS_LIBRARY_PATH").or_else(|_| std::env::var("DUCKDB_LIB_DIR"));
    if let Ok(directory) = directory {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
    }
}
