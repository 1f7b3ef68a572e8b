//! Exports of other products.

use pharos::importers::{
    ImportError, MAX_ITEMS, Plan, Source, flags::FlagFormat, links::LinkFormat,
    monitors::MonitorFormat,
};

use super::promises::NOW;

/// A file, read by every format: it ends in a bounded plan or in an error that says something.
pub fn importers(bytes: &[u8]) {
    let source = Source::new(bytes, NOW);
    for format in LinkFormat::ALL {
        judge(format.read(&source));
    }
    for format in MonitorFormat::ALL {
        judge(format.read(&source));
    }
    for format in FlagFormat::ALL {
        judge(format.read(&source));
    }
}

fn judge(read: Result<Plan, ImportError>) {
    match read {
        Ok(plan) => {
            // A link of Bitly may have several slugs.
            assert!(plan.omissions.len() <= MAX_ITEMS);
            assert!(plan.omissions.iter().all(|one| !one.reason.is_empty()));
        }
        Err(error) => assert!(!error.message.is_empty()),
    }
}
