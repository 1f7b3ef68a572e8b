//! `/segments/*`: filters under a name, to be used in goals and funnels.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Group,
    bodies::{IdBody, WebsiteIdBody},
    definitions::{Create, Definition, Update, create, delete, get_by_id, list, update},
    success::Success,
};
use crate::{
    actors::definitions::{SavedDefinition, SegmentFields},
    clock::iso_ms,
};

const GROUP: Group = Group::new("segments", "Websites");

procedures! { GROUP;
    LIST = "list", reads(WebsiteRead), list::<SegmentOut>(WebsiteIdBody) -> Vec<SegmentOut>:
        "List a website's saved segments, newest first";
    GET_BY_ID = "getById", reads(WebsiteRead), get_by_id::<SegmentOut>(IdBody) -> SegmentOut: "Get a saved segment";
    CREATE = "create", changes(WebsiteConfigure), create::<SegmentOut>(Create<SegmentOut>) -> SegmentOut:
        "Save a segment";
    UPDATE = "update", changes(WebsiteConfigure), update::<SegmentOut>(Update<SegmentOut>, check) -> SegmentOut:
        "Change a saved segment";
    DELETE = "delete", changes(WebsiteConfigure), delete::<SegmentOut>(IdBody) -> Success: "Delete a saved segment";
}

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

impl Definition for SegmentOut {
    saved_as!(Segment(SegmentFields));

    fn new(definition: &SavedDefinition, fields: SegmentFields) -> Self {
        Self {
            id: definition.id.to_string(),
            website_id: definition.website.to_string(),
            fields,
            created_by: definition.created_by.as_ref().map(ToString::to_string),
            created_at: iso_ms(definition.created_ms),
            updated_at: iso_ms(definition.updated_ms),
        }
    }
}
