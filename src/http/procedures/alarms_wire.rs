//! What `/alarms/*` answers.

use schemars::JsonSchema;
use serde::Serialize;

use super::Call;
use crate::{
    access::{Permission, authorize},
    actors::{
        alarms::{
            Alarm, AlarmFields, Backtest, Destination, DestinationConfig, Phase, Routing,
            mask_secret,
        },
        delivery::{ChannelKind, Channels, DeliveryRecord, Failure},
    },
    clock::iso_ms,
    ids::DestinationId,
};

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Alarm")]
#[serde(rename_all = "camelCase")]
pub struct AlarmOut {
    pub id: String,
    pub organization_id: String,
    pub created_by: Option<String>,
    #[serde(flatten)]
    pub fields: AlarmFields,
    pub destinations: Vec<DestinationOut>,
    /// Its state about each of its subjects.
    pub standings: Vec<StandingOut>,
    pub created_at: String,
    pub updated_at: String,
}

/// Where an alarm's messages go.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AlarmDestination")]
#[serde(rename_all = "camelCase")]
pub struct DestinationOut {
    pub id: String,
    pub alarm_id: String,
    #[serde(rename = "type")]
    pub kind: ChannelKind,
    /// Where it is; masked but for mail addresses for those who may not change the alarm.
    pub identifier: String,
    /// Secrets in it are masked, but for one that was just made.
    pub config: DestinationConfig,
    #[serde(flatten)]
    pub routing: Routing,
    /// Why nothing is sent there any more, until it is changed.
    pub disabled: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

impl std::fmt::Debug for DestinationOut {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "DestinationOut({})", self.id)
    }
}

/// The state of an alarm about one subject.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmStanding")]
pub struct StandingOut {
    /// The thing, such as a monitor's id; empty when there is just one.
    pub subject: String,
    pub name: String,
    pub status: Phase,
    pub since: Option<String>,
    pub acknowledged: bool,
    /// What was seen the last time, in a sentence.
    pub evidence: String,
}

impl AlarmOut {
    pub(super) fn new(call: &Call, alarm: &Alarm, secrets: &[(DestinationId, String)]) -> Self {
        let (owner, view) = (&alarm.organization, call.shared.alarms.view());
        let may = authorize::organization(&call.caller, Permission::AlarmWrite, owner).is_ok();
        let shown = |to: &Destination| {
            let fresh = secrets.iter().find(|(id, _)| *id == to.id);
            let fresh = fresh.map(|(_, secret)| secret.clone());
            DestinationOut::new(view.channels(), (alarm, to), may, fresh)
        };
        let standings = view.standings(&alarm.id);
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
    fn new(
        channels: &Channels,
        (alarm, to): (&Alarm, &Destination),
        may: bool,
        fresh: Option<String>,
    ) -> Self {
        let is_mail = to.kind.is_email();
        let mut config = to.endpoint.config.clone();
        let hidden = |secret: &String| mask_secret(secret);
        config.secret = fresh.or_else(|| config.secret.as_ref().map(hidden));
        let channel = channels.get(to.kind.as_str());
        let is_secret = |name: &str| channel.is_none_or(|channel| channel.is_secret(name));
        for (name, value) in &mut config.fields {
            if !may || is_secret(name) {
                *value = mask_secret(value);
            }
        }
        if !may {
            for value in config.headers.iter_mut().flat_map(|all| all.values_mut()) {
                *value = mask_secret(value);
            }
        }
        let identifier = &to.endpoint.identifier;
        Self {
            id: to.id.to_string(),
            alarm_id: alarm.id.to_string(),
            kind: to.kind.clone(),
            identifier: if may || is_mail {
                identifier.clone()
            } else {
                mask_secret(identifier)
            },
            config,
            routing: to.endpoint.routing.clone(),
            disabled: to.disabled.clone(),
            created_at: iso_ms(to.created_ms),
            updated_at: iso_ms(to.updated_ms),
        }
    }
}

/// What came of a test.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmTest")]
pub struct TestOut {
    pub results: Vec<TriedOut>,
}

/// What came of a test of one destination.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmTestResult")]
pub struct TriedOut {
    pub success: bool,
    pub channel: ChannelKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl TriedOut {
    pub(super) fn new(to: &Destination, outcome: Result<(), Failure>) -> Self {
        Self {
            success: outcome.is_ok(),
            channel: to.kind.clone(),
            error: outcome.err().map(|failure| failure.what),
        }
    }
}

/// A message and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmDelivery")]
#[serde(rename_all = "camelCase")]
pub struct DeliveryOut {
    /// Webhooks have it in `webhook-id`, behind `msg_`.
    pub id: String,
    pub destination_id: String,
    pub channel: ChannelKind,
    /// What it said, such as `alarm.fired`.
    pub event: String,
    /// `waiting`, `delivered`, `dead` (given up), or `gone` (the receiver answered 410).
    pub status: String,
    pub attempts: u32,
    pub next_attempt_at: Option<String>,
    /// What the last attempt that failed came to.
    pub error: Option<String>,
    pub created_at: String,
    pub finished_at: Option<String>,
}

impl DeliveryOut {
    pub(super) fn new(to: &Destination, one: DeliveryRecord) -> Self {
        let event = one.key.rsplit(':').nth(1).unwrap_or_default().to_owned();
        Self {
            id: one.id,
            destination_id: to.id.to_string(),
            channel: to.kind.clone(),
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
pub struct SecretOut {
    /// Shown here and never again.
    pub secret: String,
}

impl SecretOut {
    pub(super) fn first_of(secrets: Vec<(DestinationId, String)>) -> Self {
        let first = secrets.into_iter().next();
        Self {
            secret: first.map_or_else(String::new, |(_, secret)| secret),
        }
    }
}

/// What an alarm would have done.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmBacktest")]
pub struct BacktestOut {
    /// From when on.
    pub from: String,
    /// How many times it would have fired.
    pub fires: usize,
    /// Readings that were judged.
    pub readings: usize,
    /// Every time, oldest first.
    pub firings: Vec<FiringOut>,
}

/// One time that an alarm would have fired.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmBacktestFiring")]
#[serde(rename_all = "camelCase")]
pub struct FiringOut {
    pub name: String,
    pub fired_at: String,
    pub resolved_at: Option<String>,
    pub evidence: String,
}

impl BacktestOut {
    pub(super) fn new(backtest: Backtest) -> Self {
        let firings = backtest.firings.into_iter().map(|one| FiringOut {
            name: one.name,
            fired_at: iso_ms(one.fired_ms),
            resolved_at: one.resolved_ms.map(iso_ms),
            evidence: one.evidence,
        });
        let firings: Vec<_> = firings.collect();
        Self {
            from: iso_ms(backtest.from_ms),
            fires: firings.len(),
            readings: backtest.readings,
            firings,
        }
    }
}
