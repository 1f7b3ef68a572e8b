//! One resource of either kind: create, read, replace, change, delete.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::IF_MATCH},
    web,
};
use serde_json::{Map, Value};

use super::{
    answer,
    body::{Attempt, Message, repeat},
    caller::Provider,
    search::Wanted,
};
use crate::{
    actors::organizations::{OrganizationError, Provisioner},
    fault::Fault,
    http::Shared,
    scim::{Kind, Patch, ScimError},
};

/// What an organization keeps of an identity provider's resources of a kind.
pub(super) trait Stored: Sized + 'static {
    const KIND: Kind;
    type Attributes: Clone;

    /// Reads the attributes that a client sends ([`Kind::read`]).
    fn read(fields: Map<String, Value>) -> Result<Self::Attributes, ScimError>;

    /// The one with this ID in the provider's organization.
    async fn find(shared: &Shared, by: &Provisioner, id: &str) -> Result<Self, Fault>;

    /// Stores a new one, or other attributes of one that was `before`.
    async fn store(
        shared: &Shared,
        by: &Provisioner,
        before: Option<Arc<Self>>,
        attributes: Self::Attributes,
    ) -> Result<Arc<Self>, OrganizationError>;

    async fn delete(shared: &Shared, by: Provisioner, id: String) -> Result<(), OrganizationError>;

    /// What a patch begins with.
    fn attributes(&self, shared: &Shared) -> Map<String, Value>;

    /// Adds what stays as it is if a client says nothing of it.
    fn complete(&self, _fields: &mut Map<String, Value>) {}

    /// All that is answered.
    async fn show(&self, shared: &Shared, by: &Provisioner) -> Result<Map<String, Value>, Fault>;
}

pub(super) async fn create<S: Stored>(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
    Message(body): Message,
) -> Result<HttpResponse, Fault> {
    let attributes = S::read(S::KIND.read(&body))?;
    let stored = repeat(|| store::<S>(&shared, &by, None, attributes.clone())).await?;
    answer(&request, &shared, &by, &*stored, StatusCode::CREATED).await
}

pub(super) async fn get<S: Stored>(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
) -> Result<HttpResponse, Fault> {
    let found = S::find(&shared, &by, &id).await?;
    answer(&request, &shared, &by, &found, StatusCode::OK).await
}

pub(super) async fn replace<S: Stored>(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
    Message(body): Message,
) -> Result<HttpResponse, Fault> {
    let sent = S::KIND.read(&body);
    edit::<S>(&request, &shared, &by, &id, &|_| Ok(sent.clone())).await
}

pub(super) async fn change<S: Stored>(
    request: HttpRequest,
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
    Message(body): Message,
) -> Result<HttpResponse, Fault> {
    let patch = Patch::read(&body)?;
    let new = |mut fields: Map<String, Value>| {
        patch.apply(S::KIND, &mut fields)?;
        Ok(fields)
    };
    edit::<S>(&request, &shared, &by, &id, &new).await
}

pub(super) async fn delete<S: Stored>(
    Provider(by): Provider,
    shared: web::Data<Shared>,
    id: web::Path<String>,
) -> Result<HttpResponse, Fault> {
    let deleted = S::delete(&shared, by, id.into_inner()).await;
    deleted.map_err(answer::refused)?;
    Ok(HttpResponse::NoContent().finish())
}

/// Stores other attributes, unless the caller knows another version.
async fn edit<S: Stored>(
    request: &HttpRequest,
    shared: &Shared,
    by: &Provisioner,
    id: &str,
    new: &dyn Fn(Map<String, Value>) -> Result<Map<String, Value>, Fault>,
) -> Result<HttpResponse, Fault> {
    let headers = request.headers();
    let stored = repeat(|| async {
        let before = Arc::new(S::find(shared, by, id).await?);
        if headers.contains_key(IF_MATCH) {
            let shown = before.show(shared, by).await?;
            if answer::is_outdated(headers, answer::version(&shown)) {
                return Ok(None);
            }
        }
        let mut fields = S::KIND.read(&new(before.attributes(shared))?);
        before.complete(&mut fields);
        let attributes = S::read(fields)?;
        store(shared, by, Some(before), attributes).await.map(Some)
    });
    match stored.await? {
        Some(stored) => answer(request, shared, by, &*stored, StatusCode::OK).await,
        None => Ok(answer::outdated()),
    }
}

async fn store<S: Stored>(
    shared: &Shared,
    by: &Provisioner,
    before: Option<Arc<S>>,
    attributes: S::Attributes,
) -> Result<Arc<S>, Attempt> {
    let stored = S::store(shared, by, before, attributes).await;
    stored.map_err(|error| match error {
        OrganizationError::ScimChanged => Attempt::Overtaken(answer::refused(error)),
        error => Attempt::Failed(answer::refused(error)),
    })
}

async fn answer<S: Stored>(
    request: &HttpRequest,
    shared: &Shared,
    by: &Provisioner,
    stored: &S,
    status: StatusCode,
) -> Result<HttpResponse, Fault> {
    let fields = stored.show(shared, by).await?;
    let wanted = Wanted::from_query(request.query_string())?;
    let resource = (S::KIND, fields);
    Ok(answer::resource(
        request,
        status,
        resource,
        &wanted.projection,
    ))
}
