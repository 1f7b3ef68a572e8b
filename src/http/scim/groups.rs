//! `/Groups` and one of them.

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
        DeleteScimGroup, OrganizationError, Provisioner, ScimGroup, StoreScimGroup,
    },
    fault::Fault,
    http::{Shared, routes::Route},
    ids::ScimGroupId,
    scim::{GroupAttributes, Kind, Patch},
};

pub(super) fn routes() -> Vec<Route> {
    let path = "/scim/v2/Groups/{id}";
    vec![
        super::resource(Method::POST, "/scim/v2/Groups", |route| route.to(create))
            .says(
                "SCIM: create a group",
                "It gives no role until an owner or admin chooses one (`/scim/setGroupRole`).",
            )
            .body(sent())
            .created()
            .or(409),
        super::resource(Method::GET, path, |route| route.to(get))
            .says("SCIM: a group", "With its members.")
            .or(304),
        super::resource(Method::PUT, path, |route| route.to(replace))
            .says("SCIM: replace a group", "With all of its members.")
            .body(sent())
            .or(409)
            .or(412),
        super::resource(Method::PATCH, path, |route| route.to(change))
            .says("SCIM: change a group", "Roles follow at once.")
            .body(sent())
            .or(409)
            .or(412),
        super::route(Method::DELETE, path, |route| route.to(delete))
            .says(
                "SCIM: delete a group",
                "Its members lose the role that it gave.",
            )
            .empty_with(204)
            .or(409),
    ]
}

async fn store(
    shared: &Shared,
    by: &Provisioner,
    before: Option<Arc<ScimGroup>>,
    attributes: GroupAttributes,
) -> Result<Arc<ScimGroup>, Attempt> {
    let message = StoreScimGroup {
        by: by.clone(),
        before,
        attributes,
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
    let attributes = GroupAttributes::read(Kind::Group.read(&body))?;
    let group = repeat(|| store(&shared, &by, None, attributes.clone())).await?;
    show(&request, &shared, &by, &group, StatusCode::CREATED).await
}

async fn get(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
) -> Result<HttpResponse, Fault> {
    let group = find(&shared, &by, &id).await?;
    show(&request, &shared, &by, &group, StatusCode::OK).await
}

async fn replace(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
    Message(body): Message,
) -> Result<HttpResponse, Fault> {
    let sent = Kind::Group.read(&body);
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
        patch.apply(Kind::Group, &mut fields)?;
        Ok(fields)
    };
    edit(&request, &shared, &by, &id, &new).await
}

/// Stores a group with other attributes, unless the caller knows another version.
async fn edit(
    request: &HttpRequest,
    shared: &Shared,
    by: &Provisioner,
    id: &str,
    new: &dyn Fn(Map<String, Value>) -> Result<Map<String, Value>, Fault>,
) -> Result<HttpResponse, Fault> {
    let stored = repeat(|| async {
        let before = Arc::new(find(shared, by, id).await?);
        let shown = Resources::read(shared, by).await?.group(&before);
        if answer::is_outdated(request.headers(), answer::version(&shown)) {
            return Ok(None);
        }
        let fields = Kind::Group.read(&new(Kind::Group.read(&shown))?);
        let attributes = GroupAttributes::read(fields)?;
        store(shared, by, Some(before), attributes).await.map(Some)
    });
    match stored.await? {
        Some(group) => show(request, shared, by, &group, StatusCode::OK).await,
        None => Ok(answer::outdated()),
    }
}

async fn delete(
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
) -> Result<HttpResponse, Fault> {
    let group = ScimGroupId::from(id.into_inner());
    let deleted = shared
        .organizations
        .ask(DeleteScimGroup { by, group })
        .await;
    deleted.map_err(answer::refused)?;
    Ok(HttpResponse::NoContent().finish())
}

async fn find(shared: &Shared, by: &Provisioner, id: &str) -> Result<ScimGroup, Fault> {
    let found = shared.records.scim_group(id).await?;
    let own = found.filter(|group| group.organization == by.organization);
    own.ok_or_else(|| answer::refused(OrganizationError::NoSuchScimGroup))
}

async fn show(
    request: &HttpRequest,
    shared: &Shared,
    by: &Provisioner,
    group: &ScimGroup,
    status: StatusCode,
) -> Result<HttpResponse, Fault> {
    let fields = Resources::read(shared, by).await?.group(group);
    let wanted = Wanted::from_query(request.query_string())?;
    let resource = (Kind::Group, fields);
    Ok(answer::resource(
        request,
        status,
        resource,
        &wanted.projection,
    ))
}
