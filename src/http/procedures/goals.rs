//! `/goals/*`.

use std::collections::BTreeMap;

use futures_util::{StreamExt, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    conversion::Conversion,
    fields::Fields,
    studies::{self, CohortOut, Deleted, OfId, OfWebsite, Question, Update, When},
};
use crate::{
    access::Permission,
    actors::definitions::{CountBy, GoalFields, Kind, Saved, SavedDefinition, goal},
    analytics::{Target, run},
    clock::iso_ms,
    fault::{Fault, Issue, Kind as Fell},
};

const GROUP: Group = Group {
    router: "goals",
    path: "goals",
    tag: "Goals",
};
/// Goals of one call.
const MAX: usize = 100;
/// Goals of one call that are asked about side by side.
const SIDE_BY_SIDE: usize = 4;

procedures! { GROUP;
    LIST = "list", reads(WebsiteRead), list(OfWebsite) -> Vec<GoalOut>: "List a website's goals, newest first";
    GET_BY_ID = "getById", reads(WebsiteRead), get_by_id(OfId) -> GoalOut: "Get a goal";
    CREATE = "create", changes(WebsiteConfigure), create(CreateBody) -> GoalOut: "Create a goal";
    UPDATE = "update", changes(WebsiteConfigure), update(Update<GoalFields>, check) -> GoalOut: "Change a goal";
    DELETE = "delete", changes(WebsiteConfigure), delete(OfId) -> Deleted: "Delete a goal";
    GET_ANALYTICS = "getAnalytics", reads(WebsiteRead), get_analytics(AnalyticsBody) -> GoalAnalytics:
        "How many visitors reach a goal";
    BULK_ANALYTICS = "bulkAnalytics", reads(WebsiteRead), bulk_analytics(BulkBody, check) -> BTreeMap<String, BulkOut>:
        "How many visitors reach each of up to 100 goals";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "GoalCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The website's id.
    pub website_id: String,
    #[serde(flatten)]
    pub fields: Fields<GoalFields>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "GoalAnalyticsQuestion")]
#[serde(rename_all = "camelCase")]
pub struct AnalyticsBody {
    /// The website's id.
    pub website_id: String,
    /// The goal's id.
    pub goal_id: String,
    #[serde(flatten)]
    pub when: Fields<When>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "GoalsAnalyticsQuestion")]
#[serde(rename_all = "camelCase")]
pub struct BulkBody {
    /// The website's id.
    pub website_id: String,
    /// The goals' ids, 1 to 100.
    pub goal_ids: Vec<String>,
    #[serde(flatten)]
    pub when: Fields<When>,
}

impl BulkBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if !(1..=MAX).contains(&self.goal_ids.len()) {
            let message = format!("name 1 to {MAX} goals");
            issues.push(Issue::new("invalid_value", "goalIds", message));
        }
    }
}

/// A goal.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Goal")]
#[serde(rename_all = "camelCase")]
pub struct GoalOut {
    pub id: String,
    pub website_id: String,
    #[serde(flatten)]
    pub fields: GoalFields,
    pub created_by: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    /// Always null: deleted goals are not shown.
    pub deleted_at: Option<String>,
}

/// How many people reach a goal.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalAnalytics {
    #[serde(flatten)]
    pub conversion: Conversion,
    pub measurement: Measurement,
    /// The goal as it is saved.
    pub saved_definition: GoalFields,
    /// The segment that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohort: Option<CohortOut>,
}

/// What was counted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GoalMeasurement")]
#[serde(rename_all = "camelCase")]
pub struct Measurement {
    /// Visitors or visits.
    pub count_by: CountBy,
    /// The first moment that counts.
    pub from: String,
    /// The first moment that does not.
    pub to: String,
    pub timezone: String,
}

/// What became of one goal of several.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BulkOut {
    /// `ok` is true.
    Good {
        ok: bool,
        /// As `getAnalytics` answers.
        data: Box<GoalAnalytics>,
    },
    /// `ok` is false.
    Bad {
        ok: bool,
        /// Why there are no numbers.
        error: String,
    },
}

fn shown(study: SavedDefinition) -> Result<GoalOut, Fault> {
    Ok(GoalOut {
        id: study.id.to_string(),
        website_id: study.website.to_string(),
        fields: fields(study.saved)?,
        created_by: study.created_by.map(String::from),
        created_at: iso_ms(study.created_ms),
        updated_at: iso_ms(study.updated_ms),
        deleted_at: None,
    })
}

fn fields(saved: Saved) -> Result<GoalFields, Fault> {
    match saved {
        Saved::Goal(fields) => Ok(fields),
        other => Err(Fault::internal(anyhow::anyhow!(
            "no goal: {:?}",
            other.kind()
        ))),
    }
}

async fn list(call: Call, body: OfWebsite) -> Result<Vec<GoalOut>, Fault> {
    let found = studies::list(&call, Kind::Goal, &body.website_id).await?;
    found.into_iter().map(shown).collect()
}

async fn get_by_id(call: Call, body: OfId) -> Result<GoalOut, Fault> {
    let (study, _) = studies::find(&call, Permission::WebsiteRead, Kind::Goal, &body.id).await?;
    shown(study)
}

async fn create(call: Call, body: CreateBody) -> Result<GoalOut, Fault> {
    let fields = studies::inner(&call, &body.website_id, body.fields)?;
    shown(studies::create(&call, &body.website_id, Saved::Goal(fields)).await?)
}

async fn update(call: Call, body: Update<GoalFields>) -> Result<GoalOut, Fault> {
    shown(studies::update(&call, Kind::Goal, body).await?)
}

async fn delete(call: Call, body: OfId) -> Result<Deleted, Fault> {
    studies::delete(&call, Kind::Goal, &body.id).await
}

async fn get_analytics(call: Call, body: AnalyticsBody) -> Result<GoalAnalytics, Fault> {
    let (website, _) = super::websites::find(&call, Permission::WebsiteRead, &body.website_id)?;
    let study = studies::of_website(&call, Kind::Goal, &website, &body.goal_id).await?;
    let target = studies::target(&call, &website)?;
    let question = When::question(body.when, &call, &website).await?;
    analyzed(&call, &target, study, &question).await
}

async fn bulk_analytics(call: Call, body: BulkBody) -> Result<BTreeMap<String, BulkOut>, Fault> {
    let (website, _) = super::websites::find(&call, Permission::WebsiteRead, &body.website_id)?;
    let target = studies::target(&call, &website)?;
    let question = When::question(body.when, &call, &website).await?;
    let one = async |id: String| {
        let study = studies::of_website(&call, Kind::Goal, &website, &id).await;
        let found = match study {
            Ok(study) => analyzed(&call, &target, study, &question).await,
            Err(fault) => Err(fault),
        };
        let out = match found {
            Ok(data) => BulkOut::Good {
                ok: true,
                data: Box::new(data),
            },
            Err(fault) => BulkOut::Bad {
                ok: false,
                error: match fault.kind {
                    Fell::Internal => "Something went wrong: the server's log says what".to_owned(),
                    _ => fault.message.into_owned(),
                },
            },
        };
        (id, out)
    };
    let answers = stream::iter(body.goal_ids).map(one).buffered(SIDE_BY_SIDE);
    Ok(answers.collect().await)
}

async fn analyzed(
    call: &Call,
    target: &Target,
    study: SavedDefinition,
    question: &Question,
) -> Result<GoalAnalytics, Fault> {
    let created_ms = study.created_ms;
    let fields = fields(study.saved)?;
    let mut funnel = goal(&fields).map_err(studies::failed)?;
    funnel.filters.extend(question.filters.clone());
    let period = studies::since(question.period, created_ms, fields.ignore_historic_data);
    let figures = run::goal(&call.shared.events, target, &funnel, period).await?;
    let conversion = Conversion::new(&figures, std::slice::from_ref(&fields.name), None);
    Ok(GoalAnalytics {
        conversion,
        measurement: Measurement {
            count_by: fields.count_by,
            from: iso_ms(period.range.from),
            to: iso_ms(period.range.to),
            timezone: period.range.zone.name().to_owned(),
        },
        saved_definition: fields,
        cohort: question.cohort.clone(),
    })
}
