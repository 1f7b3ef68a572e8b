//! What `/alarms/*` answers.

use schemars::JsonSchema;
use serde::Serialize;

use super::Call;
use crate::{
    access::{Permission, authorize},
    actors::{
        alarms::{
            Alarm, AlarmFields, Destination, DestinationConfig, DestinationKind, Past, Phase,
            masked,
        },
        delivery::{Failure, Logged},
    },
    clock::iso_ms,
    ids::DestinationId,
};

/// An alarm.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Alarm")]
#[serde(rename_all = "camelCase")]
pub(super) struct AlarmOut {
    id: String,
    organization_id: String,
    created_by: Option<String>,
    #[serde(flatten)]
    fields: AlarmFields,
    destinations: Vec<DestinationOut>,
    /// How it stands about each of its things.
    standings: Vec<StandingOut>,
    created_at: String,
    updated_at: String,
}

/// Whom an alarm tells.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AlarmDestination")]
#[serde(rename_all = "camelCase")]
struct DestinationOut {
    id: String,
    alarm_id: String,
    #[serde(rename = "type")]
    kind: DestinationKind,
    /// Where it is; masked but for mail addresses for those who may not change the alarm.
    identifier: String,
    /// Secrets in it are masked, but for one that was just made.
    config: DestinationConfig,
    /// Why nothing is sent there any more, until it is changed.
    disabled: Option<String>,
    created_at: String,
    updated_at: String,
}

impl std::fmt::Debug for DestinationOut {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "DestinationOut({})", self.id)
    }
}

/// How an alarm stands about one thing.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmStanding")]
#[serde(rename_all = "camelCase")]
struct StandingOut {
    /// The thing, such as a monitor's id; empty when there is just one.
    subject: String,
    name: String,
    status: Phase,
    since: Option<String>,
    acknowledged: bool,
    /// What was seen the last time, in a sentence.
    evidence: String,
}

impl AlarmOut {
    pub(super) fn of(call: &Call, alarm: &Alarm, secrets: &[(DestinationId, String)]) -> Self {
        let owner = &alarm.organization;
        let may = authorize::organization(&call.caller, Permission::AlarmWrite, owner).is_ok();
        let shown = |to: &Destination| {
            let fresh = secrets.iter().find(|(id, _)| *id == to.id);
            DestinationOut::of(alarm, to, may, fresh.map(|(_, secret)| secret.clone()))
        };
        let standings = call.shared.alarms.view().standings(&alarm.id);
        let standings = standings.into_iter().map(|one| StandingOut {
            subject: one.subject,
            name: one.name,
            status: one.phase,
            since: (one.since_ms > 0).then(|| iso_ms(one.since_ms)),
            acknowledged: one.acknowledged,
            evidence: one.evidence,
        });
        Self {
            id: alarm.id.to_string(),
            organization_id: alarm.organization.to_string(),
            created_by: alarm.created_by.as_ref().map(ToString::to_string),
            fields: alarm.fields.clone(),
            destinations: alarm.destinations.iter().map(shown).collect(),
            standings: standings.collect(),
            created_at: iso_ms(alarm.created_ms),
            updated_at: iso_ms(alarm.updated_ms),
        }
    }
}

impl DestinationOut {
    fn of(alarm: &Alarm, to: &Destination, may: bool, fresh: Option<String>) -> Self {
        let is_mail = to.kind == DestinationKind::Email;
        let mut config = to.place.config.clone();
        let hidden = |secret: &String| masked(secret);
        config.secret = fresh.or_else(|| config.secret.as_ref().map(hidden));
        config.token = config.token.as_ref().map(hidden);
        if !may {
            for value in config.headers.iter_mut().flat_map(|all| all.values_mut()) {
                *value = masked(value);
            }
        }
        let identifier = &to.place.identifier;
        Self {
            id: to.id.to_string(),
            alarm_id: alarm.id.to_string(),
            kind: to.kind,
            identifier: if may || is_mail {
                identifier.clone()
            } else {
                masked(identifier)
            },
            config,
            disabled: to.disabled.clone(),
            created_at: iso_ms(to.created_ms),
            updated_at: iso_ms(to.updated_ms),
        }
    }
}

/// What came of a test.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmTest")]
pub(super) struct TestOut {
    pub(super) results: Vec<TriedOut>,
}

/// What came of a test of one destination.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmTestResult")]
pub(super) struct TriedOut {
    success: bool,
    channel: DestinationKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl TriedOut {
    pub(super) fn of(to: &Destination, outcome: Result<(), Failure>) -> Self {
        Self {
            success: outcome.is_ok(),
            channel: to.kind,
            error: outcome.err().map(|failure| failure.what),
        }
    }
}

/// A message and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmDelivery")]
#[serde(rename_all = "camelCase")]
pub(super) struct DeliveryOut {
    /// Webhooks have it in `webhook-id`, behind `msg_`.
    id: String,
    destination_id: String,
    channel: DestinationKind,
    /// What it said, such as `alarm.fired`.
    event: String,
    /// `waiting`, `delivered`, `dead` (given up), or `gone` (the receiver answered 410).
    status: String,
    attempts: u32,
    next_attempt_at: Option<String>,
    /// What the last attempt that failed came to.
    error: Option<String>,
    created_at: String,
    finished_at: Option<String>,
}

impl DeliveryOut {
    pub(super) fn of(to: &Destination, one: Logged) -> Self {
        let event = one.key.rsplit(':').nth(1).unwrap_or_default().to_owned();
        Self {
            id: one.id,
            destination_id: to.id.to_string(),
            channel: to.kind,
            event,
            status: one.state,
            attempts: one.attempts,
            next_attempt_at: one.next_ms.map(iso_ms),
            error: one.error,
            created_at: iso_ms(one.created_ms),
            finished_at: one.finished_ms.map(iso_ms),
        }
    }
}

/// A secret that was just made.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AlarmSecret")]
pub(super) struct SecretOut {
    /// Shown here and never again.
    secret: String,
}

impl SecretOut {
    pub(super) fn of(secrets: Vec<(DestinationId, String)>) -> Self {
        let first = secrets.into_iter().next();
        Self {
            secret: first.map_or_else(String::new, |(_, secret)| secret),
        }
    }
}

/// What an alarm would have done.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmBacktest")]
#[serde(rename_all = "camelCase")]
pub(super) struct PastOut {
    /// From when on.
    from: String,
    /// How often it would have gone off.
    fires: usize,
    /// Readings that were judged.
    readings: usize,
    /// Every time, oldest first.
    firings: Vec<FiringOut>,
}

/// One time that an alarm would have gone off.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmBacktestFiring")]
#[serde(rename_all = "camelCase")]
struct FiringOut {
    name: String,
    fired_at: String,
    resolved_at: Option<String>,
    evidence: String,
}

impl PastOut {
    pub(super) fn of(past: Past) -> Self {
        let firings = past.firings.into_iter().map(|one| FiringOut {
            name: one.name,
            fired_at: iso_ms(one.fired_ms),
            resolved_at: one.resolved_ms.map(iso_ms),
            evidence: one.evidence,
        });
        let firings: Vec<_> = firings.collect();
        Self {
            from: iso_ms(past.from_ms),
            fires: firings.len(),
            readings: past.readings,
            firings,
        }
    }
}
