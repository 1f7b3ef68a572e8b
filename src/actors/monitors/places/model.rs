//! Probes and what is known of them.

use std::{collections::HashMap, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    actors::{digest::Digest, issues::Issues, keys::secret},
    fault::Issue,
    ids::{OrganizationId, ProbeId},
};

/// The text that every token of a probe begins with.
pub(in crate::actors::monitors) const PREFIX: &str = "prb_";
/// A probe without a request for so long does not report, milliseconds.
pub const SILENT_MS: i64 = 60_000;
const MAX_NAME: usize = 100;

/// What can be set of a probe.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProbeFields {
    /// The location, such as `Frankfurt`: 1 to 100 characters. Queries name it as `region`.
    pub name: String,
    /// The country, ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// Degrees north, -90 to 90; for the map.
    pub latitude: Option<f64>,
    /// Degrees east, -180 to 180; for the map.
    pub longitude: Option<f64>,
}

impl ProbeFields {
    /// Checks fields and brings them into their stored form.
    pub(in crate::actors::monitors) fn check(mut self) -> Result<Self, Vec<Issue>> {
        let mut issues = Issues::default();
        self.name = String::from(self.name.trim());
        let is_name = (1..=MAX_NAME).contains(&self.name.chars().count())
            && !self.name.chars().any(char::is_control);
        let message = "`name` has 1 to 100 characters, and none that control";
        issues.require(is_name, "invalid", "name", message);
        let country = self
            .country
            .take()
            .map(|code| code.trim().to_ascii_uppercase());
        self.country = country.filter(|code| !code.is_empty());
        let is_code =
            |code: &String| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        let message = "`country` is a code of two letters, such as DE";
        let fits = self.country.as_ref().is_none_or(is_code);
        issues.require(fits, "invalid", "country", message);
        for (field, degrees, most) in [
            ("latitude", self.latitude, 90.0),
            ("longitude", self.longitude, 180.0),
        ] {
            let fits = degrees.is_none_or(|degrees: f64| degrees.abs() <= most);
            let message = format_args!("`{field}` is -{most} to {most}");
            issues.require(fits, "out_of_range", field, message);
        }
        let both = self.latitude.is_some() == self.longitude.is_some();
        let message = "`latitude` and `longitude` go together";
        issues.require(both, "missing", "latitude", message);
        issues.finish(self)
    }
}

/// A place from which monitors are checked, in the hands of its organization.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    pub id: ProbeId,
    pub organization: OrganizationId,
    pub fields: ProbeFields,
    pub(in crate::actors::monitors) digest: Digest,
    /// Unix milliseconds, as all of these.
    pub created_ms: i64,
    pub updated_ms: i64,
    /// Since when its token opens nothing.
    pub revoked_ms: Option<i64>,
}

/// What changes with a probe's requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbeState {
    /// Within ten seconds, Unix milliseconds.
    pub last_seen_ms: Option<i64>,
    /// Since when owners know that it does not report, Unix milliseconds.
    pub silent_ms: Option<i64>,
    /// The version of its program.
    pub version: Option<String>,
    /// What its program calls the machine.
    pub host: Option<String>,
    /// Reports that its spool had to drop.
    pub lost: u64,
}

impl ProbeState {
    pub fn is_reporting(&self, now_ms: i64) -> bool {
        let seen = self.last_seen_ms;
        seen.is_some_and(|seen_ms| now_ms - seen_ms <= SILENT_MS)
    }
}

/// All probes, by id and by token.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Probes {
    all: HashMap<ProbeId, Arc<Probe>>,
    digests: HashMap<Digest, ProbeId>,
}

impl Probes {
    pub fn by_id(&self, id: &str) -> Option<&Arc<Probe>> {
        self.all.get(id)
    }

    /// The probe with this token, which may be revoked.
    pub fn by_token(&self, token: &str) -> Option<&Arc<Probe>> {
        if !secret::well_formed_with(PREFIX, token) {
            return None;
        }
        let id = self.digests.get(&Digest::from_secret(token))?;
        self.all.get(id)
    }

    /// The probes of an organization, by name.
    pub fn by_organization(&self, organization: &OrganizationId) -> Vec<Arc<Probe>> {
        let own = self.all.values();
        let own = own.filter(|probe| probe.organization == *organization);
        let mut own: Vec<_> = own.cloned().collect();
        own.sort_by(|a, b| (&a.fields.name, &a.id).cmp(&(&b.fields.name, &b.id)));
        own
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(in crate::actors::monitors) fn iter(&self) -> impl Iterator<Item = &Arc<Probe>> {
        self.all.values()
    }

    pub(in crate::actors::monitors) fn put(&mut self, probe: Arc<Probe>) {
        self.take(&probe.id);
        self.digests.insert(probe.digest, probe.id.clone());
        self.all.insert(probe.id.clone(), probe);
    }

    pub(in crate::actors::monitors) fn take(&mut self, id: &ProbeId) {
        if let Some(before) = self.all.remove(id) {
            self.digests.remove(&before.digest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_name_and_may_be_on_the_map() {
        let fields = |name: &str, country: &str, at: Option<(f64, f64)>| ProbeFields {
            name: name.to_owned(),
            country: Some(country.to_owned()),
            latitude: at.map(|at| at.0),
            longitude: at.map(|at| at.1),
        };
        let stored = fields(" Frankfurt ", "de", Some((50.1, 8.7)))
            .check()
            .unwrap();
        assert_eq!(stored, fields("Frankfurt", "DE", Some((50.1, 8.7))));
        assert_eq!(fields("a", " ", None).check().unwrap().country, None);
        for wrong in [
            fields(" ", "", None),
            fields("a\nb", "", None),
            fields("a", "deu", None),
            fields("a", "", Some((90.1, 0.0))),
            fields("a", "", Some((0.0, f64::NAN))),
            ProbeFields {
                latitude: Some(1.0),
                ..fields("a", "", None)
            },
        ] {
            assert!(wrong.clone().check().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_probe_is_silent_a_minute_after_its_last_request() {
        let state = |last_seen_ms| ProbeState {
            last_seen_ms,
            ..ProbeState::default()
        };
        assert!(!state(None).is_reporting(0));
        assert!(state(Some(5)).is_reporting(5 + SILENT_MS));
        assert!(!state(Some(5)).is_reporting(6 + SILENT_MS));
    }
}
