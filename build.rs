//! Lets programs and tests find a prebuilt DuckDB library at run time (see `scripts/duckdb`).

fn main() {
    println!("cargo:rerun-if-env-changed=DUCKDB_LIB_DIR");
    if let Some(directory) = std::env::var_os("DUCKDB_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", directory.display());
    }
}
