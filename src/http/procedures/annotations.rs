//! `/annotations/*`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Call, Group,
    annotations_auto::{self, Found},
    fields::Fields,
    studies::{self, Deleted, OfId, Update},
};
use crate::{
    access::Permission,
    actors::definitions::{
        AnnotationFields, ChartContext, Kind, Saved, SavedDefinition, begins, ends,
    },
    clock::iso_ms,
    fault::{Fault, Issue},
};

const GROUP: Group = Group {
    router: "annotations",
    path: "annotations",
    tag: "Annotations",
};
/// What of an annotation can be changed.
const CHANGEABLE: [&str; 4] = ["text", "tags", "color", "isPublic"];

procedures! { GROUP;
    LIST = "list", reads(WebsiteRead), list(ListBody, check) -> Vec<AnnotationOut>:
        "List the annotations that fall into a chart's range, newest first";
    GET_BY_ID = "getById", reads(WebsiteRead), get_by_id(OfId) -> AnnotationOut: "Get an annotation";
    CREATE = "create", changes(WebsiteConfigure), create(CreateBody) -> AnnotationOut: "Annotate a chart";
    UPDATE = "update", changes(WebsiteConfigure), update(Update<AnnotationFields>, check) -> AnnotationOut:
        "Change an annotation's text, tags, colour or who sees it";
    DELETE = "delete", changes(WebsiteConfigure), delete(OfId) -> Deleted: "Delete an annotation";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AnnotationList")]
#[serde(rename_all = "camelCase")]
pub struct ListBody {
    /// The website's id.
    pub website_id: String,
    /// The kind of chart: `metrics`.
    pub chart_type: Option<String>,
    /// The chart; without one all annotations are listed.
    pub chart_context: Option<ChartContext>,
}

impl ListBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if self
            .chart_type
            .as_deref()
            .is_some_and(|kind| kind != "metrics")
        {
            let message = "the kinds of charts: `metrics`";
            issues.push(Issue::new("invalid_value", "chartType", message));
        }
        let Some(context) = &self.chart_context else {
            return;
        };
        let range = &context.date_range;
        for (field, text) in [
            ("start_date", &range.start_date),
            ("end_date", &range.end_date),
        ] {
            if begins(text).is_none() {
                let place = format!("chartContext.dateRange.{field}");
                let message = "a day (YYYY-MM-DD) or a moment (ISO 8601)";
                issues.push(Issue::new("invalid_value", place, message));
            }
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AnnotationCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The website's id.
    pub website_id: String,
    #[serde(flatten)]
    pub fields: Fields<AnnotationFields>,
}

/// A note on a chart.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Annotation")]
#[serde(rename_all = "camelCase")]
pub struct AnnotationOut {
    pub id: String,
    pub website_id: String,
    #[serde(flatten)]
    pub fields: AnnotationFields,
    /// Whether nobody wrote it: what happened to flags and monitors, and deploys. Such a note is there on charts alone.
    pub is_automatic: bool,
    pub created_by: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    /// Always null: deleted annotations are not shown.
    pub deleted_at: Option<String>,
}

fn fields(study: &SavedDefinition) -> Result<&AnnotationFields, Fault> {
    match &study.saved {
        Saved::Annotation(fields) => Ok(fields),
        other => Err(Fault::internal(anyhow::anyhow!(
            "no annotation: {:?}",
            other.kind()
        ))),
    }
}

fn shown(study: &SavedDefinition) -> Result<AnnotationOut, Fault> {
    Ok(AnnotationOut {
        id: study.id.to_string(),
        website_id: study.website.to_string(),
        fields: fields(study)?.clone(),
        is_automatic: false,
        created_by: study.created_by.clone().map(String::from),
        created_at: iso_ms(study.created_ms),
        updated_at: iso_ms(study.updated_ms),
        deleted_at: None,
    })
}

async fn list(call: Call, body: ListBody) -> Result<Vec<AnnotationOut>, Fault> {
    let found = studies::list(&call, Kind::Annotation, &body.website_id).await?;
    let range = body
        .chart_context
        .as_ref()
        .map(|context| &context.date_range);
    let mut shown_ones = Vec::new();
    for study in &found {
        let own = fields(study)?;
        let falls = range.as_ref().is_none_or(|range| {
            let end = own.x_end_value.as_deref().unwrap_or(&own.x_value);
            begins(&own.x_value) < ends(&range.end_date) && ends(end) > begins(&range.start_date)
        });
        if falls {
            shown_ones.push(shown(study)?);
        }
    }
    if let Some(chart) = &body.chart_context {
        let happened = annotations_auto::found(&call, &body.website_id, chart).await?;
        let automatic = |found: Found| AnnotationOut {
            id: found.id,
            website_id: body.website_id.clone(),
            fields: found.fields,
            is_automatic: true,
            created_by: None,
            created_at: iso_ms(found.at_ms),
            updated_at: iso_ms(found.at_ms),
            deleted_at: None,
        };
        shown_ones.extend(happened.into_iter().map(automatic));
    }
    Ok(shown_ones)
}

async fn get_by_id(call: Call, body: OfId) -> Result<AnnotationOut, Fault> {
    let found = studies::find(&call, Permission::WebsiteRead, Kind::Annotation, &body.id).await?;
    shown(&found.0)
}

async fn create(call: Call, body: CreateBody) -> Result<AnnotationOut, Fault> {
    let fields = studies::inner(&call, &body.website_id, body.fields)?;
    shown(&studies::create(&call, &body.website_id, Saved::Annotation(fields)).await?)
}

async fn update(call: Call, body: Update<AnnotationFields>) -> Result<AnnotationOut, Fault> {
    let fixed = |fields: &Map<String, Value>| {
        let mut names = fields.keys();
        names
            .find(|name| !CHANGEABLE.contains(&name.as_str()))
            .cloned()
    };
    if let Some(name) = fixed(&body.fields.0) {
        let message = format!("what can be changed: {}", CHANGEABLE.join(", "));
        return Err(studies::failed(vec![Issue::new(
            "unrecognized_keys",
            name,
            message,
        )]));
    }
    shown(&studies::update(&call, Kind::Annotation, body).await?)
}

async fn delete(call: Call, body: OfId) -> Result<Deleted, Fault> {
    studies::delete(&call, Kind::Annotation, &body.id).await
}
