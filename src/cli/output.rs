//! The one place that writes to standard output.

use std::io::{self, Write};

use serde::Serialize;

use super::failure::Failure;

/// Writes a text and a line break. A reader that went away (`pharos openapi | head`) is no failure.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a report: as one JSON object, or as the text that people read.
pub(super) fn print_report<T: Serialize>(
    json: bool,
    report: &T,
    text: impl FnOnce(&T) -> String,
) -> Result<(), Failure> {
    let text = if json {
        serde_json::to_string(report).map_err(anyhow::Error::from)?
    } else {
        text(report)
    };
    Ok(print(&text)?)
}
