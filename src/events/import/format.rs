//! The formats of files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of file it is.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", const_into_str)]
#[schemars(rename = "EventImportFormat")]
pub enum Format {
    /// A web server's log in the combined format.
    AccessLog,
    /// `website_event.csv` of an Umami export.
    Umami,
    /// An export of pharos, as CSV or NDJSON.
    #[serde(rename = "pharos")]
    #[strum(serialize = "pharos")]
    Own,
    /// The zip archive that Plausible exports.
    Plausible,
    /// The BigQuery export of Google Analytics 4, as JSON lines or Parquet.
    Ga4,
    /// Visits of Matomo's `Live.getLastVisitsDetails`, as JSON.
    Matomo,
    /// A batch export of PostHog's events, as JSON lines or Parquet.
    #[serde(rename = "posthog")]
    #[strum(serialize = "posthog")]
    PostHog,
}

impl Format {
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Its name on the command line and on the wire.
    pub const fn name(self) -> &'static str {
        self.into_str()
    }

    /// The format of this name.
    pub fn find(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// What people call it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::AccessLog => "Access log",
            Self::Umami => "Umami",
            Self::Own => "pharos",
            Self::Plausible => "Plausible",
            Self::Ga4 => "Google Analytics 4",
            Self::Matomo => "Matomo",
            Self::PostHog => "PostHog",
        }
    }
}
