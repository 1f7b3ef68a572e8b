//! `/alarms/*`.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Call, FAILED, Group,
    alarms_wire::{AlarmOut, BacktestOut, DeliveryOut, SecretOut, TestOut, TriedOut},
    bodies::OrganizationBody,
    fields::{Fields, Patch, require_change, within},
    success::Success,
};
use crate::{
    access::{OrganizationAccess, Permission},
    actors::{
        alarms::{
            Acknowledge, Alarm, AlarmFields, ChangeAlarm, CreateAlarm, DeleteAlarm,
            DestinationFields, RotateSecret,
        },
        delivery::Replay,
    },
    fault::{Fault, Issue},
    store::limits::{Bucket, Identity, Rate},
};

/// Every procedure of alarms is in it.
pub(super) const GROUP: Group = Group::new("alarms", "Alarms");

/// Alarms in a list.
const MAX_LISTED: usize = 100;
/// Days of a back-test.
const DAYS: std::ops::RangeInclusive<u32> = 1..=90;
/// Tests of an alarm in a minute.
const TESTS: Rate = Rate {
    bucket: Bucket::Check,
    max: 5,
    window_ms: 60_000,
};

procedures! { GROUP;
    LIST = "list", reads(AlarmRead), list(OrganizationBody) -> Vec<AlarmOut>: "List alarms, newest first, at most 100";
    GET = "get", reads(AlarmRead), get(AlarmIdBody) -> AlarmOut: "Get an alarm with its status for each subject";
    CREATE = "create", changes(AlarmWrite), create(CreateBody) -> AlarmOut:
        "Create an alarm; generated webhook secrets are shown only once";
    UPDATE = "update", changes(AlarmWrite), update(UpdateBody, check) -> AlarmOut:
        "Change an alarm; `destinations` replaces all of them";
    DELETE = "delete", changes(AlarmWrite), delete(AlarmIdBody) -> Success:
        "Delete an alarm; recipients of a firing alarm are told that it is over";
    TEST = "test", acts(AlarmWrite), test(AlarmIdBody) -> TestOut:
        "Send a test to every destination of an alarm, at most 5 times a minute";
    ACKNOWLEDGE = "acknowledge", changes(AlarmWrite), acknowledge(AcknowledgeBody) -> Success:
        "Acknowledge a firing alarm; it isn't repeated any more";
    DELIVERIES = "deliveries", reads(AlarmRead), deliveries(AlarmIdBody) -> Vec<DeliveryOut>:
        "List the last deliveries of an alarm and their outcome";
    REPLAY = "replay", acts(AlarmWrite), replay(ReplayBody) -> Success:
        "Resend a message that was delivered or given up, with the same id";
    ROTATE_SECRET = "rotateSecret", changes(AlarmWrite), rotate(RotateBody) -> SecretOut:
        "Rotate a webhook's secret; for a day messages are signed with both";
    BACKTEST = "backtest", reads(AlarmRead), backtest(BacktestBody, check) -> BacktestOut:
        "Backtest an alarm: when it would have fired in the last days";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlarmIdBody {
    pub alarm_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AlarmCreate")]
#[schemars(extend("required" = ["destinations", "name"]))]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The owner; by default the website's organization, the key's, or the session's active one.
    pub organization_id: Option<String>,
    /// Where its messages go, 1 to 10.
    #[schemars(schema_with = "new_destinations")]
    pub destinations: Vec<DestinationFields>,
    #[serde(flatten)]
    pub fields: Fields<AlarmFields>,
}

fn new_destinations(generator: &mut SchemaGenerator) -> Schema {
    let mut destination = generator.subschema_for::<DestinationFields>();
    destination.insert("required".to_owned(), json!(["identifier"]));
    json_schema!({ "type": "array", "minItems": 1, "maxItems": 10, "items": destination })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AlarmUpdate")]
#[schemars(extend("minProperties" = 2))]
#[serde(rename_all = "camelCase")]
pub struct UpdateBody {
    pub alarm_id: String,
    /// Where its messages go from now on, 1 to 10. Those that name their `id` keep what they do not say, secrets above all.
    #[schemars(length(min = 1, max = 10))]
    pub destinations: Option<Vec<DestinationFields>>,
    /// What changes. What is not named stays.
    #[serde(flatten)]
    pub fields: Patch<AlarmFields>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        let changes = !self.fields.0.is_empty() || self.destinations.is_some();
        require_change(issues, changes, "at least one field");
    }
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcknowledgeBody {
    pub alarm_id: String,
    /// The subject, such as a monitor's id. Default: all.
    pub subject: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayBody {
    pub alarm_id: String,
    /// The message's id, from `deliveries`.
    pub delivery_id: String,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotateBody {
    pub alarm_id: String,
    pub destination_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AlarmBacktestBody")]
#[serde(rename_all = "camelCase")]
pub struct BacktestBody {
    /// The organization; by default the key's, or the session's active one.
    pub organization_id: Option<String>,
    /// Days up to now, 1 to 90; 90 by default.
    #[serde(default = "usual_days")]
    pub days: u32,
    #[serde(flatten)]
    pub fields: Fields<AlarmFields>,
}

const fn usual_days() -> u32 {
    90
}

impl BacktestBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        within(issues, "days", self.days, &DAYS, "1 to 90");
    }
}

async fn list(call: Call, body: OrganizationBody) -> Result<Vec<AlarmOut>, Fault> {
    let mut all = list_all(&call, body)?;
    all.truncate(MAX_LISTED);
    Ok(all)
}

/// All alarms of an organization, newest first.
pub(in crate::http) fn list_all(
    call: &Call,
    body: OrganizationBody,
) -> Result<Vec<AlarmOut>, Fault> {
    let proof = call.authorize(Permission::AlarmRead, body.organization_id.as_deref())?;
    let all = call
        .shared
        .alarms
        .view()
        .by_organization(proof.organization());
    let all = all.iter();
    Ok(all.map(|one| AlarmOut::new(call, one, &[])).collect())
}

async fn get(call: Call, body: AlarmIdBody) -> Result<AlarmOut, Fault> {
    let alarm = find(&call, Permission::AlarmRead, &body.alarm_id)?;
    Ok(AlarmOut::new(&call, &alarm, &[]))
}

fn read(fields: &Fields<AlarmFields>) -> Result<AlarmFields, Fault> {
    AlarmFields::read(&fields.0).map_err(|issues| Fault::issues(FAILED, issues))
}

async fn create(call: Call, body: CreateBody) -> Result<AlarmOut, Fault> {
    let fields = read(&body.fields)?;
    let named = body.organization_id.as_deref();
    let proof = owner(&call, Permission::AlarmWrite, named, &fields)?;
    let message = CreateAlarm {
        organization: proof.organization().clone(),
        created_by: call.maker(proof.organization()),
        fields,
        destinations: body.destinations,
    };
    let made = call.shared.alarms.ask(message).await?;
    Ok(AlarmOut::new(&call, &made.alarm, &made.secrets))
}

async fn update(call: Call, body: UpdateBody) -> Result<AlarmOut, Fault> {
    let alarm = find(&call, Permission::AlarmWrite, &body.alarm_id)?;
    let message = ChangeAlarm {
        id: alarm.id.clone(),
        fields: body.fields.0,
        destinations: body.destinations,
    };
    let changed = call.shared.alarms.ask(message).await?;
    Ok(AlarmOut::new(&call, &changed.alarm, &changed.secrets))
}

async fn delete(call: Call, body: AlarmIdBody) -> Result<Success, Fault> {
    let alarm = find(&call, Permission::AlarmWrite, &body.alarm_id)?;
    let id = alarm.id.clone();
    call.shared.alarms.ask(DeleteAlarm { id }).await?;
    Ok(Success::YES)
}

async fn test(call: Call, body: AlarmIdBody) -> Result<TestOut, Fault> {
    let alarm = find(&call, Permission::AlarmWrite, &body.alarm_id)?;
    let identity = Identity::from_name("alarm", alarm.id.as_str());
    call.limit(identity, TESTS).await?;
    let view = call.shared.alarms.view();
    let tried = alarm.destinations.iter().map(async |to| {
        let outcome = view.try_out(&alarm, to).await;
        TriedOut::new(to, outcome)
    });
    let results = futures_util::future::join_all(tried).await;
    Ok(TestOut { results })
}

async fn acknowledge(call: Call, body: AcknowledgeBody) -> Result<Success, Fault> {
    let alarm = find(&call, Permission::AlarmWrite, &body.alarm_id)?;
    let message = Acknowledge {
        id: alarm.id.clone(),
        subject: body.subject,
    };
    call.shared.alarms.ask(message).await?;
    Ok(Success::YES)
}

async fn deliveries(call: Call, body: AlarmIdBody) -> Result<Vec<DeliveryOut>, Fault> {
    let alarm = find(&call, Permission::AlarmRead, &body.alarm_id)?;
    let logged = call.shared.alarms.view().deliveries(&alarm).await?;
    let shown = logged
        .into_iter()
        .map(|(to, one)| DeliveryOut::new(&to, one));
    Ok(shown.collect())
}

async fn replay(call: Call, body: ReplayBody) -> Result<Success, Fault> {
    let alarm = find(&call, Permission::AlarmWrite, &body.alarm_id)?;
    let logged = call.shared.alarms.view().deliveries(&alarm).await?;
    let own = logged.iter().any(|(_, one)| one.id == body.delivery_id);
    if !own {
        let message = format!("the alarm has sent no message `{}`", body.delivery_id);
        return Err(Fault::invalid(message));
    }
    let id = body.delivery_id;
    call.shared.delivery.ask(Replay { id }).await?;
    Ok(Success::YES)
}

async fn rotate(call: Call, body: RotateBody) -> Result<SecretOut, Fault> {
    let alarm = find(&call, Permission::AlarmWrite, &body.alarm_id)?;
    let message = RotateSecret {
        id: alarm.id.clone(),
        destination: body.destination_id,
    };
    let changed = call.shared.alarms.ask(message).await?;
    Ok(SecretOut::first_of(changed.secrets))
}

async fn backtest(call: Call, body: BacktestBody) -> Result<BacktestOut, Fault> {
    let mut fields = read(&body.fields)?;
    let named = body.organization_id.as_deref();
    let proof = owner(&call, Permission::AlarmRead, named, &fields)?;
    if fields.name.is_empty() {
        "back-test".clone_into(&mut fields.name);
    }
    let owner = proof.organization().clone();
    let view = call.shared.alarms.view();
    Ok(BacktestOut::new(
        view.backtest(owner, fields, body.days.into()).await?,
    ))
}

/// The organization that is meant: the one named, else the website's, else the key's or the session's.
fn owner(
    call: &Call,
    permission: Permission,
    named: Option<&str>,
    fields: &AlarmFields,
) -> Result<OrganizationAccess, Fault> {
    call.authorize_about(permission, named, fields.website_id.as_deref())
}

/// An alarm that the caller may see or change.
fn find(call: &Call, permission: Permission, id: &str) -> Result<Arc<Alarm>, Fault> {
    let found = call.shared.alarms.view().by_id(id).cloned();
    call.authorize_found(permission, ("Alarm", id), found, |one| &one.organization)
}
