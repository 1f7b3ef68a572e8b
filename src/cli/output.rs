//! The one place that writes to standard output.

use std::io::{self, Write};

/// Writes a text and a line break. A reader that went away (`pharos openapi | head`) is no failure.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
