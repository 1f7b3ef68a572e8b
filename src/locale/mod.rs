//! What people read, in their language: texts, numbers, dates and lengths of time.
//!
//! The texts are Fluent files in `texts/`, one for each [`Language`]. `messages.rs` lists them as functions of [`Texts`], so an
//! unknown text or a missing argument doesn't compile. A test fails if a language lacks a text, or has one that nothing uses.
//! Texts that code has in English are in a table beside them (`labels.rs`): labels of dashboards, and the pages before a sign-in.
//! What programs read (errors, the API's JSON) stays English.

mod catalogue;
mod labels;
mod language;
mod messages;
mod negotiate;
mod number;
#[cfg(test)]
mod tests;
mod time;

pub use self::{language::Language, number::group_digits};

/// The texts of a language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Texts(Language);

impl Texts {
    pub const ENGLISH: Self = Self(Language::En);

    pub const fn language(self) -> Language {
        self.0
    }

    /// One sentence behind the other.
    pub fn sentences(self, first: &str, second: &str) -> String {
        let between = match self.0 {
            Language::Ja => "",
            _ => " ",
        };
        format!("{first}{between}{second}")
    }

    /// Names in a row: `a, b`.
    pub fn list<T: AsRef<str>>(self, names: &[T]) -> String {
        let separator = match self.0 {
            Language::Ja => "、",
            _ => ", ",
        };
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        names.join(separator)
    }
}
