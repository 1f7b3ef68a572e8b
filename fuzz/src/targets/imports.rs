//! Files of events of other products.

use std::{
    fs,
    sync::{Arc, LazyLock},
};

use pharos::events::{
    enrich::{Enricher, Options},
    import::{Format, Import, Reading, Report},
};

use super::{
    bodies::context,
    promises::{NOW, keeps_limits},
};

static ENRICHER: LazyLock<Enricher> =
    LazyLock::new(|| Enricher::open(&Options::default(), Arc::new(|_| Some([0; 32]))).unwrap());

/// A file, read by every format: it ends in events within their limits, in refusals that say why, or in an error.
pub fn imports(bytes: &[u8]) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, bytes).unwrap();
    let import = Import {
        id: "fuzz",
        target: context().target,
        enricher: &ENRICHER,
        now: NOW,
    };
    for format in Format::ALL {
        let reading = Reading {
            format: *format,
            path: &path,
            position: 0,
            report: Report::default(),
        };
        let (mut events, mut last) = (0, None);
        let read = reading.run(&import, |chunk| {
            if matches!(format, Format::Ga4 | Format::Matomo | Format::PostHog) {
                chunk.events.iter().for_each(keeps_limits);
            }
            events += chunk.events.len() as u64;
            assert!(chunk.done <= bytes.len() as u64);
            last = Some(chunk.report);
            true
        });
        match (read, last) {
            (Ok(()), Some(report)) => {
                assert_eq!(report.events, events);
                assert!(report.refusals.iter().all(|one| !one.why.is_empty()));
            }
            (Ok(()), None) => panic!("a file without an end"),
            (Err(error), _) => assert!(!error.to_string().is_empty()),
        }
    }
}
