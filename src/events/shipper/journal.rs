//! `shipper.json` in the data directory: what ClickHouse has, and which batch is on its way there.
//!
//! A batch is recorded before it is sent for the first time, and until its outcome is known nothing else is sent. So
//! whoever finds this file after a crash sends the same rows in the same order under the same name.

use std::{fs, io, ops::RangeInclusive, path::Path};

use serde::{Deserialize, Serialize};

use crate::events::log::{Lsn, recovery::write_durably};

pub const FILE: &str = "shipper.json";

/// How far the log is shipped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    /// ClickHouse has the log up to here.
    pub cursor: Lsn,
    /// The batch behind it, once it may have been sent.
    pub batch: Option<Stretch>,
}

/// A stretch of the log that is sent as one batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// First position.
    pub from: Lsn,
    /// Last position.
    pub to: Lsn,
    /// Positions in it that were acknowledged, as first and last of each run. A frame between them, of which a sync failed,
    /// may turn up after a crash; it is nobody's.
    pub frames: Vec<(Lsn, Lsn)>,
    /// Records (position, and number in its frame) that another node stores under the same id, and that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<(Lsn, u32)>,
}

impl Stretch {
    /// The stretch behind `cursor` with these acknowledged positions.
    pub fn behind(cursor: Lsn, to: Lsn, frames: &[RangeInclusive<Lsn>]) -> Self {
        let runs = frames.iter().map(|run| (*run.start(), *run.end()));
        Self {
            from: cursor + 1,
            to,
            frames: runs.collect(),
            elsewhere: Vec::new(),
        }
    }

    /// Whether the frame at a position is sent with the batch; `None` when the position is not of this stretch.
    pub fn sends(&self, lsn: Lsn) -> Option<bool> {
        let sent = || self.frames.iter().any(|run| run.0 <= lsn && lsn <= run.1);
        (self.from <= lsn && lsn <= self.to).then(sent)
    }

    /// Whether another one is of the same frames.
    pub fn is_of(&self, other: &Self) -> bool {
        (self.from, self.to) == (other.from, other.to) && self.frames == other.frames
    }

    /// The name under which the batch is known for ever.
    pub fn token(&self, node: &str) -> String {
        format!("{node}:{}-{}", self.from, self.to)
    }
}

impl Journal {
    /// Reads it; `None` when nothing was ever shipped from this directory.
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

    /// Writes it; on disk when this returns.
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
            batch: Some(Stretch::behind(4, 9, &[5..=6, 8..=9])),
        };
        journal.write(directory.path()).unwrap();
        assert_eq!(Journal::read(directory.path()).unwrap(), Some(journal));
        fs::write(directory.path().join(FILE), b"{").unwrap();
        let refused = Journal::read(directory.path()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn frames_that_nobody_acknowledged_are_not_sent() {
        let stretch = Stretch::behind(4, 9, &[5..=6, 8..=9]);
        let sends = [4, 5, 6, 7, 8, 9, 10].map(|lsn| stretch.sends(lsn));
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(sends, [None, yes, yes, no, yes, yes, None]);
        assert_eq!(stretch.token("n"), "n:5-9");
    }
}
