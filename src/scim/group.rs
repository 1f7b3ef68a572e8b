//! What a provider says of a group.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{ScimError, text};

/// Members of a group.
const MAX_MEMBERS: usize = 5_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupAttributes {
    pub display_name: String,
    pub external_id: Option<String>,
    /// IDs of users.
    pub members: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    display_name: String,
    external_id: Option<String>,
    #[serde(default)]
    members: Vec<SentMember>,
}

#[derive(Deserialize)]
struct SentMember {
    value: String,
    #[serde(rename = "type")]
    kind: Option<String>,
}

impl GroupAttributes {
    /// Reads the attributes of a group ([`super::Kind::read`]).
    pub fn read(fields: Map<String, Value>) -> Result<Self, ScimError> {
        if !fields.contains_key("displayName") {
            text::require("displayName", None)?;
        }
        let read = serde_json::from_value::<Sent>(Value::Object(fields));
        let sent =
            read.map_err(|error| ScimError::Value(format!("The group is wrong: {error}")))?;
        let is_group = |one: &SentMember| {
            let kind = one.kind.as_deref();
            kind.is_some_and(|kind| kind.eq_ignore_ascii_case("Group"))
        };
        if sent.members.iter().any(is_group) {
            let why = "A group can't be in a group: send its users";
            return Err(ScimError::Value(why.to_owned()));
        }
        text::require("displayName", Some(&sent.display_name))?;
        text::check(std::iter::once(&sent.display_name).chain(&sent.external_id))?;
        if sent.members.len() > MAX_MEMBERS {
            let why = format!("A group has at most {MAX_MEMBERS} members");
            return Err(ScimError::Value(why));
        }
        Ok(Self {
            display_name: sent.display_name,
            external_id: sent.external_id,
            members: sent.members.into_iter().map(|one| one.value).collect(),
        })
    }
}
