//! What a plan says, and what came of it: what commands print, and what a server tells a command.

use serde::{Deserialize, Serialize};

use crate::config::Mistake;

/// A plan, and what became of it when it was applied.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The directory of the declarations.
    pub directory: String,
    /// Whether there is such a directory.
    pub there: bool,
    /// What is wrong with them. Nothing was done then.
    pub mistakes: Vec<Wrong>,
    /// What would be done, or was, in order; what stays as it is comes too.
    pub steps: Vec<PlannedStep>,
    /// Why applying stopped. What had been done was taken back, as far as `undone` says.
    pub stopped: Option<Wrong>,
    /// Things that could not be brought back to what they were, with the reason.
    pub left: Vec<String>,
}

/// Something that is wrong.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Wrong {
    /// Where and what.
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
    /// It is declared no more, and stays or is gone already.
    Forget,
    /// Nothing is done, because somebody's work would be lost.
    Conflict,
    /// It is as it should be.
    Unchanged,
}

impl Report {
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

impl From<&Mistake> for Wrong {
    fn from(mistake: &Mistake) -> Self {
        Self {
            what: mistake.to_string(),
            hint: mistake.hint.clone(),
        }
    }
}
