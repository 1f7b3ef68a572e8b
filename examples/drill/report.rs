//! What came of a drill, in one line.

use std::fmt;

/// No drill, but what the figures of drills depend on.
pub(crate) const DISK: &str = "the disk";

/// Figures and faults of a drill.
#[derive(Debug)]
pub(crate) struct Report {
    /// `F1 kills`, …
    pub(crate) name: &'static str,
    figures: Vec<String>,
    faults: Vec<String>,
    skipped: Option<String>,
}

impl Report {
    /// Nothing known yet.
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            figures: Vec::new(),
            faults: Vec::new(),
            skipped: None,
        }
    }

    /// A drill that this machine does not allow.
    pub(crate) fn skipped(name: &'static str, why: impl Into<String>) -> Self {
        Self {
            skipped: Some(why.into()),
            ..Self::new(name)
        }
    }

    /// Says how far a long drill is.
    pub(crate) fn so_far(&self, text: impl fmt::Display) {
        println!("{}, so far: {text}", self.name);
    }

    /// A figure.
    pub(crate) fn figure(&mut self, text: impl Into<String>) {
        self.figures.push(text.into());
    }

    /// What has to hold; `what` says what does not.
    pub(crate) fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(what());
        }
    }

    /// Whether everything held although it could not.
    pub(crate) fn is_blind(&self) -> bool {
        self.passed() && self.skipped.is_none() && self.name != DISK
    }

    /// Whether a ledger found so many of a kind: `12 lost`, `1 doubled`.
    pub(crate) fn counts(&self, kind: &str) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|fault| {
            let counted = fault.split_once(' ');
            counted.is_some_and(|(count, of)| of == kind && count.parse::<u64>().is_ok())
        })
    }

    /// Whether this machine does not allow it.
    pub(crate) fn is_skipped(&self) -> bool {
        self.skipped.is_some()
    }

    /// Whether everything held. A skipped drill has not failed.
    pub(crate) fn passed(&self) -> bool {
        self.faults.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.skipped {
            let name = self.name;
            return write!(
                formatter,
                "!! {name}: SKIPPED, NOTHING of it was tried: {why}"
            );
        }
        write!(formatter, "{}: {}", self.name, self.figures.join(", "))?;
        if self.passed() {
            write!(formatter, ": pass")
        } else {
            write!(formatter, ": FAIL, {}", self.faults.join("; "))
        }
    }
}
