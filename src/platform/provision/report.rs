//! A plan and its outcome: what commands print, and what a server answers a command.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::config::{Mistake, Mistakes};

/// A plan, and what became of it when it was applied.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The directory of the declarations.
    pub directory: String,
    /// Whether that directory exists.
    pub there: bool,
    /// What is wrong with them. Nothing was done then.
    pub mistakes: Vec<Problem>,
    /// What would be done, or was, in order; what stays as it is comes too.
    pub steps: Vec<PlannedStep>,
    /// Why applying stopped. What had been done was undone, except for `left`.
    pub stopped: Option<Problem>,
    /// Things that could not be brought back to what they were, with the reason.
    pub left: Vec<String>,
}

/// Something that is wrong.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Problem {
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedStep {
    /// What it is about, such as `monitors.home`.
    pub key: String,
    pub organization: String,
    pub action: Action,
    /// The fields that change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Why, where it is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What is done about a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Create,
    /// What was made by hand is declared from now on.
    Adopt,
    Update,
    Delete,
    /// It is no longer declared, and stays or is gone already.
    Forget,
    /// Nothing is done, because manual changes would be lost.
    Conflict,
    /// It is as it should be.
    Unchanged,
}

impl Report {
    /// Declarations that are wrong.
    pub(super) fn from_mistakes(directory: &Path, mistakes: &Mistakes) -> Self {
        Self {
            directory: directory.display().to_string(),
            there: true,
            mistakes: mistakes.0.iter().map(Problem::from).collect(),
            ..Self::default()
        }
    }

    /// How many steps are of this kind.
    pub fn count(&self, action: Action) -> usize {
        let steps = self.steps.iter();
        steps.filter(|step| step.action == action).count()
    }

    /// Whether something would be done.
    pub fn is_work(&self) -> bool {
        let idle = [Action::Conflict, Action::Unchanged];
        self.steps.iter().any(|step| !idle.contains(&step.action))
    }
}

impl From<&Mistake> for Problem {
    fn from(mistake: &Mistake) -> Self {
        Self {
            what: mistake.to_string(),
            hint: mistake.hint.clone(),
        }
    }
}
