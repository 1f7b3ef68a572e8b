//! Monitors and status pages of other products.

mod gatus;
mod statuspage;
mod uptime_kuma;
mod uptimerobot;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ImportError, Plan, Source};
use crate::actors::monitors::{Granularity, MonitorFields};

/// A product whose exported monitors can be imported.
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
#[schemars(rename = "MonitorImportFormat")]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub enum MonitorFormat {
    /// `config.yaml`.
    Gatus,
    /// Answers of the API in one object: `page`, `components`, `incidents`, `subscribers`.
    Statuspage,
    /// `kuma.db`, or the JSON backup of version 1.
    UptimeKuma,
    /// CSV of the dashboard, or JSON of `POST /v2/getMonitors`.
    #[serde(rename = "uptimerobot")]
    #[strum(serialize = "uptimerobot")]
    UptimeRobot,
}

impl MonitorFormat {
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Tables of definitions where the file is a database.
    pub const TABLES: &'static [crate::store::foreign_tables::Table] = uptime_kuma::TABLES;

    pub const fn name(self) -> &'static str {
        self.into_str()
    }

    /// The name of the product.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Gatus => "Gatus",
            Self::Statuspage => "Statuspage",
            Self::UptimeKuma => "Uptime Kuma",
            Self::UptimeRobot => "UptimeRobot",
        }
    }

    /// # Errors
    /// The file cannot be read as an export of this product.
    pub fn read(self, source: &Source<'_>) -> Result<Plan, ImportError> {
        match self {
            Self::Gatus => gatus::read(source),
            Self::Statuspage => statuspage::read(source),
            Self::UptimeKuma => uptime_kuma::read(source),
            Self::UptimeRobot => uptimerobot::read(source),
        }
    }
}

/// Intervals that have a granularity, in seconds.
const GRANULARITIES: [(u64, Granularity); 9] = [
    (30, Granularity::ThirtySeconds),
    (60, Granularity::Minute),
    (300, Granularity::FiveMinutes),
    (600, Granularity::TenMinutes),
    (1_800, Granularity::ThirtyMinutes),
    (3_600, Granularity::Hour),
    (21_600, Granularity::SixHours),
    (43_200, Granularity::TwelveHours),
    (86_400, Granularity::Day),
];

/// Sets how often a monitor is checked. What neither a granularity nor a cron expression can say becomes the next
/// longer granularity, which is told.
pub(super) fn set_interval(fields: &mut MonitorFields, seconds: u64) -> Option<String> {
    let exact = GRANULARITIES.iter().find(|(own, _)| *own == seconds);
    if let Some((_, granularity)) = exact {
        fields.granularity = Some(*granularity);
        return None;
    }
    let minutes = seconds / 60;
    let cron = match seconds % 60 {
        0 if (1..60).contains(&minutes) && 60 % minutes == 0 => {
            Some(format!("*/{minutes} * * * *"))
        }
        0 if minutes.is_multiple_of(60)
            && (1..24).contains(&(minutes / 60))
            && 24 % (minutes / 60) == 0 =>
        {
            Some(format!("0 */{} * * *", minutes / 60))
        }
        _ => None,
    };
    if let Some(cron) = cron {
        fields.cron = Some(cron);
        return None;
    }
    let longer = GRANULARITIES.iter().find(|(own, _)| *own > seconds);
    let (own, granularity) = longer.or(GRANULARITIES.last()).copied()?;
    fields.granularity = Some(granularity);
    Some(format!(
        "It is checked every {own} seconds instead of {seconds}"
    ))
}

/// Why the type of a monitor has no place.
fn no_type(kind: &str) -> String {
    format!("pharos has no monitors of type `{kind}`")
}
