//! Labels: texts without arguments, which code has in English and `texts/labels.tsv` in the other languages, a line each.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use super::{Language, Texts};

pub(super) const TABLE: &str = include_str!("texts/labels.tsv");

type Row = HashMap<&'static str, &'static str>;

/// The languages' labels by the English one.
static LABELS: LazyLock<HashMap<&str, Row>> = LazyLock::new(|| {
    let mut lines = TABLE.lines().map(|line| line.split('\t'));
    let codes: Vec<&str> = lines.next().into_iter().flatten().skip(1).collect();
    let row = |mut cells: std::str::Split<'static, char>| {
        let english = cells.next()?;
        Some((english, codes.iter().copied().zip(cells).collect()))
    };
    lines.filter_map(row).collect()
});

impl Texts {
    /// A label in this language; one that the table does not have stays as it is.
    pub fn label(self, english: &str) -> &str {
        if self.language() == Language::En {
            return english;
        }
        let row = LABELS.get(english);
        row.and_then(|row| row.get(self.language().code()))
            .copied()
            .unwrap_or(english)
    }

    /// A label within a sentence: German nouns keep their capital, others begin small.
    pub fn noun(self, english: &str) -> Cow<'_, str> {
        let label = self.label(english);
        match self.language() {
            Language::De | Language::Ja => Cow::Borrowed(label),
            _ => Cow::Owned(label.to_lowercase()),
        }
    }
}
