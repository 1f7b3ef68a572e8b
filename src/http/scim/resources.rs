//! Users and groups of an organization as resources.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::address;
use crate::{
    actors::organizations::{Provisioner, ScimGroup, ScimUser},
    clock::iso_ms,
    fault::Fault,
    http::Shared,
    scim::Kind,
};

/// The address of the protocol.
pub(super) struct Root(String);

/// What users are made of.
pub(super) struct Resources {
    /// The addresses of the organization's members.
    members: BTreeSet<String>,
    pub(super) root: Root,
    groups: Vec<ScimGroup>,
}

impl Resources {
    pub(super) async fn read(shared: &Shared, by: &Provisioner) -> Result<Self, Fault> {
        let groups = shared.records.scim_groups(&by.organization).await?;
        let view = shared.organizations.view();
        let members = view.members(&by.organization);
        Ok(Self {
            members: members
                .into_iter()
                .map(|person| person.email.clone())
                .collect(),
            root: Root::new(shared),
            groups,
        })
    }

    pub(super) fn groups(&self) -> &[ScimGroup] {
        &self.groups
    }

    pub(super) fn user(&self, user: &ScimUser) -> Map<String, Value> {
        let mut fields = user.attributes.to_fields();
        let is_active = user.attributes.active && self.members.contains(&user.account);
        fields.insert("active".to_owned(), json!(is_active));
        let own = self
            .groups
            .iter()
            .filter(|group| group.members.contains(&user.id));
        let own: Vec<Value> = own
            .map(|group| {
                let place = self.root.location(Kind::Group, group.id.as_str());
                json!({ "value": group.id, "$ref": place, "display": group.name, "type": "direct" })
            })
            .collect();
        if !own.is_empty() {
            fields.insert("groups".to_owned(), Value::Array(own));
        }
        let times = (user.created_ms, user.updated_ms);
        self.root
            .finish(Kind::User, user.id.as_str(), times, fields)
    }
}

impl Root {
    pub(super) fn new(shared: &Shared) -> Self {
        Self(address(shared))
    }

    pub(super) fn group(&self, group: &ScimGroup) -> Map<String, Value> {
        let members: Vec<Value> = group
            .members
            .iter()
            .map(|id| {
                let place = self.location(Kind::User, id.as_str());
                json!({ "value": id, "$ref": place, "type": "User" })
            })
            .collect();
        let mut fields = Map::new();
        fields.insert("displayName".to_owned(), json!(group.name));
        if let Some(id) = &group.external_id {
            fields.insert("externalId".to_owned(), json!(id));
        }
        if !members.is_empty() {
            fields.insert("members".to_owned(), Value::Array(members));
        }
        let times = (group.created_ms, group.updated_ms);
        self.finish(Kind::Group, group.id.as_str(), times, fields)
    }

    fn location(&self, kind: Kind, id: &str) -> String {
        format!("{}/{}/{id}", self.0, kind.endpoint())
    }

    /// Adds what every resource has. The version is that of all that is answered.
    fn finish(
        &self,
        kind: Kind,
        id: &str,
        (created_ms, updated_ms): (i64, i64),
        mut fields: Map<String, Value>,
    ) -> Map<String, Value> {
        fields.insert("schemas".to_owned(), json!([kind.schema()]));
        fields.insert("id".to_owned(), json!(id));
        let mut meta = json!({
            "resourceType": kind.name(),
            "created": iso_ms(created_ms),
            "lastModified": iso_ms(updated_ms),
            "location": self.location(kind, id),
        });
        let bytes = serde_json::to_vec(&(&fields, &meta)).unwrap_or_default();
        let hash = blake3::hash(&bytes).to_hex();
        meta["version"] = json!(format!("W/\"{}\"", &hash[..16]));
        fields.insert("meta".to_owned(), meta);
        fields
    }
}
