//! What `strace -f -y` wrote down.

use std::{collections::HashMap, path::Path};

/// A system call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call {
    name: String,
    /// The file that its descriptor means.
    file: String,
    /// Whether it was not made, and answered with an error.
    pub(crate) injected: bool,
}

/// The calls with a descriptor, in the order in which they ended.
pub(crate) fn calls(text: &str) -> Vec<Call> {
    let mut begun: HashMap<&str, &str> = HashMap::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        // `1234 fdatasync(12</data/spool/00.seg>) = 0`
        let Some((process, call)) = line.split_once(' ') else {
            continue;
        };
        let call = call.trim_start();
        if call.ends_with("<unfinished ...>") {
            begun.insert(process, call);
            continue;
        }
        // `1234 <... fdatasync resumed>) = 0`
        let said = if call.starts_with("<...") {
            begun.remove(process)
        } else {
            Some(call)
        };
        let Some((name, arguments)) = said.and_then(|said| said.split_once('(')) else {
            continue;
        };
        let file = arguments
            .split_once('<')
            .and_then(|(_, rest)| rest.split_once('>'));
        if let Some((file, _)) = file {
            calls.push(Call {
                name: name.to_owned(),
                file: file.to_owned(),
                injected: call.ends_with("(INJECTED)"),
            });
        }
    }
    calls
}

/// Syncs of a batch that failed.
pub(crate) fn failed_syncs(calls: &[Call]) -> usize {
    let failed = |call: &&Call| call.injected && call.is_sync_of_log();
    calls.iter().filter(failed).count()
}

/// A file of the log that was synced after a sync of it had failed and before it was closed.
pub(crate) fn synced_again(calls: &[Call]) -> Option<&str> {
    let mut failed: Vec<&str> = Vec::new();
    for call in calls {
        if call.name == "close" {
            failed.retain(|held| *held != call.file);
        } else if call.is_sync_of_log() {
            if failed.contains(&&*call.file) {
                return Some(&call.file);
            }
            if call.injected {
                failed.push(&call.file);
            }
        }
    }
    None
}

impl Call {
    fn is_sync_of_log(&self) -> bool {
        let log = Path::new(&self.file).extension();
        self.name == "fdatasync" && log.is_some_and(|extension| extension == "seg")
    }
}
