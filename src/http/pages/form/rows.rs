//! Parts of a form that have rows of their own: rules, filters, steps.

use maud::Markup;
use serde_json::Value;

use super::FormData;
use crate::{fault::Issue, pages::problem::Problems};

/// A part of a form that is filled, read and drawn by hand.
pub(in crate::http::pages) trait Rows: std::fmt::Debug + Sync {
    /// What is there, as fields of the form.
    fn fill(&self, value: &Value) -> Vec<(String, String)>;

    /// What its fields say; `None` when they say nothing.
    fn read(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value>;

    /// Whether something is in them, which opens the section that they are in.
    fn is_used(&self, _: &FormData) -> bool {
        false
    }

    /// Its fields, with what is in them and what is wrong with them.
    fn draw(&self, sent: &FormData, problems: &Problems) -> Markup;
}
