//! Places where fault drills make things go wrong.
//!
//! A drill names a directory; a file in it with the name of a place says what happens there: `fail`, or `wait` until the
//! file is gone. Only builds for drills and debug builds are given such a directory.

use std::{fs, io, path::PathBuf, thread, time::Duration};

/// How often a place that waits looks again.
const LOOK: Duration = Duration::from_millis(20);

/// What goes wrong where.
#[derive(Debug, Clone, Default)]
pub struct Failpoints(Option<PathBuf>);

impl Failpoints {
    /// Places whose files are in this directory.
    pub fn in_directory(directory: impl Into<PathBuf>) -> Self {
        Self(Some(directory.into()))
    }

    /// Passes a place, or does not; one that waits also ends when the program is `stopped`.
    pub fn pass(&self, place: &str, stopped: impl Fn() -> bool) -> io::Result<()> {
        let Some(directory) = &self.0 else {
            return Ok(());
        };
        let file = directory.join(place);
        loop {
            match fs::read_to_string(&file) {
                Ok(told) if told.trim() == "wait" && !stopped() => thread::park_timeout(LOOK),
                Ok(told) if told.trim() == "fail" => {
                    return Err(io::Error::other(format!("the drill lets `{place}` fail")));
                }
                _ => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_fails_waits_or_lets_pass_as_its_file_says() {
        let directory = tempfile::tempdir().unwrap();
        let points = Failpoints::in_directory(directory.path());
        let file = directory.path().join("seal");
        assert!(points.pass("seal", || false).is_ok());
        fs::write(&file, "fail\n").unwrap();
        assert!(points.pass("seal", || false).is_err());
        assert!(points.pass("merge", || false).is_ok());
        assert!(Failpoints::default().pass("seal", || false).is_ok());
        fs::write(&file, "wait").unwrap();
        assert!(points.pass("seal", || true).is_ok(), "the program stops");
        let waiting = thread::spawn(move || points.pass("seal", || false));
        fs::remove_file(&file).unwrap();
        assert!(waiting.join().unwrap().is_ok());
    }
}
