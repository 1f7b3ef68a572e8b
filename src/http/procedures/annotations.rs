//! `/annotations/*`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    annotations_auto::{self, AutomaticAnnotation},
    bodies::{IdBody, WebsiteIdBody},
    definitions::{self, Create, Definition, Update, create, delete, get_by_id},
    success::Success,
};
use crate::{
    actors::definitions::{
        AnnotationFields, ChartContext, ChartRange, SavedDefinition, begins, ends,
    },
    clock::iso_ms,
    fault::{Fault, Issue},
};

const GROUP: Group = Group::new("annotations", "Annotations");
/// What of an annotation can be changed.
const CHANGEABLE: [&str; 4] = ["text", "tags", "color", "isPublic"];

procedures! { GROUP;
    LIST = "list", reads(WebsiteRead), list(ListBody, check) -> Vec<AnnotationOut>:
        "List the annotations that fall into a chart's range, newest first";
    GET_BY_ID = "getById", reads(WebsiteRead), get_by_id::<AnnotationOut>(IdBody) -> AnnotationOut: "Get an annotation";
    CREATE = "create", changes(WebsiteConfigure), create::<AnnotationOut>(Create<AnnotationOut>) -> AnnotationOut: "Annotate a chart";
    UPDATE = "update", changes(WebsiteConfigure), update(Update<AnnotationOut>, check) -> AnnotationOut:
        "Change an annotation's text, tags, color or visibility";
    DELETE = "delete", changes(WebsiteConfigure), delete::<AnnotationOut>(IdBody) -> Success: "Delete an annotation";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AnnotationList")]
#[serde(rename_all = "camelCase")]
pub struct ListBody {
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

/// A note on a chart.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Annotation")]
#[serde(rename_all = "camelCase")]
pub struct AnnotationOut {
    pub id: String,
    pub website_id: String,
    #[serde(flatten)]
    pub fields: AnnotationFields,
    /// Whether it is automatic: what happened to flags and monitors, and deploys. Automatic ones are on charts only.
    pub is_automatic: bool,
    pub created_by: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    /// Always null: deleted annotations are not shown.
    pub deleted_at: Option<String>,
}

impl AnnotationOut {
    fn automatic(website_id: &str, found: AutomaticAnnotation) -> Self {
        Self {
            id: found.id,
            website_id: website_id.to_owned(),
            fields: found.fields,
            is_automatic: true,
            created_by: None,
            created_at: iso_ms(found.at_ms),
            updated_at: iso_ms(found.at_ms),
            deleted_at: None,
        }
    }

    fn overlaps(&self, range: &ChartRange) -> bool {
        let end = self.fields.x_end_value.as_deref();
        let end = end.unwrap_or(&self.fields.x_value);
        begins(&self.fields.x_value) < ends(&range.end_date)
            && ends(end) > begins(&range.start_date)
    }
}

impl Definition for AnnotationOut {
    saved_as!(Annotation(AnnotationFields));

    fn new(definition: &SavedDefinition, fields: AnnotationFields) -> Self {
        Self {
            id: definition.id.to_string(),
            website_id: definition.website.to_string(),
            fields,
            is_automatic: false,
            created_by: definition.created_by.as_ref().map(ToString::to_string),
            created_at: iso_ms(definition.created_ms),
            updated_at: iso_ms(definition.updated_ms),
            deleted_at: None,
        }
    }
}

async fn list(call: Call, body: ListBody) -> Result<Vec<AnnotationOut>, Fault> {
    let website_id = body.website_id.clone();
    let mut all: Vec<AnnotationOut> =
        definitions::list(call.clone(), WebsiteIdBody { website_id }).await?;
    if let Some(chart) = &body.chart_context {
        all.retain(|one| one.overlaps(&chart.date_range));
        let automatic = annotations_auto::find_automatic(&call, &body.website_id, chart).await?;
        let automatic = automatic.into_iter();
        all.extend(automatic.map(|found| AnnotationOut::automatic(&body.website_id, found)));
    }
    Ok(all)
}

async fn update(call: Call, body: Update<AnnotationOut>) -> Result<AnnotationOut, Fault> {
    let mut names = body.fields.0.keys();
    if let Some(name) = names.find(|name| !CHANGEABLE.contains(&name.as_str())) {
        let message = format!("what can be changed: {}", CHANGEABLE.join(", "));
        let issue = Issue::new("unrecognized_keys", name.clone(), message);
        return Err(definitions::invalid(vec![issue]));
    }
    definitions::update(call, body).await
}
