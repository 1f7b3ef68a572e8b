//! `/Groups` and one of them.

use std::sync::Arc;

use actix_web::http::Method;
use serde_json::{Map, Value};

use super::{
    answer,
    resource::{self, Stored},
    resources::Root,
    sent,
};
use crate::{
    actors::organizations::{
        DeleteScimGroup, OrganizationError, Provisioner, ScimGroup, StoreScimGroup,
    },
    fault::Fault,
    http::{Shared, routes::Route},
    ids::ScimGroupId,
    scim::{GroupAttributes, Kind, ScimError},
};

pub(super) fn routes() -> Vec<Route> {
    let path = "/scim/v2/Groups/{id}";
    vec![
        super::resource(Method::POST, "/scim/v2/Groups", |route| {
            route.to(resource::create::<ScimGroup>)
        })
        .says(
            "SCIM: create a group",
            "It gives no role until an owner or admin chooses one (`/scim/setGroupRole`).",
        )
        .body(sent())
        .created()
        .or(409),
        super::resource(Method::GET, path, |route| {
            route.to(resource::get::<ScimGroup>)
        })
        .says("SCIM: a group", "With its members.")
        .or(304),
        super::resource(Method::PUT, path, |route| {
            route.to(resource::replace::<ScimGroup>)
        })
        .says("SCIM: replace a group", "With all of its members.")
        .body(sent())
        .or(409)
        .or(412),
        super::resource(Method::PATCH, path, |route| {
            route.to(resource::change::<ScimGroup>)
        })
        .says("SCIM: change a group", "Roles follow at once.")
        .body(sent())
        .or(409)
        .or(412),
        super::route(Method::DELETE, path, |route| {
            route.to(resource::delete::<ScimGroup>)
        })
        .says(
            "SCIM: delete a group",
            "Its members lose the role that it gave.",
        )
        .empty_with(204)
        .or(409),
    ]
}

impl Stored for ScimGroup {
    const KIND: Kind = Kind::Group;
    type Attributes = GroupAttributes;

    fn read(fields: Map<String, Value>) -> Result<GroupAttributes, ScimError> {
        GroupAttributes::read(fields)
    }

    async fn find(shared: &Shared, by: &Provisioner, id: &str) -> Result<Self, Fault> {
        let found = shared.records.scim_group(id).await?;
        let own = found.filter(|group| group.organization == by.organization);
        own.ok_or_else(|| answer::refused(OrganizationError::NoSuchScimGroup))
    }

    async fn store(
        shared: &Shared,
        by: &Provisioner,
        before: Option<Arc<Self>>,
        attributes: GroupAttributes,
    ) -> Result<Arc<Self>, OrganizationError> {
        let message = StoreScimGroup {
            by: by.clone(),
            before,
            attributes,
        };
        shared.organizations.ask(message).await
    }

    async fn delete(shared: &Shared, by: Provisioner, id: String) -> Result<(), OrganizationError> {
        let group = ScimGroupId::from(id);
        let message = DeleteScimGroup { by, group };
        shared.organizations.ask(message).await
    }

    fn attributes(&self, shared: &Shared) -> Map<String, Value> {
        Kind::Group.read(&Root::new(shared).group(self))
    }

    async fn show(&self, shared: &Shared, _: &Provisioner) -> Result<Map<String, Value>, Fault> {
        Ok(Root::new(shared).group(self))
    }
}
