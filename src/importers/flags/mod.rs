//! Flags of other products.
//!
//! A flag decides the same for everybody as it did, or it is listed with the reason. Percentages between 0 and 100 are
//! refused where the product puts users into buckets of its own; those of Unleash are here as well.

mod flagsmith;
mod growthbook;
mod rule;
mod unleash;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ImportError, Plan, Source};

/// A product whose exported flags can be imported.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantArray,
)]
#[schemars(rename = "FlagImportFormat")]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum FlagFormat {
    /// JSON of a feature export, which is of one environment.
    Flagsmith,
    /// JSON of `GET /api/v1/features`, or of an SDK endpoint.
    GrowthBook,
    /// JSON of an environment's export.
    Unleash,
}

impl FlagFormat {
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    pub const fn name(self) -> &'static str {
        self.into_str()
    }

    /// The name of the product.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Flagsmith => "Flagsmith",
            Self::GrowthBook => "GrowthBook",
            Self::Unleash => "Unleash",
        }
    }

    /// # Errors
    /// The file cannot be read as an export of this product.
    pub fn read(self, source: &Source<'_>) -> Result<Plan, ImportError> {
        match self {
            Self::Flagsmith => flagsmith::read(source),
            Self::GrowthBook => growthbook::read(source),
            Self::Unleash => unleash::read(source),
        }
    }
}

/// The environment that is read unless another one is named.
const ENVIRONMENT: &str = "production";

/// A description within the bound of ours.
fn description(text: Option<&str>) -> Option<String> {
    const MAX: usize = 500;
    let text = text?.trim();
    (!text.is_empty()).then(|| text.chars().filter(|one| *one != '\0').take(MAX).collect())
}
