//! Issues of fields, collected field by field.

use std::fmt::Display;

use crate::fault::Issue;

#[derive(Debug, Default)]
pub(super) struct Issues {
    /// Put before the name of every field, such as `links.3.`.
    prefix: String,
    list: Vec<Issue>,
}

impl Issues {
    pub(super) fn with_prefix(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
            list: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn refuse(&mut self, code: &'static str, field: &str, message: impl Display) {
        let field = format!("{}{field}", self.prefix);
        self.list.push(Issue::new(code, field, message.to_string()));
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

    /// The value that was read. An error refuses the field.
    pub(super) fn accept<T>(
        &mut self,
        read: Result<T, impl Display>,
        code: &'static str,
        field: &str,
    ) -> Option<T> {
        read.map_err(|why| self.refuse(code, field, why)).ok()
    }

    pub(super) fn extend(&mut self, issues: Vec<Issue>) {
        self.list.extend(issues);
    }

    pub(super) fn into_list(self) -> Vec<Issue> {
        self.list
    }

    /// The value, unless there are issues.
    pub(super) fn finish<T>(self, value: T) -> Result<T, Vec<Issue>> {
        if self.list.is_empty() {
            Ok(value)
        } else {
            Err(self.list)
        }
    }
}
