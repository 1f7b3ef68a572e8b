//! `/goals/*`.

use std::collections::BTreeMap;

use futures_util::{StreamExt, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    bodies::{IdBody, WebsiteIdBody},
    conversion::Conversion,
    definitions::{
        self, CohortOut, Create, Definition, Question, QuestionBody, Update, create, delete,
        get_by_id, list, update,
    },
    fields::Fields,
    success::Success,
};
use crate::{
    access::Permission,
    actors::definitions::{CountBy, GoalFields, Kind, SavedDefinition, goal},
    analytics::{Target, run},
    clock::iso_ms,
    fault::{Fault, Issue, Kind as Fell},
};

const GROUP: Group = Group::new("goals", "Goals");
/// Goals of one call.
const MAX: usize = 100;
/// Goals of one call that are asked about side by side.
const SIDE_BY_SIDE: usize = 4;

procedures! { GROUP;
    LIST = "list", reads(WebsiteRead), list::<GoalOut>(WebsiteIdBody) -> Vec<GoalOut>:
        "List a website's goals, newest first";
    GET_BY_ID = "getById", reads(WebsiteRead), get_by_id::<GoalOut>(IdBody) -> GoalOut: "Get a goal";
    CREATE = "create", changes(WebsiteConfigure), create::<GoalOut>(Create<GoalOut>) -> GoalOut: "Create a goal";
    UPDATE = "update", changes(WebsiteConfigure), update::<GoalOut>(Update<GoalOut>, check) -> GoalOut: "Change a goal";
    DELETE = "delete", changes(WebsiteConfigure), delete::<GoalOut>(IdBody) -> Success: "Delete a goal";
    GET_ANALYTICS = "getAnalytics", reads(WebsiteRead), get_analytics(AnalyticsBody) -> GoalAnalytics:
        "Get the conversions of a goal";
    BULK_ANALYTICS = "bulkAnalytics", reads(WebsiteRead), bulk_analytics(BulkBody, check) -> BTreeMap<String, BulkOut>:
        "Get the conversions of up to 100 goals";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "GoalAnalyticsQuestion")]
#[serde(rename_all = "camelCase")]
pub struct AnalyticsBody {
    pub website_id: String,
    pub goal_id: String,
    #[serde(flatten)]
    pub when: Fields<QuestionBody>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "GoalsAnalyticsQuestion")]
#[serde(rename_all = "camelCase")]
pub struct BulkBody {
    pub website_id: String,
    /// The goals' ids, 1 to 100.
    pub goal_ids: Vec<String>,
    #[serde(flatten)]
    pub when: Fields<QuestionBody>,
}

impl BulkBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if !(1..=MAX).contains(&self.goal_ids.len()) {
            let message = format!("name 1 to {MAX} goals");
            issues.push(Issue::new("invalid_value", "goalIds", message));
        }
    }
}

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

impl Definition for GoalOut {
    saved_as!(Goal(GoalFields));

    fn new(definition: &SavedDefinition, fields: GoalFields) -> Self {
        Self {
            id: definition.id.to_string(),
            website_id: definition.website.to_string(),
            fields,
            created_by: definition.created_by.as_ref().map(ToString::to_string),
            created_at: iso_ms(definition.created_ms),
            updated_at: iso_ms(definition.updated_ms),
            deleted_at: None,
        }
    }
}

async fn get_analytics(call: Call, body: AnalyticsBody) -> Result<GoalAnalytics, Fault> {
    let (website, _) = super::websites::find(&call, Permission::WebsiteRead, &body.website_id)?;
    let definition =
        definitions::find_of_website(&call, Kind::Goal, &website, &body.goal_id).await?;
    let target = definitions::target(&call, &website)?;
    let question = Question::read(body.when, &call, &website).await?;
    analyze(&call, &target, &definition, &question).await
}

async fn bulk_analytics(call: Call, body: BulkBody) -> Result<BTreeMap<String, BulkOut>, Fault> {
    let (website, _) = super::websites::find(&call, Permission::WebsiteRead, &body.website_id)?;
    let target = definitions::target(&call, &website)?;
    let question = Question::read(body.when, &call, &website).await?;
    let one = async |id: String| {
        let definition = definitions::find_of_website(&call, Kind::Goal, &website, &id).await;
        let found = match definition {
            Ok(definition) => analyze(&call, &target, &definition, &question).await,
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

async fn analyze(
    call: &Call,
    target: &Target,
    definition: &SavedDefinition,
    question: &Question,
) -> Result<GoalAnalytics, Fault> {
    let created_ms = definition.created_ms;
    let fields = definitions::fields::<GoalOut>(definition)?;
    let mut funnel = goal(&fields).map_err(definitions::invalid)?;
    funnel.filters.extend(question.filters.clone());
    let period =
        definitions::from_creation(question.period, created_ms, fields.ignore_historic_data);
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
