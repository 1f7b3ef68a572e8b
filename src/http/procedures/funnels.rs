//! `/funnels/*`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    bodies::{IdBody, WebsiteIdBody},
    conversion::{Conversion, share},
    definitions::{
        self, CohortOut, Create, Definition, Question, QuestionBody, Update, create, delete,
        get_by_id, update,
    },
    fields::Fields,
    success::Success,
};
use crate::{
    access::Permission,
    actors::{
        definitions::{
            CountBy, FilterSpec, FunnelFields, Kind, Operator, Saved, SavedDefinition, StepSpec,
            Values, check, filters, funnel,
        },
        websites::Website,
    },
    analytics::{
        ErrorTracking, Target,
        funnel::{Funnel, FunnelReferrer},
        run::{self, Period},
    },
    clock::iso_ms,
    fault::Fault,
};

const GROUP: Group = Group::new("funnels", "Funnels");
/// Sources of an answer.
const MAX_SOURCES: usize = 1_000;

procedures! { GROUP;
    LIST = "list", reads(WebsiteRead), list(WebsiteIdBody) -> Vec<ListedOut>: "List a website's funnels, newest first";
    GET_BY_ID = "getById", reads(WebsiteRead), get_by_id::<FunnelOut>(IdBody) -> FunnelOut: "Get a funnel";
    CREATE = "create", changes(WebsiteConfigure), create::<FunnelOut>(Create<FunnelOut>) -> FunnelOut: "Create a funnel";
    UPDATE = "update", changes(WebsiteConfigure), update::<FunnelOut>(Update<FunnelOut>, check) -> FunnelOut: "Change a funnel";
    DELETE = "delete", changes(WebsiteConfigure), delete::<FunnelOut>(IdBody) -> Success: "Delete a funnel";
    PREVIEW = "preview", reads(WebsiteRead), preview(Create<FunnelOut>) -> AnalyticsOut:
        "Analyze a funnel that isn't saved, over the last 30 days";
    GET_ANALYTICS = "getAnalytics", reads(WebsiteRead), get_analytics(AnalyticsBody) -> AnalyticsOut:
        "Get the conversion rates of a funnel, its times to convert and its errors";
    GET_ANALYTICS_BY_REFERRER = "getAnalyticsByReferrer", reads(WebsiteRead),
        by_referrer(AnalyticsBody) -> ReferrersOut:
        "Get the conversion rates of a funnel by referrer";
    GET_ANALYTICS_BY_LINK = "getAnalyticsByLink", reads(WebsiteRead), by_link(LinkBody) -> AnalyticsOut:
        "Get the conversion rates of a funnel by short link";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FunnelAnalyticsQuestion")]
#[serde(rename_all = "camelCase")]
pub struct AnalyticsBody {
    pub website_id: String,
    pub funnel_id: String,
    #[serde(flatten)]
    pub when: Fields<QuestionBody>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FunnelLinkQuestion")]
#[serde(rename_all = "camelCase")]
pub struct LinkBody {
    pub link_id: String,
    #[serde(flatten)]
    pub rest: AnalyticsBody,
}

/// A funnel, as lists show it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FunnelListed")]
#[serde(rename_all = "camelCase")]
pub struct ListedOut {
    pub id: String,
    pub name: String,
    pub description: Option<String>,
    pub steps: Vec<StepSpec>,
    pub filters: Option<Vec<FilterSpec>>,
    pub ignore_historic_data: bool,
    pub is_active: bool,
    pub count_by: CountBy,
    pub window_seconds: Option<u64>,
    pub created_at: String,
    pub updated_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Funnel")]
#[serde(rename_all = "camelCase")]
pub struct FunnelOut {
    #[serde(flatten)]
    pub listed: ListedOut,
    pub website_id: String,
    pub created_by: Option<String>,
    /// Always null: deleted funnels are not shown.
    pub deleted_at: Option<String>,
}

/// How far people come in a funnel.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FunnelAnalytics")]
pub struct AnalyticsOut {
    #[serde(flatten)]
    pub conversion: Conversion,
    /// The segment that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohort: Option<CohortOut>,
}

/// Where people come from.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FunnelReferrers")]
pub struct ReferrersOut {
    /// The sources, biggest first, at most 1,000.
    pub referrer_analytics: Vec<ReferrerOut>,
    pub total_users_entered: u64,
    pub total_users_completed: u64,
    pub overall_conversion_rate: f64,
    /// The segment that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohort: Option<CohortOut>,
}

/// People from one source.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FunnelReferrer")]
pub struct ReferrerOut {
    /// The referrer's domain, else the source's name, else `direct`.
    pub referrer: String,
    pub referrer_parsed: Parsed,
    pub total_users: u64,
    pub completed_users: u64,
    pub conversion_rate: f64,
}

/// What a source is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FunnelReferrerParsed")]
pub struct Parsed {
    pub name: String,
    /// `search`, `social`, `direct`, …
    #[serde(rename = "type")]
    pub kind: String,
    pub domain: String,
}

impl ListedOut {
    fn new(definition: &SavedDefinition, fields: FunnelFields) -> Self {
        Self {
            id: definition.id.to_string(),
            name: fields.name,
            description: fields.description,
            steps: fields.steps,
            filters: fields.filters,
            ignore_historic_data: fields.ignore_historic_data,
            is_active: fields.is_active,
            count_by: fields.count_by,
            window_seconds: fields.window_seconds,
            created_at: iso_ms(definition.created_ms),
            updated_at: iso_ms(definition.updated_ms),
        }
    }
}

impl Definition for FunnelOut {
    saved_as!(Funnel(FunnelFields));

    fn new(definition: &SavedDefinition, fields: FunnelFields) -> Self {
        Self {
            listed: ListedOut::new(definition, fields),
            website_id: definition.website.to_string(),
            created_by: definition.created_by.as_ref().map(ToString::to_string),
            deleted_at: None,
        }
    }
}

async fn list(call: Call, body: WebsiteIdBody) -> Result<Vec<ListedOut>, Fault> {
    let funnels: Vec<FunnelOut> = definitions::list(call, body).await?;
    Ok(funnels.into_iter().map(|funnel| funnel.listed).collect())
}

/// A funnel of a website, ready to be asked about.
struct FunnelQuery {
    target: Target,
    funnel: Funnel,
    names: Vec<String>,
    period: Period,
    cohort: Option<CohortOut>,
}

impl FunnelQuery {
    async fn load(call: &Call, website: &Arc<Website>, body: AnalyticsBody) -> Result<Self, Fault> {
        let definition =
            definitions::find_of_website(call, Kind::Funnel, website, &body.funnel_id).await?;
        let fields = definitions::fields::<FunnelOut>(&definition)?;
        let question = Question::read(body.when, call, website).await?;
        let mut funnel = funnel(&fields).map_err(definitions::invalid)?;
        funnel.filters.extend(question.filters);
        Ok(Self {
            target: definitions::target(call, website)?,
            funnel,
            names: fields.steps.into_iter().map(|step| step.name).collect(),
            period: definitions::from_creation(
                question.period,
                definition.created_ms,
                fields.ignore_historic_data,
            ),
            cohort: question.cohort,
        })
    }

    async fn answer(self, call: &Call) -> Result<AnalyticsOut, Fault> {
        let events = &call.shared.events;
        let (figures, troubles) = match self.target.error_tracking {
            ErrorTracking::From(_) => {
                let figures = run::steps(events, &self.target, &self.funnel, self.period).await?;
                (figures, None)
            }
            ErrorTracking::Included => {
                let whole =
                    run::steps_with_errors(events, &self.target, &self.funnel, self.period).await?;
                (whole.0, Some(whole.1))
            }
        };
        Ok(AnalyticsOut {
            conversion: Conversion::new(&figures, &self.names, troubles.as_ref()),
            cohort: self.cohort,
        })
    }
}

fn website(call: &Call, id: &str) -> Result<Arc<Website>, Fault> {
    let (website, _) = super::websites::find(call, Permission::WebsiteRead, id)?;
    Ok(website)
}

async fn preview(call: Call, body: Create<FunnelOut>) -> Result<AnalyticsOut, Fault> {
    let website = website(&call, &body.website_id)?;
    let fields = body.fields.read()?;
    let issues = check(Saved::Funnel(fields.clone()));
    if !issues.is_empty() {
        return Err(definitions::invalid(issues));
    }
    let query = FunnelQuery {
        target: definitions::target(&call, &website)?,
        funnel: funnel(&fields).map_err(definitions::invalid)?,
        names: fields.steps.into_iter().map(|step| step.name).collect(),
        period: QuestionBody::between(None, None, call.shared.clock.now_ms())?,
        cohort: None,
    };
    query.answer(&call).await
}

async fn get_analytics(call: Call, body: AnalyticsBody) -> Result<AnalyticsOut, Fault> {
    let website = website(&call, &body.website_id)?;
    FunnelQuery::load(&call, &website, body)
        .await?
        .answer(&call)
        .await
}

async fn by_link(call: Call, body: LinkBody) -> Result<AnalyticsOut, Fault> {
    let website = website(&call, &body.rest.website_id)?;
    let led = FilterSpec {
        field: "link_id".to_owned(),
        operator: Operator::Equals,
        value: Values::One(body.link_id),
    };
    let led = filters(&[led], "linkId").map_err(definitions::invalid)?;
    let mut asked = FunnelQuery::load(&call, &website, body.rest).await?;
    asked.funnel.filters.extend(led);
    asked.answer(&call).await
}

async fn by_referrer(call: Call, body: AnalyticsBody) -> Result<ReferrersOut, Fault> {
    let website = website(&call, &body.website_id)?;
    let asked = FunnelQuery::load(&call, &website, body).await?;
    let (events, target) = (&call.shared.events, &asked.target);
    let landed = run::referrers(events, target, &asked.funnel, asked.period).await?;
    let entered = landed.iter().map(|one| one.users).sum();
    let completed = landed.iter().map(|one| one.conversions).sum();
    Ok(ReferrersOut {
        referrer_analytics: landed.into_iter().take(MAX_SOURCES).map(source).collect(),
        total_users_entered: entered,
        total_users_completed: completed,
        overall_conversion_rate: share(completed, entered),
        cohort: asked.cohort,
    })
}

fn source(one: FunnelReferrer) -> ReferrerOut {
    let first = [&one.domain, &one.source];
    let named = first.into_iter().find(|text| !text.is_empty());
    let referrer = named.map_or_else(|| "direct".to_owned(), String::clone);
    let or = |text: String, nothing: &str| {
        if text.is_empty() {
            nothing.to_owned()
        } else {
            text
        }
    };
    ReferrerOut {
        referrer,
        total_users: one.users,
        completed_users: one.conversions,
        conversion_rate: share(one.conversions, one.users),
        referrer_parsed: Parsed {
            name: or(one.source, "Direct"),
            kind: or(one.channel, "direct"),
            domain: one.domain,
        },
    }
}
