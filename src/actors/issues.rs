//! What is wrong with fields, collected field by field.

use std::fmt::Display;

use crate::fault::Issue;

#[derive(Debug, Default)]
pub(super) struct Issues(Vec<Issue>);

impl Issues {
    pub(super) fn refuse(&mut self, code: &'static str, field: &str, message: impl Display) {
        self.0.push(Issue::new(code, field, message.to_string()));
    }

    /// Refuses a field unless this holds.
    pub(super) fn require(
        &mut self,
        holds: bool,
        code: &'static str,
        field: &str,
        message: impl Display,
    ) {
        if !holds {
            self.refuse(code, field, message);
        }
    }

    /// What is read, if it is; why it is not is in its sentence.
    pub(super) fn accept<T>(
        &mut self,
        read: Result<T, impl Display>,
        code: &'static str,
        field: &str,
    ) -> Option<T> {
        read.map_err(|why| self.refuse(code, field, why)).ok()
    }

    pub(super) fn extend(&mut self, issues: Vec<Issue>) {
        self.0.extend(issues);
    }

    pub(super) fn into_list(self) -> Vec<Issue> {
        self.0
    }

    /// The value, if nothing is wrong.
    pub(super) fn finish<T>(self, value: T) -> Result<T, Vec<Issue>> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(self.0)
        }
    }
}
