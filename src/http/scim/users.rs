//! `/Users` and one of them.

use std::sync::Arc;

use actix_web::http::Method;
use serde_json::{Map, Value};

use super::{
    answer,
    resource::{self, Stored},
    resources::Resources,
    sent,
};
use crate::{
    actors::organizations::{
        DeleteScimUser, OrganizationError, Provisioner, ScimUser, StoreScimUser,
    },
    fault::Fault,
    http::{Shared, routes::Route},
    ids::ScimUserId,
    oidc::{CreateAccounts, trusts},
    scim::{Kind, ScimError, UserAttributes},
};

pub(super) fn routes() -> Vec<Route> {
    let path = "/scim/v2/Users/{id}";
    vec![
        super::resource(Method::POST, "/scim/v2/Users", |route| route.to(resource::create::<ScimUser>))
            .says(
                "SCIM: create a user",
                "The person becomes a member at once if the organization requires a sign-in provider that is trusted for their \
                 address, or is one already. Others are invited, and `active` is false until they accept.",
            )
            .body(sent())
            .created()
            .or(409),
        super::resource(Method::GET, path, |route| route.to(resource::get::<ScimUser>))
            .says("SCIM: a user", "`active` says whether the person is a member now.")
            .or(304),
        super::resource(Method::PUT, path, |route| route.to(resource::replace::<ScimUser>))
            .says("SCIM: replace a user", "The account's own address and name stay.")
            .body(sent())
            .or(409)
            .or(412),
        super::resource(Method::PATCH, path, |route| route.to(resource::change::<ScimUser>))
            .says(
                "SCIM: change a user",
                "`active: false` ends the membership with its sessions, keys and apps; `active: true` gives it back.",
            )
            .body(sent())
            .or(409)
            .or(412),
        super::route(Method::DELETE, path, |route| route.to(resource::delete::<ScimUser>))
            .says("SCIM: delete a user", "Ends the membership. The account stays.")
            .empty_with(204)
            .or(409),
    ]
}

/// Whether the sign-in provider that an organization requires vouches for an address.
fn is_vouched_for(shared: &Shared, by: &Provisioner, email: &str) -> bool {
    let view = shared.organizations.view();
    let organization = view.organization(by.organization.as_str());
    let required = organization.and_then(|one| one.required_provider.as_deref());
    let provider = required.and_then(|name| shared.federation.providers.find(name));
    provider.is_some_and(|provider| {
        let options = &provider.options;
        options.create_accounts != CreateAccounts::Never && trusts(&options.email_domains, email)
    })
}

impl Stored for ScimUser {
    const KIND: Kind = Kind::User;
    type Attributes = UserAttributes;

    fn read(fields: Map<String, Value>) -> Result<UserAttributes, ScimError> {
        UserAttributes::read(fields)
    }

    async fn find(shared: &Shared, by: &Provisioner, id: &str) -> Result<Self, Fault> {
        let found = shared.records.scim_user(&by.organization, id).await?;
        found.ok_or_else(|| answer::refused(OrganizationError::NoSuchScimUser))
    }

    async fn store(
        shared: &Shared,
        by: &Provisioner,
        before: Option<Arc<Self>>,
        attributes: UserAttributes,
    ) -> Result<Arc<Self>, OrganizationError> {
        let account = before.as_ref().map(|before| before.account.clone());
        let account = account.or_else(|| attributes.address().map(str::to_owned));
        let message = StoreScimUser {
            by: by.clone(),
            before,
            is_vouched_for: account.is_some_and(|email| is_vouched_for(shared, by, &email)),
            attributes,
            base_url: shared.urls.base.clone(),
        };
        shared.organizations.ask(message).await
    }

    async fn delete(shared: &Shared, by: Provisioner, id: String) -> Result<(), OrganizationError> {
        let user = ScimUserId::from(id);
        let message = DeleteScimUser { by, user };
        shared.organizations.ask(message).await
    }

    fn attributes(&self, _: &Shared) -> Map<String, Value> {
        self.attributes.to_fields()
    }

    /// Who says nothing of it gives no membership back.
    fn complete(&self, fields: &mut Map<String, Value>) {
        let active = Value::Bool(self.attributes.active);
        fields.entry("active").or_insert(active);
    }

    async fn show(&self, shared: &Shared, by: &Provisioner) -> Result<Map<String, Value>, Fault> {
        Ok(Resources::read(shared, by).await?.user(self))
    }
}
