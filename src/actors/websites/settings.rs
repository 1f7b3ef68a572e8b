//! A website's settings: what is stored, and how they change.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::{ingest_rules, stored_settings::WebsiteSettings};
use crate::actors::validation::ValidationError;
use crate::events::enrich::bot::{BotRules, Rules};

/// Entries of one list.
const MAX_ENTRIES: usize = 100;
/// Days for which events may be kept, if not for ever.
const MAX_DAYS: u32 = 36_500;

/// Settings of a website. Lists have at most 100 entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "WebsiteSettingsChange")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SettingsChange {
    /// Origins beside the website's own whose pages may send events: `https://shop.example`, `*.example.com` (what lies
    /// below), `localhost:3000`, `*`. A scheme does not count, a port does. With an entry, requests without an origin are
    /// refused (403).
    pub allowed_origins: Option<Vec<String>>,
    /// Addresses and networks that may send events; with an entry, all others are refused (403).
    pub allowed_ips: Option<Vec<String>>,
    /// Origins whose refused events are not reported as trouble.
    pub ignored_tracking_origins: Option<Vec<String>>,
    /// Whether trouble with tracking is not reported at all.
    pub tracking_issue_warnings_disabled: Option<bool>,
    /// Addresses and networks whose visits are left out. Like all exclusions: answered with success, counted, not
    /// stored.
    pub excluded_ips: Option<Vec<String>>,
    /// Countries whose visits are left out, by code or English name.
    pub excluded_countries: Option<Vec<String>>,
    /// Paths whose events are left out; `*` matches anything, `/docs/*` means `/docs` too.
    pub excluded_paths: Option<Vec<String>>,
    /// Hosts whose events are left out: `staging.example.com`, or `*.example.com` for what lies below.
    pub excluded_hosts: Option<Vec<String>>,
    /// Days after which the website's events are deleted, 0 = never; null = as the installation says
    /// (`events.retention_days`).
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(with = "Option<u32>")]
    pub retention_days: Option<RetentionDays>,
    /// Whether everyone counts as a person, also who says that it is a bot.
    pub ignore_bot_detection: Option<bool>,
    /// What becomes of single kinds of bots; kinds that are not named are treated as usual: AI agents and suspected bots
    /// `track_only`, every other self-declared bot `block`. A new rule also decides about what is stored already.
    pub bot_rules: Option<BotRules>,
}

/// Separates null, which is a value, from a missing field.
fn nullable<'de, D: Deserializer<'de>>(body: D) -> Result<Option<RetentionDays>, D::Error> {
    Option::deserialize(body).map(|days| Some(RetentionDays(days)))
}

/// A website's own number of days after which its events are deleted, 0 = never; `None` = as the installation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionDays(pub Option<u32>);

impl RetentionDays {
    fn checked(self) -> Result<Option<u32>, ValidationError> {
        if self.0.is_some_and(|days| days > MAX_DAYS) {
            let message = format!("must be at most {MAX_DAYS}");
            return Err(ValidationError::new(
                "settings.retentionDays".to_owned(),
                message,
            ));
        }
        Ok(self.0)
    }
}

impl WebsiteSettings {
    /// What becomes of bots.
    pub fn bots(&self) -> Rules<'_> {
        Rules::new(self.ignore_bot_detection, &self.bot_rules)
    }

    /// The settings after a change, every entry checked.
    pub(super) fn changed(mut self, change: SettingsChange) -> Result<Self, ValidationError> {
        let lists: [(_, _, _, Check); 7] = [
            (
                "allowedOrigins",
                &mut self.allowed_origins,
                change.allowed_origins,
                ingest_rules::origin,
            ),
            (
                "allowedIps",
                &mut self.allowed_ips,
                change.allowed_ips,
                ingest_rules::address,
            ),
            (
                "ignoredTrackingOrigins",
                &mut self.ignored_tracking_origins,
                change.ignored_tracking_origins,
                ingest_rules::origin,
            ),
            (
                "excludedIps",
                &mut self.excluded_ips,
                change.excluded_ips,
                ingest_rules::address,
            ),
            (
                "excludedCountries",
                &mut self.excluded_countries,
                change.excluded_countries,
                ingest_rules::country,
            ),
            (
                "excludedPaths",
                &mut self.excluded_paths,
                change.excluded_paths,
                ingest_rules::path,
            ),
            (
                "excludedHosts",
                &mut self.excluded_hosts,
                change.excluded_hosts,
                ingest_rules::site,
            ),
        ];
        for (name, list, new, check) in lists {
            if let Some(new) = new {
                *list = checked(name, &new, check)?;
            }
        }
        replace(
            &mut self.tracking_issue_warnings_disabled,
            change.tracking_issue_warnings_disabled,
        );
        if let Some(days) = change.retention_days {
            self.retention_days = days.checked()?;
        }
        replace(&mut self.ignore_bot_detection, change.ignore_bot_detection);
        replace(&mut self.bot_rules, change.bot_rules);
        Ok(self)
    }
}

fn replace<T>(old: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *old = new;
    }
}

type Check = fn(&str) -> Result<String, &'static str>;

/// Every entry as it is stored, each once.
fn checked(name: &str, entries: &[String], check: Check) -> Result<Vec<String>, ValidationError> {
    if entries.len() > MAX_ENTRIES {
        let message = format!(
            "`{name}` has {} entries; {MAX_ENTRIES} is the most",
            entries.len()
        );
        return Err(ValidationError::new(format!("settings.{name}"), message));
    }
    let mut stored = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let entry = check(entry.trim()).map_err(|wanted| {
            let message = format!("entry {index} of `{name}` {wanted}");
            ValidationError::new(format!("settings.{name}.{index}"), message)
        })?;
        if !stored.contains(&entry) {
            stored.push(entry);
        }
    }
    Ok(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> Vec<String> {
        entries.iter().map(|entry| (*entry).to_owned()).collect()
    }

    #[test]
    fn entries_are_stored_in_one_spelling_and_the_rest_stays() {
        let before = WebsiteSettings {
            excluded_hosts: vec!["a.example".into()],
            ..WebsiteSettings::default()
        };
        let change = SettingsChange {
            allowed_origins: Some(list(&[
                " HTTPS://Shop.Example/ ",
                "*.Preview.dev",
                "*.preview.dev",
                "localhost:3000",
                "[::1]",
            ])),
            allowed_ips: Some(list(&[
                "203.0.113.7",
                "203.0.113.7/32",
                "::ffff:203.0.113.7",
                "10.1.2.3/8",
                "2001:DB8::/32",
            ])),
            excluded_countries: Some(list(&["germany", "us", "DE"])),
            excluded_paths: Some(list(&["/admin/*", "/"])),
            tracking_issue_warnings_disabled: Some(true),
            ..SettingsChange::default()
        };
        let after = before.changed(change).unwrap();
        assert_eq!(
            after.allowed_origins,
            [
                "https://shop.example/",
                "*.preview.dev",
                "localhost:3000",
                "[::1]"
            ]
        );
        assert_eq!(
            after.allowed_ips,
            ["203.0.113.7", "10.0.0.0/8", "2001:db8::/32"]
        );
        assert_eq!(after.excluded_countries, ["DE", "US"]);
        assert_eq!(after.excluded_paths, ["/admin/*", "/"]);
        assert_eq!(after.excluded_hosts, ["a.example"]);
        assert!(after.tracking_issue_warnings_disabled);
        let emptied = after.changed(SettingsChange {
            allowed_ips: Some(list(&[])),
            ..SettingsChange::default()
        });
        assert!(emptied.unwrap().allowed_ips.is_empty());
    }

    #[test]
    fn what_is_no_entry_is_named() {
        let origins = |entry: &str| SettingsChange {
            allowed_origins: Some(list(&["example.com", entry])),
            ..SettingsChange::default()
        };
        let ips = |entry: &str| SettingsChange {
            allowed_ips: Some(list(&[entry])),
            ..SettingsChange::default()
        };
        let long = format!("/{}", "a".repeat(512));
        let paths = |entry: &str| SettingsChange {
            excluded_paths: Some(list(&[entry])),
            ..SettingsChange::default()
        };
        let hosts = |entry: &str| SettingsChange {
            excluded_hosts: Some(list(&[entry])),
            ..SettingsChange::default()
        };
        let countries = SettingsChange {
            excluded_countries: Some(list(&["Atlantis"])),
            ..SettingsChange::default()
        };
        let many = SettingsChange {
            excluded_ips: Some(vec!["10.0.0.1".to_owned(); 101]),
            ..SettingsChange::default()
        };
        for (change, field) in [
            (origins(""), "settings.allowedOrigins.1"),
            (origins("https://"), "settings.allowedOrigins.1"),
            (origins("a b"), "settings.allowedOrigins.1"),
            (
                origins("https://a.example/path"),
                "settings.allowedOrigins.1",
            ),
            (origins("a.example:http"), "settings.allowedOrigins.1"),
            (origins("a.*.example"), "settings.allowedOrigins.1"),
            (ips("localhost"), "settings.allowedIps.0"),
            (ips("10.0.0.0/33"), "settings.allowedIps.0"),
            (ips("10.0.0"), "settings.allowedIps.0"),
            (paths("admin"), "settings.excludedPaths.0"),
            (paths("/a?b"), "settings.excludedPaths.0"),
            (paths(&long), "settings.excludedPaths.0"),
            (hosts("*"), "settings.excludedHosts.0"),
            (hosts("a.example:80"), "settings.excludedHosts.0"),
            (countries, "settings.excludedCountries.0"),
            (many, "settings.excludedIps"),
        ] {
            let refused = WebsiteSettings::default().changed(change.clone());
            assert_eq!(refused.unwrap_err().field(), field, "{change:?}");
        }
    }
}
