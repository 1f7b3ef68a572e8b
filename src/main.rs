//! The program `pharos`. Everything it can do is in the library; the command line is [`pharos::cli`].

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    pharos::cli::run(std::env::args_os())
}
