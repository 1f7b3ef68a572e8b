//! The words of a statement's text: which columns it may ask for.
//!
//! A column is read only where a word is its name, whatever that word means there: too many columns cost time, too few would
//! be an error. A statement names the columns of its result. A `*` in a subquery means the columns that the statement names.

use std::collections::HashSet;

#[derive(Debug)]
pub struct Words<'t>(HashSet<&'t str>);

impl<'t> Words<'t> {
    pub fn new(text: &'t str) -> Self {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        Self(words.collect())
    }

    pub fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// Columns as a list to select. Rows that are only counted have one, too.
pub(super) fn listed(columns: impl Iterator<Item = String>) -> String {
    let columns: Vec<String> = columns.collect();
    if columns.is_empty() {
        return "website".to_owned();
    }
    columns.join(", ")
}
