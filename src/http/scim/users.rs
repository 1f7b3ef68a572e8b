//! `/Users` and one of them.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, StatusCode},
    web,
};
use serde_json::{Map, Value};

use super::{
    answer,
    body::{Attempt, Message, repeat},
    caller::Provider,
    resources::Resources,
    search::Wanted,
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
    scim::{Kind, Patch, UserAttributes},
};

pub(super) fn routes() -> Vec<Route> {
    let path = "/scim/v2/Users/{id}";
    vec![
        super::resource(Method::POST, "/scim/v2/Users", |route| route.to(create))
            .says(
                "SCIM: create a user",
                "The person becomes a member at once if the organization requires a sign-in provider that is trusted for their \
                 address, or is one already. Anybody else is invited, and `active` is false until they accept.",
            )
            .body(sent())
            .created()
            .or(409),
        super::resource(Method::GET, path, |route| route.to(get))
            .says("SCIM: a user", "`active` says whether the person is a member now.")
            .or(304),
        super::resource(Method::PUT, path, |route| route.to(replace))
            .says("SCIM: replace a user", "The account's own address and name stay.")
            .body(sent())
            .or(409)
            .or(412),
        super::resource(Method::PATCH, path, |route| route.to(change))
            .says(
                "SCIM: change a user",
                "`active: false` ends the membership with its sessions, keys and apps; `active: true` gives it back.",
            )
            .body(sent())
            .or(409)
            .or(412),
        super::route(Method::DELETE, path, |route| route.to(delete))
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

async fn store(
    shared: &Shared,
    by: &Provisioner,
    before: Option<Arc<ScimUser>>,
    attributes: UserAttributes,
) -> Result<Arc<ScimUser>, Attempt> {
    let account = before.as_ref().map(|before| before.account.clone());
    let account = account.or_else(|| attributes.address().map(str::to_owned));
    let message = StoreScimUser {
        by: by.clone(),
        before,
        is_vouched_for: account.is_some_and(|email| is_vouched_for(shared, by, &email)),
        attributes,
        base_url: shared.urls.base.clone(),
    };
    shared
        .organizations
        .ask(message)
        .await
        .map_err(|error| match error {
            OrganizationError::ScimChanged => Attempt::Overtaken(answer::refused(error)),
            error => Attempt::Failed(answer::refused(error)),
        })
}

async fn create(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
    Message(body): Message,
) -> Result<HttpResponse, Fault> {
    let attributes = UserAttributes::read(Kind::User.read(&body))?;
    let user = repeat(|| store(&shared, &by, None, attributes.clone())).await?;
    show(&request, &shared, &by, &user, StatusCode::CREATED).await
}

async fn get(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
) -> Result<HttpResponse, Fault> {
    let user = find(&shared, &by, &id).await?;
    show(&request, &shared, &by, &user, StatusCode::OK).await
}

async fn replace(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
    Message(body): Message,
) -> Result<HttpResponse, Fault> {
    let sent = Kind::User.read(&body);
    edit(&request, &shared, &by, &id, &|_| Ok(sent.clone())).await
}

async fn change(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
    Message(body): Message,
) -> Result<HttpResponse, Fault> {
    let patch = Patch::read(&body)?;
    let new = |mut fields: Map<String, Value>| {
        patch.apply(Kind::User, &mut fields)?;
        Ok(fields)
    };
    edit(&request, &shared, &by, &id, &new).await
}

/// Stores a user with other attributes, unless the caller knows another version.
async fn edit(
    request: &HttpRequest,
    shared: &Shared,
    by: &Provisioner,
    id: &str,
    new: &dyn Fn(Map<String, Value>) -> Result<Map<String, Value>, Fault>,
) -> Result<HttpResponse, Fault> {
    let stored = repeat(|| async {
        let before = Arc::new(find(shared, by, id).await?);
        let shown = Resources::read(shared, by).await?.user(&before);
        if answer::is_outdated(request.headers(), answer::version(&shown)) {
            return Ok(None);
        }
        let mut fields = Kind::User.read(&new(before.attributes.to_fields())?);
        // Who says nothing of it gives no membership back.
        let active = before.attributes.active;
        fields.entry("active").or_insert(Value::Bool(active));
        let attributes = UserAttributes::read(fields)?;
        store(shared, by, Some(before), attributes).await.map(Some)
    });
    match stored.await? {
        Some(user) => show(request, shared, by, &user, StatusCode::OK).await,
        None => Ok(answer::outdated()),
    }
}

async fn delete(
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
) -> Result<HttpResponse, Fault> {
    let user = ScimUserId::from(id.into_inner());
    let deleted = shared.organizations.ask(DeleteScimUser { by, user }).await;
    deleted.map_err(answer::refused)?;
    Ok(HttpResponse::NoContent().finish())
}

async fn find(shared: &Shared, by: &Provisioner, id: &str) -> Result<ScimUser, Fault> {
    let found = shared.records.scim_user(&by.organization, id).await?;
    found.ok_or_else(|| answer::refused(OrganizationError::NoSuchScimUser))
}

async fn show(
    request: &HttpRequest,
    shared: &Shared,
    by: &Provisioner,
    user: &ScimUser,
    status: StatusCode,
) -> Result<HttpResponse, Fault> {
    let fields = Resources::read(shared, by).await?.user(user);
    let wanted = Wanted::from_query(request.query_string())?;
    let resource = (Kind::User, fields);
    Ok(answer::resource(
        request,
        status,
        resource,
        &wanted.projection,
    ))
}
