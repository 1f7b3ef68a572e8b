//! `/flag-schedules/*`: what is planned for flags.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    super::{
        Call, Group,
        bodies::IdBody,
        fields::{Moment, require_change},
        success::Success,
    },
    find,
    shapes::ScheduleOut,
};
use crate::{
    access::Permission,
    actors::flags::{CreateSchedule, DeleteSchedule, Schedule, ScheduleKind, Step, UpdateSchedule},
    fault::{Fault, Issue},
    ids::FlagScheduleId,
};

const GROUP: Group = Group::new("flagSchedules", "Flags").at("flag-schedules");

procedures! { GROUP;
    LIST = "list", reads(FlagRead), list(ListBody) -> Vec<ScheduleOut>: "List the schedules of a flag";
    CREATE = "create", changes(FlagWrite), create(CreateBody) -> ScheduleOut: "Create a schedule for a flag";
    UPDATE = "update", changes(FlagWrite), update(UpdateBody, check) -> ScheduleOut: "Change a schedule";
    DELETE = "delete", changes(FlagWrite), delete(IdBody) -> Success: "Delete a schedule";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FlagIdBody")]
#[serde(rename_all = "camelCase")]
pub struct ListBody {
    pub flag_id: String,
}

/// A step of a rollout.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FlagScheduleStepInput")]
#[serde(rename_all = "camelCase")]
pub struct StepBody {
    /// When.
    pub scheduled_at: Moment,
    /// The percentage from then on, 0 to 100.
    pub value: u8,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FlagScheduleCreate")]
#[schemars(extend("anyOf" = [{ "required": ["scheduledAt"] }, { "required": ["rolloutSteps"] }]))]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    pub flag_id: String,
    /// What will be done.
    #[serde(rename = "type")]
    pub kind: ScheduleKind,
    /// When, unless it is a rollout in steps.
    pub scheduled_at: Option<Moment>,
    /// The steps of a rollout, at most 50.
    pub rollout_steps: Option<Vec<StepBody>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FlagScheduleUpdate")]
#[schemars(extend("minProperties" = 2))]
#[serde(rename_all = "camelCase")]
pub struct UpdateBody {
    pub id: String,
    /// What will be done.
    #[serde(rename = "type")]
    pub kind: Option<ScheduleKind>,
    /// When, unless it is a rollout in steps.
    pub scheduled_at: Option<Moment>,
    /// The steps of a rollout, at most 50.
    pub rollout_steps: Option<Vec<StepBody>>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        let when = self.scheduled_at.is_some() || self.rollout_steps.is_some();
        require_change(issues, self.kind.is_some() || when, "a field of the plan");
    }
}

fn steps(at: Option<Moment>, steps: Option<Vec<StepBody>>) -> Option<Vec<Step>> {
    let rollout = steps.map(|steps| {
        let steps = steps.into_iter();
        let step = |step: StepBody| Step {
            at_ms: step.scheduled_at.0,
            value: Some(step.value),
        };
        steps.map(step).collect()
    });
    rollout.or_else(|| {
        let at_ms = at?.0;
        Some(vec![Step { at_ms, value: None }])
    })
}

async fn list(call: Call, body: ListBody) -> Result<Vec<ScheduleOut>, Fault> {
    let flag = find(&call, &body.flag_id, Permission::FlagRead).await?;
    let plans = call.shared.flags.view().schedules(&flag).await?;
    Ok(plans.into_iter().map(ScheduleOut::from).collect())
}

async fn create(call: Call, body: CreateBody) -> Result<ScheduleOut, Fault> {
    let flag = find(&call, &body.flag_id, Permission::FlagWrite).await?;
    let message = CreateSchedule {
        created_by: call.maker(&flag.scope.organization),
        organization: flag.scope.organization,
        flag: flag.id,
        kind: body.kind,
        steps: steps(body.scheduled_at, body.rollout_steps).unwrap_or_default(),
    };
    Ok(call.shared.flags.ask(message).await?.into())
}

/// A plan of a flag that the caller may change.
async fn find_schedule(call: &Call, id: &str) -> Result<Schedule, Fault> {
    let plan = call.shared.flags.view().schedule(id).await?;
    let Some(plan) = plan else {
        super::scope::check_access(call, Permission::FlagWrite, ("flag schedule", id), None)?;
        return Err(Fault::not_found("flag schedule", id));
    };
    let flag = call.shared.flags.view().by_id(plan.flag.as_str()).await?;
    let scope = flag.as_ref().map(|flag| &flag.scope);
    super::scope::check_access(call, Permission::FlagWrite, ("flag schedule", id), scope)?;
    Ok(plan)
}

async fn update(call: Call, body: UpdateBody) -> Result<ScheduleOut, Fault> {
    let plan = find_schedule(&call, &body.id).await?;
    let message = UpdateSchedule {
        organization: plan.organization,
        id: plan.id,
        kind: body.kind,
        steps: steps(body.scheduled_at, body.rollout_steps),
    };
    Ok(call.shared.flags.ask(message).await?.into())
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    let plan = find_schedule(&call, &body.id).await?;
    let message = DeleteSchedule {
        organization: plan.organization,
        id: FlagScheduleId::from(body.id),
    };
    call.shared.flags.ask(message).await?;
    Ok(Success::YES)
}
