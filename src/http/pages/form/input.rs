//! Tables of inputs: each row has the field's place in the JSON, its label, its kind and its hint.

use super::{FormData, Rows};
use crate::pages::{problem::Problems, time::DateFormat};

/// Values with their labels.
pub(super) type Among = &'static [(&'static str, &'static str)];

/// An input of a form.
#[derive(Debug, Clone, Copy)]
pub(in crate::http::pages) struct Input {
    /// Its name in the form, and where it is in the JSON: `expect.status` is `/expect/status`.
    pub(in crate::http::pages) name: &'static str,
    pub(in crate::http::pages) label: &'static str,
    pub(in crate::http::pages) kind: Kind,
    pub(in crate::http::pages) hint: &'static str,
    pub(in crate::http::pages) need: Need,
    pub(in crate::http::pages) empty: Empty,
    /// The default of an empty input; `""` = none.
    pub(in crate::http::pages) usual: &'static str,
    /// Kinds of the resource that have it; empty = all.
    pub(in crate::http::pages) only: &'static [&'static str],
    /// The id of the list that completes what is typed; `""` = none.
    pub(in crate::http::pages) list: &'static str,
}

/// The kind of value of an input.
#[derive(Debug, Clone, Copy)]
pub(in crate::http::pages) enum Kind {
    /// A line of text with its HTML type: `text`, `url`.
    Line(&'static str),
    /// Text of so many lines.
    Area(u8),
    /// A secret, which is written and never shown. `has` in the JSON is true if there is one.
    Secret {
        has: &'static str,
        /// The box that removes it, and its label.
        clear: (&'static str, &'static str),
        /// The hint if there is one.
        kept: &'static str,
    },
    /// A whole number up to this one.
    Number(u64),
    /// A list of texts, one a line, in so many lines.
    Lines(u8),
    /// A number, a whole one where it is one.
    Decimal,
    /// JSON in so many lines of text.
    Json(u8),
    /// Rows, which are fields of their own.
    Rows(&'static dyn Rows),
    /// A box, and its default.
    Checkbox(bool),
    /// One of these values, or of [`super::Choices`].
    Choice(Among),
    /// Some of these values, or of [`super::Choices`].
    Several(Among),
    /// A list of words, separated by commas.
    Words,
    /// Lines of a word and an address: a JSON object.
    Pairs,
    /// Lines of a weight and an address: a JSON list of objects.
    Weights,
    /// A moment, in the reader's time zone.
    Moment,
    /// Windows of time.
    Windows,
    /// A value that the form repeats.
    Hidden,
    /// No input, but a sentence for the reader: its label.
    Note,
    /// No input, but another button that sends the form, with this name.
    Button,
}

/// Whether an input is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http::pages) enum Need {
    Required,
    Optional,
    /// Optional, without saying so.
    Quiet,
    /// Required unless this other input is filled.
    Unless(&'static str),
}

/// The value of an empty input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http::pages) enum Empty {
    Null,
    /// None: the field is not in the JSON.
    Omit,
    /// The empty text, which the procedure refuses as too short.
    Text,
    /// The empty list.
    List,
    /// None, with the issue that it is missing.
    Missing,
}

impl Input {
    pub(in crate::http::pages) const fn new(
        kind: Kind,
        name: &'static str,
        label: &'static str,
    ) -> Self {
        Self {
            name,
            label,
            kind,
            hint: "",
            need: Need::Optional,
            empty: Empty::Null,
            usual: "",
            only: &[],
            list: "",
        }
    }

    pub(in crate::http::pages) const fn line(name: &'static str, label: &'static str) -> Self {
        Self::new(Kind::Line("text"), name, label)
    }

    pub(in crate::http::pages) const fn number(name: &'static str, label: &'static str) -> Self {
        Self::new(Kind::Number(u32::MAX as u64), name, label)
    }

    pub(in crate::http::pages) const fn checkbox(name: &'static str, label: &'static str) -> Self {
        Self::new(Kind::Checkbox(false), name, label)
    }

    pub(in crate::http::pages) const fn choice(
        name: &'static str,
        label: &'static str,
        among: Among,
    ) -> Self {
        Self::new(Kind::Choice(among), name, label)
    }

    /// A sentence among the inputs.
    pub(in crate::http::pages) const fn note(text: &'static str) -> Self {
        Self::new(Kind::Note, "", text)
    }

    /// Another button that sends the form.
    pub(in crate::http::pages) const fn button(name: &'static str, label: &'static str) -> Self {
        Self::new(Kind::Button, name, label)
    }

    pub(in crate::http::pages) const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    pub(in crate::http::pages) const fn need(self, need: Need) -> Self {
        Self { need, ..self }
    }

    /// Required; an empty input is the empty text.
    pub(in crate::http::pages) const fn required(self) -> Self {
        Self {
            need: Need::Required,
            empty: Empty::Text,
            ..self
        }
    }

    pub(in crate::http::pages) const fn empty(self, empty: Empty) -> Self {
        Self { empty, ..self }
    }

    pub(in crate::http::pages) const fn usual(self, usual: &'static str) -> Self {
        Self { usual, ..self }
    }

    pub(in crate::http::pages) const fn only(self, only: &'static [&'static str]) -> Self {
        Self { only, ..self }
    }

    pub(in crate::http::pages) const fn list(self, list: &'static str) -> Self {
        Self { list, ..self }
    }

    /// Whether its value differs from the default.
    pub(super) fn is_used(&self, sent: &FormData) -> bool {
        let text = sent.some(self.name);
        match self.kind {
            Kind::Note | Kind::Button | Kind::Hidden => false,
            Kind::Rows(rows) => rows.is_used(sent),
            Kind::Checkbox(usual) => sent.is_on(self.name) != usual,
            Kind::Choice(among) => {
                let first = among.first().map_or("", |(value, _)| value);
                text.is_some_and(|text| text != first && text != self.usual)
            }
            Kind::Secret { has, .. } => text.is_some() || sent.is_on(has),
            Kind::Windows => self.windows().is_used(sent, &Problems::NONE),
            _ => text.is_some(),
        }
    }
}

/// A group of inputs.
#[derive(Debug, Clone, Copy)]
pub(in crate::http::pages) struct Section {
    /// The title that hides them until one is used or wrong; `""` = always visible.
    pub(in crate::http::pages) title: &'static str,
    pub(in crate::http::pages) inputs: &'static [Input],
}

impl Section {
    /// Inputs that are always visible.
    pub(in crate::http::pages) const fn plain(inputs: &'static [Input]) -> Self {
        Self { title: "", inputs }
    }

    /// Inputs behind a title.
    pub(in crate::http::pages) const fn behind(
        title: &'static str,
        inputs: &'static [Input],
    ) -> Self {
        Self { title, inputs }
    }
}

/// The inputs of a form, with the formats of its reader.
#[derive(Debug, Clone, Copy)]
pub(in crate::http::pages) struct Inputs<'a> {
    pub(in crate::http::pages) sections: &'static [Section],
    /// The kind of the resource; `""` = the inputs of all kinds.
    pub(in crate::http::pages) kind: &'a str,
    pub(in crate::http::pages) date_format: &'a DateFormat,
}

impl<'a> Inputs<'a> {
    pub(in crate::http::pages) const fn new(
        sections: &'static [Section],
        kind: &'a str,
        date_format: &'a DateFormat,
    ) -> Self {
        Self {
            sections,
            kind,
            date_format,
        }
    }

    /// The inputs of a section that its kind has.
    pub(super) fn in_section(&self, section: &Section) -> impl Iterator<Item = &'static Input> {
        let is_own = |input: &&Input| {
            self.kind.is_empty() || input.only.is_empty() || input.only.contains(&self.kind)
        };
        section.inputs.iter().filter(is_own)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &'static Input> {
        let own = self
            .sections
            .iter()
            .flat_map(|section| self.in_section(section));
        own.filter(|input| !matches!(input.kind, Kind::Note | Kind::Button))
    }
}
