//! What fault drills may turn: only in debug builds and builds with the feature `drills`, and deliberately no settings.

use std::str::FromStr;

use crate::events::{failpoint::Failpoints, store::Options};

/// The options with what the environment of a drill says.
pub(super) fn options(usual: Options) -> Options {
    if !cfg!(any(debug_assertions, feature = "drills")) {
        return usual;
    }
    Options {
        // Seals and merges that are frequent are hit by kills.
        seal_rows: variable("PHAROS_DRILL_SEAL_ROWS").unwrap_or(usual.seal_rows),
        // A backlog that is reached soon.
        backlog: variable("PHAROS_DRILL_BACKLOG_BYTES").unwrap_or(usual.backlog),
        failpoints: variable::<String>("PHAROS_DRILL_FAILPOINTS")
            .map_or(usual.failpoints, Failpoints::in_directory),
        ..usual
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "for drills only, and deliberately no setting"
)]
fn variable<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}
