//! `/segments/*`: filters under a name, to be used in goals and funnels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    fields::Fields,
    studies::{self, Deleted, OfId, OfWebsite, Update},
};
use crate::{
    access::Permission,
    actors::definitions::{Kind, Saved, SavedDefinition, SegmentFields},
    clock::iso_ms,
    fault::Fault,
};

const GROUP: Group = Group {
    router: "segments",
    path: "segments",
    tag: "Websites",
};

procedures! { GROUP;
    LIST = "list", reads(WebsiteRead), list(OfWebsite) -> Vec<SegmentOut>:
        "List a website's saved segments, newest first";
    GET_BY_ID = "getById", reads(WebsiteRead), get_by_id(OfId) -> SegmentOut: "Get a saved segment";
    CREATE = "create", changes(WebsiteConfigure), create(CreateBody) -> SegmentOut: "Save a segment";
    UPDATE = "update", changes(WebsiteConfigure), update(Update<SegmentFields>, check) -> SegmentOut:
        "Change a saved segment";
    DELETE = "delete", changes(WebsiteConfigure), delete(OfId) -> Deleted: "Delete a saved segment";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SegmentCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The website's id.
    pub website_id: String,
    #[serde(flatten)]
    pub fields: Fields<SegmentFields>,
}

/// A saved segment.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Segment")]
#[serde(rename_all = "camelCase")]
pub struct SegmentOut {
    pub id: String,
    pub website_id: String,
    #[serde(flatten)]
    pub fields: SegmentFields,
    pub created_by: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

fn shown(study: SavedDefinition) -> Result<SegmentOut, Fault> {
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
