//! Memory of the program.
//!
//! Much of what an event costs is memory that one thread asks for and another gives back: mimalloc is good at that, and
//! keeps what was given back for a second in case it is needed again. At hundreds of thousands of events a second that is
//! hundreds of megabytes, so it keeps it for less here. It reads its settings from the environment only, before
//! anything of ours runs; so the program begins once more with the setting in place.

use std::{env, os::unix::process::CommandExt, process::Command};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The setting, and so many milliseconds.
const SETTING: (&str, &str) = ("MIMALLOC_PURGE_DELAY", "10");

/// Makes the program return memory soon, unless the environment sets when. Returns without effect where that cannot be done.
pub(crate) fn return_soon() {
    let (name, value) = SETTING;
    if env::var_os(name).is_some() {
        return;
    }
    let Ok(program) = env::current_exe() else {
        return;
    };
    let mut args = env::args_os();
    let mut again = Command::new(program);
    if let Some(called) = args.next() {
        again.arg0(called);
    }
    // Comes back only with an error, and then memory is returned late; the process keeps its id.
    let _ = again.args(args).env(name, value).exec();
}
