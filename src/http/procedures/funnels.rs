//! `/funnels/*`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Call, Group,
    conversion::{Conversion, share},
    studies::{self, CohortOut, Deleted, OfId, OfWebsite, Update, When},
};
use crate::{
    access::Permission,
    actors::{
        definitions::{
            CountBy, FilterSpec, FunnelFields, Kind, Operator, Saved, SavedDefinition, StepSpec,
            Values, filters, funnel,
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

const GROUP: Group = Group {
    router: "funnels",
    path: "funnels",
    tag: "Funnels",
};
/// Sources of an answer.
const MAX_SOURCES: usize = 1_000;

procedures! { GROUP;
    LIST = "list", reads(WebsiteRead), list(OfWebsite) -> Vec<ListedOut>: "List a website's funnels, newest first";
    GET_BY_ID = "getById", reads(WebsiteRead), get_by_id(OfId) -> FunnelOut: "Get a funnel";
    CREATE = "create", changes(WebsiteConfigure), create(CreateBody) -> FunnelOut: "Create a funnel";
    UPDATE = "update", changes(WebsiteConfigure), update(Update<FunnelFields>, check) -> FunnelOut: "Change a funnel";
    DELETE = "delete", changes(WebsiteConfigure), delete(OfId) -> Deleted: "Delete a funnel";
    GET_ANALYTICS = "getAnalytics", reads(WebsiteRead), get_analytics(AnalyticsBody) -> AnalyticsOut:
        "How far visitors come in a funnel, how fast, and which errors they meet";
    GET_ANALYTICS_BY_REFERRER = "getAnalyticsByReferrer", reads(WebsiteRead),
        by_referrer(AnalyticsBody) -> ReferrersOut:
        "Where those come from who enter a funnel, and how many of them go through";
    GET_ANALYTICS_BY_LINK = "getAnalyticsByLink", reads(WebsiteRead), by_link(LinkBody) -> AnalyticsOut:
        "How far visitors come whom a short link led to the website";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FunnelCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The website's id.
    pub website_id: String,
    #[serde(flatten)]
    #[schemars(with = "FunnelFields")]
    pub fields: Map<String, Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FunnelAnalyticsQuestion")]
#[serde(rename_all = "camelCase")]
pub struct AnalyticsBody {
    /// The website's id.
    pub website_id: String,
    /// The funnel's id.
    pub funnel_id: String,
    #[serde(flatten)]
    #[schemars(with = "When")]
    pub when: Map<String, Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FunnelLinkQuestion")]
#[serde(rename_all = "camelCase")]
pub struct LinkBody {
    /// The short link's id.
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

/// A funnel.
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

fn listed(study: &SavedDefinition, fields: FunnelFields) -> ListedOut {
    ListedOut {
        id: study.id.to_string(),
        name: fields.name,
        description: fields.description,
        steps: fields.steps,
        filters: fields.filters,
        ignore_historic_data: fields.ignore_historic_data,
        is_active: fields.is_active,
        count_by: fields.count_by,
        window_seconds: fields.window_seconds,
        created_at: iso_ms(study.created_ms),
        updated_at: iso_ms(study.updated_ms),
    }
}

fn shown(study: &SavedDefinition) -> Result<FunnelOut, Fault> {
    Ok(FunnelOut {
        listed: listed(study, fields(study)?),
        website_id: study.website.to_string(),
        created_by: study.created_by.clone().map(String::from),
        deleted_at: None,
    })
}

fn fields(study: &SavedDefinition) -> Result<FunnelFields, Fault> {
    match &study.saved {
        Saved::Funnel(fields) => Ok(fields.clone()),
        other => Err(Fault::internal(anyhow::anyhow!(
            "no funnel: {:?}",
            other.kind()
        ))),
    }
}

async fn list(call: Call, body: OfWebsite) -> Result<Vec<ListedOut>, Fault> {
    let found = studies::list(&call, Kind::Funnel, &body.website_id).await?;
    let each = found.iter();
    each.map(|study| Ok(listed(study, fields(study)?)))
        .collect()
}

async fn get_by_id(call: Call, body: OfId) -> Result<FunnelOut, Fault> {
    let found = studies::find(&call, Permission::WebsiteRead, Kind::Funnel, &body.id).await?;
    shown(&found.0)
}

async fn create(call: Call, body: CreateBody) -> Result<FunnelOut, Fault> {
    let fields = studies::inner(&call, &body.website_id, body.fields)?;
    shown(&studies::create(&call, &body.website_id, Saved::Funnel(fields)).await?)
}

async fn update(call: Call, body: Update<FunnelFields>) -> Result<FunnelOut, Fault> {
    shown(&studies::update(&call, Kind::Funnel, body).await?)
}

async fn delete(call: Call, body: OfId) -> Result<Deleted, Fault> {
    studies::delete(&call, Kind::Funnel, &body.id).await
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
    async fn of(call: &Call, website: &Arc<Website>, body: AnalyticsBody) -> Result<Self, Fault> {
        let study = studies::of_website(call, Kind::Funnel, website, &body.funnel_id).await?;
        let fields = fields(&study)?;
        let question = When::question(body.when, call, website).await?;
        let mut funnel = funnel(&fields).map_err(studies::failed)?;
        funnel.filters.extend(question.filters);
        Ok(Self {
            target: studies::target(call, website)?,
            funnel,
            names: fields.steps.into_iter().map(|step| step.name).collect(),
            period: studies::since(
                question.period,
                study.created_ms,
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

async fn get_analytics(call: Call, body: AnalyticsBody) -> Result<AnalyticsOut, Fault> {
    let website = website(&call, &body.website_id)?;
    FunnelQuery::of(&call, &website, body)
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
    let led = filters(&[led], "linkId").map_err(studies::failed)?;
    let mut asked = FunnelQuery::of(&call, &website, body.rest).await?;
    asked.funnel.filters.extend(led);
    asked.answer(&call).await
}

async fn by_referrer(call: Call, body: AnalyticsBody) -> Result<ReferrersOut, Fault> {
    let website = website(&call, &body.website_id)?;
    let asked = FunnelQuery::of(&call, &website, body).await?;
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
