//! Parts of a form that have rows of their own: rules, filters, steps.

use maud::Markup;
use serde_json::Value;

use super::{Choices, FormData};
use crate::{fault::Issue, pages::problem::Problems};

/// An input that is made of rows of fields.
pub(in crate::http::pages) trait Rows: std::fmt::Debug + Sync {
    /// Its fields for a value.
    fn fill(&self, value: &Value) -> Vec<(String, String)>;

    /// The value of its fields; `None` = empty.
    fn read(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value>;

    /// Whether a row is filled, which opens its section.
    fn is_used(&self, _: &FormData) -> bool {
        false
    }

    /// Its fields with their values, options and problems.
    fn draw(&self, sent: &FormData, choices: &Choices, problems: &Problems) -> Markup;
}
