//! The emails that the people of an organization get.

use serde::{Deserialize, Serialize};

use crate::actors::{text_enum::text_enums, validation::ValidationError};

/// Entries of a list at most.
const MAX: usize = 100;
/// Characters of an entry.
const MAX_ENTRY: usize = 300;

/// The choices of an organization. Missing fields have their defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Notifications {
    pub ai_agents: AiAgents,
    pub billing: Billing,
    pub tracking_health: TrackingHealth,
    pub uptime: Uptime,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AiAgents {
    pub weekly_digest: bool,
}

impl Default for AiAgents {
    fn default() -> Self {
        Self {
            weekly_digest: true,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Billing {
    /// A word before a quota is used up.
    pub usage_warnings: bool,
}

impl Default for Billing {
    fn default() -> Self {
        Self {
            usage_warnings: true,
        }
    }
}

/// Which tracking issues are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Mode {
    Off,
    /// What keeps all events out.
    CriticalOnly,
    WarningsAndCritical,
}

text_enums!(Mode);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TrackingHealth {
    pub mode: Mode,
    /// Minutes between two mails about the same, 15 to 10,080.
    pub cooldown_minutes: u32,
    pub ignored_origins: Vec<String>,
    pub ignored_reasons: Vec<String>,
}

impl Default for TrackingHealth {
    fn default() -> Self {
        Self {
            mode: Mode::CriticalOnly,
            cooldown_minutes: 1440,
            ignored_origins: Vec::new(),
            ignored_reasons: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Uptime {
    pub down_emails: bool,
    pub recovery_emails: bool,
}

impl Default for Uptime {
    fn default() -> Self {
        Self {
            down_emails: true,
            recovery_emails: true,
        }
    }
}

impl Notifications {
    /// Reads what is stored; what is damaged is as usual.
    pub(super) fn read(stored: Option<&str>) -> Option<Self> {
        serde_json::from_str(stored?).ok()
    }

    pub(super) fn stored(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The same, if it is acceptable.
    pub(super) fn checked(&self) -> Result<Self, ValidationError> {
        let health = &self.tracking_health;
        ValidationError::require(
            (15..=10_080).contains(&health.cooldown_minutes),
            "settings.trackingHealth.cooldownMinutes",
            "The time between two mails must be 15 to 10,080 minutes",
        )?;
        let [origins, reasons] = [&health.ignored_origins, &health.ignored_reasons].map(|list| {
            let fits = |entry: &String| (1..=MAX_ENTRY).contains(&entry.chars().count());
            list.len() <= MAX && list.iter().all(fits)
        });
        let message = "The list must have at most 100 entries of 1 to 300 characters";
        let field = "settings.trackingHealth.ignoredOrigins";
        ValidationError::require(origins, field, message)?;
        let field = "settings.trackingHealth.ignoredReasons";
        ValidationError::require(reasons, field, message)?;
        Ok(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_back_and_what_is_not_said_is_as_usual() {
        let mut changed = Notifications::default();
        changed.tracking_health.mode = Mode::Off;
        let stored = changed.stored();
        assert_eq!(Notifications::read(Some(&stored)), Some(changed));
        assert_eq!(
            Notifications::read(Some("{}")),
            Some(Notifications::default())
        );
        assert_eq!(Notifications::read(Some("[")), None);
    }

    #[test]
    fn both_sides_of_every_bound() {
        for (minutes, passes) in [(14, false), (15, true), (10_080, true), (10_081, false)] {
            let mut one = Notifications::default();
            one.tracking_health.cooldown_minutes = minutes;
            assert_eq!(one.checked().is_ok(), passes, "{minutes}");
        }
        for (entries, length, passes) in [
            (100, 300, true),
            (101, 1, false),
            (1, 301, false),
            (1, 0, false),
        ] {
            let mut one = Notifications::default();
            one.tracking_health.ignored_origins = vec!["x".repeat(length); entries];
            assert_eq!(one.checked().is_ok(), passes, "{entries} {length}");
        }
    }
}
