//! The languages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Texts;

/// A language that public pages and emails are written in.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
    strum::EnumString,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// German.
    De,
    /// French.
    Fr,
    /// Spanish.
    Es,
    /// Portuguese.
    Pt,
    /// Japanese.
    Ja,
}

impl Language {
    pub const ALL: [Self; 6] = [Self::En, Self::De, Self::Fr, Self::Es, Self::Pt, Self::Ja];

    /// Tags with what speakers call the languages, to choose among.
    pub const NAMES: [(&str, &str); Self::ALL.len()] = {
        let mut names = [("", ""); Self::ALL.len()];
        let mut place = 0;
        while place < names.len() {
            names[place] = (Self::ALL[place].code(), Self::ALL[place].name());
            place += 1;
        }
        names
    };

    /// The tag of the language in HTML and in storage: `de`.
    pub const fn code(self) -> &'static str {
        self.into_str()
    }

    /// The language with this tag.
    pub fn parse(code: &str) -> Option<Self> {
        code.parse().ok()
    }

    /// What speakers call the language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::De => "Deutsch",
            Self::Fr => "Français",
            Self::Es => "Español",
            Self::Pt => "Português",
            Self::Ja => "日本語",
        }
    }

    pub const fn texts(self) -> Texts {
        Texts(self)
    }
}
