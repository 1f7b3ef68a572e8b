//! `shipper.json` in the data directory: how far ClickHouse has the log, and which batch is under way.
//!
//! A batch is recorded before it is first sent, and nothing else is sent until its outcome is known. After a crash the same
//! rows are therefore sent again, in the same order and under the same name.

use std::{fs, io, ops::RangeInclusive, path::Path};

use serde::{Deserialize, Serialize};

use crate::events::log::{Lsn, recovery::write_durably};

pub const FILE: &str = "shipper.json";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    /// ClickHouse has the log up to here.
    pub cursor: Lsn,
    /// The batch after it, as soon as it may have been sent.
    pub batch: Option<LogRange>,
}

/// A range of the log that is sent as one batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRange {
    pub from: Lsn,
    /// Last position.
    pub to: Lsn,
    /// Acknowledged positions, as first and last of each run. A frame between them is from a failed sync and may turn up after
    /// a crash; it is not sent.
    pub frames: Vec<(Lsn, Lsn)>,
    /// Records (position, and number in the frame) that are left out because another node stores the same id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<(Lsn, u32)>,
}

impl LogRange {
    /// The range after `cursor` with these acknowledged positions.
    pub fn after(cursor: Lsn, to: Lsn, frames: &[RangeInclusive<Lsn>]) -> Self {
        let runs = frames.iter().map(|run| (*run.start(), *run.end()));
        Self {
            from: cursor + 1,
            to,
            frames: runs.collect(),
            elsewhere: Vec::new(),
        }
    }

    /// Whether the batch includes the frame at a position; `None` when the position is outside of the range.
    pub fn includes(&self, lsn: Lsn) -> Option<bool> {
        let included = || self.frames.iter().any(|run| run.0 <= lsn && lsn <= run.1);
        (self.from <= lsn && lsn <= self.to).then(included)
    }

    pub fn has_same_frames(&self, other: &Self) -> bool {
        (self.from, self.to) == (other.from, other.to) && self.frames == other.frames
    }

    /// The permanent name of the batch.
    pub fn token(&self, node: &str) -> String {
        format!("{node}:{}-{}", self.from, self.to)
    }
}

impl Journal {
    /// Reads the file; `None` when nothing was ever shipped from this directory.
    pub fn read(data_dir: &Path) -> io::Result<Option<Self>> {
        let path = data_dir.join(FILE);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| {
                let message = format!("`{}` is damaged: {error}", path.display());
                io::Error::new(io::ErrorKind::InvalidData, message)
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes the file durably.
    pub fn write(&self, data_dir: &Path) -> io::Result<()> {
        write_durably(&data_dir.join(FILE), &serde_json::to_vec(self)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(Journal::read(directory.path()).unwrap(), None);
        let journal = Journal {
            cursor: 4,
            batch: Some(LogRange::after(4, 9, &[5..=6, 8..=9])),
        };
        journal.write(directory.path()).unwrap();
        assert_eq!(Journal::read(directory.path()).unwrap(), Some(journal));
        fs::write(directory.path().join(FILE), b"{").unwrap();
        let refused = Journal::read(directory.path()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn frames_that_were_not_acknowledged_are_not_sent() {
        let range = LogRange::after(4, 9, &[5..=6, 8..=9]);
        let included = [4, 5, 6, 7, 8, 9, 10].map(|lsn| range.includes(lsn));
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(included, [None, yes, yes, no, yes, yes, None]);
        assert_eq!(range.token("n"), "n:5-9");
    }
}
