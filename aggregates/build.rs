//! Lets the tests find a prebuilt DuckDB library at run time, as the program's own build script does for it.

use std::env;

fn main() {
    println!("cargo:rerun-if-env-changed=DUCKDB_LIB_DIR");
    if let Some(directory) = env::var_os("DUCKDB_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", directory.display());
    }
}
