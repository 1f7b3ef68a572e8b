//! `/segments/*`: filters under a name, to be used in goals and funnels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Call, Group, Input, Needs, Procedure,
    studies::{self, Deleted, OfId, OfWebsite, Update},
};
use crate::{
    access::Permission,
    actors::studies::{Kind, Saved, SegmentFields, Study},
    clock::iso_ms,
    fault::Fault,
};

const GROUP: Group = Group {
    router: "segments",
    path: "segments",
    tag: "Websites",
};

pub(super) fn procedures() -> Vec<Procedure> {
    use Permission::{WebsiteConfigure, WebsiteRead};
    let needs = Needs::Permission;
    vec![
        GROUP
            .procedure(
                "list",
                needs(WebsiteRead),
                "List a website's saved segments, newest first",
                list,
            )
            .reading(),
        GROUP
            .procedure(
                "getById",
                needs(WebsiteRead),
                "Get a saved segment",
                get_by_id,
            )
            .reading(),
        GROUP.procedure("create", needs(WebsiteConfigure), "Save a segment", create),
        GROUP.procedure(
            "update",
            needs(WebsiteConfigure),
            "Change a saved segment",
            update,
        ),
        GROUP.procedure(
            "delete",
            needs(WebsiteConfigure),
            "Delete a saved segment",
            delete,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SegmentCreate")]
#[serde(rename_all = "camelCase")]
struct CreateBody {
    /// The website's id.
    website_id: String,
    #[serde(flatten)]
    #[schemars(with = "SegmentFields")]
    fields: Map<String, Value>,
}

impl Input for CreateBody {}

impl Input for SegmentFields {}

/// A saved segment.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Segment")]
#[serde(rename_all = "camelCase")]
struct SegmentOut {
    id: String,
    website_id: String,
    #[serde(flatten)]
    fields: SegmentFields,
    created_by: Option<String>,
    created_at: String,
    updated_at: String,
}

fn shown(study: Study) -> Result<SegmentOut, Fault> {
    let fields = match study.saved {
        Saved::Segment(fields) => fields,
        other => {
            return Err(Fault::internal(anyhow::anyhow!(
                "no segment: {:?}",
                other.kind()
            )));
        }
    };
    Ok(SegmentOut {
        id: study.id.to_string(),
        website_id: study.website.to_string(),
        fields,
        created_by: study.created_by.map(String::from),
        created_at: iso_ms(study.created_ms),
        updated_at: iso_ms(study.updated_ms),
    })
}

async fn list(call: Call, body: OfWebsite) -> Result<Vec<SegmentOut>, Fault> {
    let found = studies::list(&call, Kind::Segment, &body.website_id).await?;
    found.into_iter().map(shown).collect()
}

async fn get_by_id(call: Call, body: OfId) -> Result<SegmentOut, Fault> {
    let found = studies::find(&call, Permission::WebsiteRead, Kind::Segment, &body.id).await?;
    shown(found.0)
}

async fn create(call: Call, body: CreateBody) -> Result<SegmentOut, Fault> {
    let fields = studies::inner(&call, &body.website_id, body.fields)?;
    shown(studies::create(&call, &body.website_id, Saved::Segment(fields)).await?)
}

async fn update(call: Call, body: Update<SegmentFields>) -> Result<SegmentOut, Fault> {
    shown(studies::update(&call, Kind::Segment, body).await?)
}

async fn delete(call: Call, body: OfId) -> Result<Deleted, Fault> {
    studies::delete(&call, Kind::Segment, &body.id).await
}
