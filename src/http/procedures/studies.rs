//! What goals, funnels, annotations and segments share: how they are found, by whom, and when a question is about.

use std::{marker::PhantomData, sync::Arc};

use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Call, Input,
    fields::{Patch, require_change},
    websites,
};
use crate::{
    access::{Permission, Principal, authorize},
    actors::{
        definitions::{
            CreateDefinition, DeleteDefinition, FilterSpec, Kind, Saved, SavedDefinition,
            SegmentFields, UpdateDefinition, filters,
        },
        websites::Website,
    },
    analytics::{
        Target, nearest,
        range::{Moment, Range, parse_moment, zone},
        request::Filter,
        run::Period,
    },
    fault::{Fault, Issue},
    http::v1,
};

/// Days that are asked about when nothing is said, today among them.
const USUAL_DAYS: u64 = 30;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "WebsiteIdBody")]
#[serde(rename_all = "camelCase")]
pub struct OfWebsite {
    /// The website's id.
    pub website_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "StudyIdBody")]
pub struct OfId {
    /// Its id.
    pub id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "{T}Update", extend("minProperties" = 2))]
#[serde(bound = "")]
pub struct Update<T: JsonSchema> {
    /// Its id.
    pub id: String,
    /// What changes: the fields that `create` takes but for `websiteId`, and `isActive` where it has one. What is not
    /// named stays.
    #[serde(flatten)]
    #[schemars(with = "Patch<T>")]
    pub fields: Map<String, Value>,
    #[serde(skip)]
    pub of: PhantomData<T>,
}

impl<T: JsonSchema> Update<T> {
    pub(super) fn check(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.fields.is_empty(), "a field");
    }
}

/// `{"success": true}`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StudyDeleted")]
pub struct Deleted {
    pub success: bool,
}

/// What is flattened into a body, read by itself once the caller may ask: so that what is wrong in it has its place.
pub(super) fn inner<I: Input>(
    call: &Call,
    website: &str,
    fields: Map<String, Value>,
) -> Result<I, Fault> {
    websites::find(call, Permission::WebsiteConfigure, website)?;
    super::read(&Value::Object(fields))
}

/// When a question is about, and about whom.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "StudyRange")]
#[serde(rename_all = "camelCase")]
pub struct When {
    /// The first day (`YYYY-MM-DD`) or moment; by default 29 days before the last.
    pub start_date: Option<String>,
    /// The last day or moment; by default today.
    pub end_date: Option<String>,
    /// The time zone of days, by default UTC.
    pub timezone: Option<String>,
    /// Further filters.
    pub filters: Option<Vec<FilterSpec>>,
    /// Id of a saved segment, whose filters hold as well.
    pub cohort: Option<String>,
}

/// A saved segment that a question was narrowed by.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Cohort")]
pub struct CohortOut {
    pub id: String,
    pub name: String,
}

/// What a [`When`] comes to.
pub(super) struct Question {
    pub(super) period: Period,
    pub(super) filters: Vec<Filter>,
    pub(super) cohort: Option<CohortOut>,
}

/// What a website has of a kind, newest first.
pub(super) async fn list(
    call: &Call,
    kind: Kind,
    website: &str,
) -> Result<Vec<SavedDefinition>, Fault> {
    let (website, _) = websites::find(call, Permission::WebsiteRead, website)?;
    Ok(call.shared.definitions.view().of(&website.id, kind).await?)
}

/// Saves something about a website.
pub(super) async fn create(
    call: &Call,
    website: &str,
    saved: Saved,
) -> Result<SavedDefinition, Fault> {
    let (website, proof) = websites::find(call, Permission::WebsiteConfigure, website)?;
    let message = CreateDefinition {
        website: website.id.clone(),
        created_by: call.maker(proof.organization()),
        saved,
    };
    Ok(call.shared.definitions.ask(message).await?)
}

/// Changes something saved.
pub(super) async fn update<T: JsonSchema>(
    call: &Call,
    kind: Kind,
    body: Update<T>,
) -> Result<SavedDefinition, Fault> {
    let (study, _) = find(call, Permission::WebsiteConfigure, kind, &body.id).await?;
    let message = UpdateDefinition {
        id: study.id,
        kind,
        patch: body.fields,
    };
    Ok(call.shared.definitions.ask(message).await?)
}

/// Deletes something saved.
pub(super) async fn delete(call: &Call, kind: Kind, id: &str) -> Result<Deleted, Fault> {
    let (study, _) = find(call, Permission::WebsiteConfigure, kind, id).await?;
    let message = DeleteDefinition { id: study.id, kind };
    call.shared.definitions.ask(message).await?;
    Ok(Deleted { success: true })
}

/// Something saved, if the caller may do this with its website. Unknown and foreign ids are 404.
pub(super) async fn find(
    call: &Call,
    permission: Permission,
    kind: Kind,
    id: &str,
) -> Result<(SavedDefinition, Arc<Website>), Fault> {
    let unseen = || Fault::not_found(kind.as_str(), id);
    let found = call.shared.definitions.view().get(kind, id).await?;
    let websites = call.shared.websites.view();
    let about = found.and_then(|study| {
        let website = websites.by_id(study.website.as_str()).cloned()?;
        Some((study, website))
    });
    let owner = about.as_ref().map(|(_, website)| &website.organization);
    let own = match (&call.caller, owner) {
        (_, None) | (Principal::Anonymous, _) => false,
        (Principal::Key(key), owner) => key.organization.as_ref() == owner,
        (Principal::Session(session), Some(owner)) => session.role_in(owner).is_some(),
    };
    let Some((study, website)) = about.filter(|_| own) else {
        // Says who may not ask at all.
        authorize::owned(&call.caller, permission, (kind.as_str(), id), None)?;
        return Err(unseen());
    };
    let site = website.site();
    authorize::website(&call.caller, permission, website.id.as_str(), Some(&site))?;
    Ok((study, website))
}

/// Something saved about just this website.
pub(super) async fn of_website(
    call: &Call,
    kind: Kind,
    website: &Website,
    id: &str,
) -> Result<SavedDefinition, Fault> {
    let found = call.shared.definitions.view().get(kind, id).await?;
    let found = found.filter(|study| study.website == website.id);
    found.ok_or_else(|| Fault::not_found(kind.as_str(), id))
}

/// Whose rows a question is about.
pub(super) fn target(call: &Call, website: &Website) -> Result<Target, Fault> {
    v1::website(&call.shared, &call.caller, website.id.as_str())
}

impl When {
    /// Reads dates and filters, and looks the segment up.
    pub(super) async fn question(
        body: Map<String, Value>,
        call: &Call,
        website: &Website,
    ) -> Result<Question, Fault> {
        let when: Self = super::read(&Value::Object(body))?;
        let now_ms = call.shared.clock.now_ms();
        let period = when.period(now_ms)?;
        let own = when.filters.unwrap_or_default();
        let mut all = filters(&own, "filters").map_err(failed)?;
        let mut cohort = None;
        if let Some(id) = when.cohort {
            let study = of_website(call, Kind::Segment, website, &id).await?;
            if let Saved::Segment(SegmentFields {
                name, filters: of, ..
            }) = study.saved
            {
                all.extend(filters(&of, "cohort").map_err(failed)?);
                cohort = Some(CohortOut { id, name });
            }
        }
        Ok(Question {
            period,
            filters: all,
            cohort,
        })
    }

    /// The days from one to another, in UTC, with the usual ones where nothing is said.
    pub(super) fn between(
        start_date: Option<String>,
        end_date: Option<String>,
        now_ms: i64,
    ) -> Result<Period, Fault> {
        let when = Self {
            start_date,
            end_date,
            ..Self::default()
        };
        when.period(now_ms)
    }

    fn period(&self, now_ms: i64) -> Result<Period, Fault> {
        let named = self.timezone.as_deref().filter(|name| !name.is_empty());
        let zone = named.map_or(Ok(Tz::UTC), known)?;
        let moment = |field: &'static str, text: Option<&String>| {
            let Some(text) = text else { return Ok(None) };
            let wrong = "must be a date like 2025-01-31, or a moment";
            let found = parse_moment(text);
            found
                .map(Some)
                .ok_or_else(|| refused(field, wrong.to_owned()))
        };
        let end = moment("endDate", self.end_date.as_ref())?;
        let end = end.unwrap_or(Moment::Day(zone::local_date(now_ms, zone)));
        let start = moment("startDate", self.start_date.as_ref())?;
        let (_, last) = end.end_in(zone);
        let usual = Moment::Day(last - chrono::Days::new(USUAL_DAYS - 1));
        let range = Range::between(start.unwrap_or(usual), end, zone);
        let range = range.map_err(|error| refused("endDate", error.to_string()))?;
        Ok(Period { range, now_ms })
    }
}

fn known(name: &str) -> Result<Tz, Fault> {
    let zones = chrono_tz::TZ_VARIANTS.iter();
    let found = zones
        .clone()
        .find(|zone| zone.name().eq_ignore_ascii_case(name));
    found.copied().ok_or_else(|| {
        let meant = nearest(name, zones.map(|zone| zone.name()));
        let suggestion = meant.map(|name| format!("Did you mean '{name}'?"));
        let issue = Issue::new("unknown", "timezone", "there is no such time zone");
        failed(vec![issue.suggest(suggestion)])
    })
}

fn refused(field: &'static str, message: String) -> Fault {
    failed(vec![Issue::new("invalid_value", field, message)])
}

/// Input that makes no question.
pub(super) fn failed(issues: Vec<Issue>) -> Fault {
    Fault::issues(super::FAILED, issues)
}

/// The period without what was before something was made, if that does not count.
pub(super) fn since(mut period: Period, created_ms: i64, ignores: bool) -> Period {
    if ignores && created_ms > period.range.from {
        let zone = period.range.zone;
        period.range.from = created_ms.min(period.range.to);
        period.range.first = zone::local_date(created_ms, zone).min(period.range.last);
    }
    period
}
