//! What a probe gets: its monitors, with all that a check needs and nothing else.

use serde::{Deserialize, Serialize};

use crate::{
    actors::monitors::{Kind, Monitor, MonitorFields, Schedule, rules},
    fault::Issue,
    ids::{MonitorId, OrganizationKey, WebsiteKey},
};

/// A monitor for a probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteMonitor {
    pub id: MonitorId,
    /// The monitor's number, which its slots follow from.
    pub number: i64,
    pub kind: Kind,
    pub url: String,
    /// When a check out of turn was asked for last, Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<i64>,
    /// With the secrets of its request.
    pub fields: MonitorFields,
}

/// The work of a probe at one moment.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Work {
    /// Changes with the monitors.
    pub revision: String,
    /// The time of the server, Unix milliseconds.
    pub now: i64,
    /// None if the probe has this revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monitors: Option<Vec<RemoteMonitor>>,
}

impl RemoteMonitor {
    pub(in crate::actors::monitors) fn new(monitor: &Monitor) -> Self {
        Self {
            id: monitor.id.clone(),
            number: monitor.key.0,
            kind: monitor.kind,
            url: monitor.url.clone(),
            asked: monitor.asked_ms,
            fields: MonitorFields {
                name: None,
                website_id: None,
                retries: None,
                grace: None,
                places: None,
                quorum: None,
                depends_on: None,
                group: None,
                tags: None,
                maintenance: None,
                ..monitor.fields.clone()
            },
        }
    }

    /// The monitor, as far as a check needs it.
    ///
    /// # Errors
    /// The fields are none that this version of the program knows.
    pub fn into_monitor(self) -> Result<Monitor, Vec<Issue>> {
        let whole = MonitorFields {
            kind: self.kind,
            url: Some(self.url.clone()),
            ..self.fields
        };
        let checked = rules::check_stored_fields(whole)?;
        Ok(Monitor {
            id: self.id,
            key: WebsiteKey(self.number),
            organization: String::new().into(),
            organization_key: OrganizationKey(0),
            website: None,
            link: None,
            created_by: None,
            kind: self.kind,
            url: self.url,
            fields: checked.fields.bare(),
            is_paused: false,
            push_turn: 0,
            created_ms: 0,
            updated_ms: 0,
            asked_ms: None,
            schedule: Schedule::new(checked.recurrence, self.number),
            spans: Vec::new(),
            former_places: Vec::new(),
        })
    }
}
