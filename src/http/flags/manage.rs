//! Writing flags, and reading what they are made of, by REST.

use std::sync::Arc;

use actix_web::{HttpMessage, HttpRequest, HttpResponse, http::header::CACHE_CONTROL, web};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    access::Permission,
    actors::flags::{CreateFlag, DeleteFlag, Flag, Scope, UpdateFlag},
    fault::{Fault, Issue},
    http::{
        Shared,
        auth::Caller,
        edge::ClientAddress,
        procedures::{
            Call, Needs,
            flags::{
                author, check_access, fields, find_client_scope, shapes::FlagOut,
                without_shown_fields,
            },
        },
    },
    ids::FlagId,
};

/// Where servers read flags with their rules.
pub(super) const DEFINITIONS: &str = "/public/v1/flags/definitions";

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DefinitionsQuery {
    client_id: Option<String>,
    environment: Option<String>,
}

fn call(shared: &web::Data<Shared>, caller: Caller, request: &HttpRequest) -> Call {
    Call {
        shared: Arc::clone(shared),
        caller: caller.principal,
        address: request.extensions().get::<ClientAddress>().copied(),
    }
}

pub(super) async fn definitions(
    request: HttpRequest,
    caller: Caller,
    asked: web::Query<DefinitionsQuery>,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let call = call(&shared, caller, &request);
    let flags = load_definitions(&call, &asked).await?;
    let count = flags.len();
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .json(json!({ "flags": flags, "count": count })))
}

/// What every refusal on a path says beside the failure: clients look for the list of flags.
pub(in crate::http) fn beside(path: &str) -> Map<String, Value> {
    let mut beside = Map::new();
    if path == DEFINITIONS {
        beside.insert("flags".to_owned(), json!([]));
    }
    beside
}

async fn load_definitions(call: &Call, asked: &DefinitionsQuery) -> Result<Vec<Value>, Fault> {
    require_caller(call)?;
    let client = client(asked.client_id.as_deref())?;
    let scope = find_client_scope(call, Permission::FlagWrite, client)?;
    let flags = call.shared.flags.view().definitions(&scope).await;
    let environment = asked.environment.as_deref().filter(|text| !text.is_empty());
    let flags = flags?.into_iter();
    let here = flags.filter(|flag| flag.fields.environment.as_deref() == environment);
    here.map(|flag| {
        let mut flag = serde_json::to_value(FlagOut::from(flag)).map_err(Fault::internal)?;
        if let Some(fields) = flag.as_object_mut() {
            // Who made it is nothing that evaluation needs.
            for name in [
                "userId",
                "createdBy",
                "websiteId",
                "organizationId",
                "deletedAt",
            ] {
                fields.remove(name);
            }
        }
        Ok(flag)
    })
    .collect()
}

fn client(named: Option<&str>) -> Result<&str, Fault> {
    let named = named.filter(|id| !id.is_empty());
    named.ok_or_else(|| {
        let issue = Issue::new("missing", "clientId", "required, and not there");
        Fault::issues("`clientId` is required", vec![issue])
    })
}

/// The body as an object, and the client that it names.
fn body(bytes: &Bytes) -> Result<(String, Map<String, Value>), Fault> {
    let mut body: Map<String, Value> = serde_json::from_slice(bytes)
        .map_err(|error| Fault::invalid(format!("the body is not a JSON object: {error}")))?;
    let named = body.shift_remove("clientId");
    let named = client(named.as_ref().and_then(Value::as_str))?.to_owned();
    Ok((named, body))
}

pub(super) async fn create(
    request: HttpRequest,
    caller: Caller,
    bytes: Bytes,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let call = call(&shared, caller, &request);
    require_caller(&call)?;
    let (client, body) = body(&bytes)?;
    let scope = find_client_scope(&call, Permission::FlagWrite, &client)?;
    let message = CreateFlag {
        author: author(&call)?,
        created_by: call.maker(&scope.organization),
        fields: fields(body)?,
        scope,
    };
    Ok(respond(shared.flags.ask(message).await?))
}

pub(super) async fn update(
    request: HttpRequest,
    caller: Caller,
    id: web::Path<String>,
    bytes: Bytes,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let call = call(&shared, caller, &request);
    require_caller(&call)?;
    let (client, patch) = body(&bytes)?;
    let scope = find_client_scope(&call, Permission::FlagWrite, &client)?;
    let flag = find(&call, &id, &scope).await?;
    let message = UpdateFlag {
        organization: flag.scope.organization,
        id: flag.id,
        author: author(&call)?,
        patch: without_shown_fields(patch),
    };
    Ok(respond(shared.flags.ask(message).await?))
}

pub(super) async fn delete(
    request: HttpRequest,
    caller: Caller,
    id: web::Path<String>,
    asked: web::Query<DefinitionsQuery>,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let call = call(&shared, caller, &request);
    require_caller(&call)?;
    let client = client(asked.client_id.as_deref())?;
    let scope = find_client_scope(&call, Permission::FlagWrite, client)?;
    let flag = find(&call, &id, &scope).await?;
    let message = DeleteFlag {
        organization: flag.scope.organization,
        id: FlagId::from(id.into_inner()),
        author: author(&call)?,
    };
    shared.flags.ask(message).await?;
    Ok(HttpResponse::Ok().json(json!({ "success": true })))
}

/// Who may write no flags at all learns nothing about what a body should be.
fn require_caller(call: &Call) -> Result<(), Fault> {
    Needs::Permission(Permission::FlagWrite).admit(&call.caller)
}

/// A flag of the client that is named.
async fn find(call: &Call, id: &str, scope: &Scope) -> Result<Flag, Fault> {
    let flag = call.shared.flags.view().by_id(id).await?;
    let flag = flag.filter(|flag| flag.scope == *scope);
    check_access(
        call,
        Permission::FlagWrite,
        ("Flag", id),
        flag.as_ref().map(|flag| &flag.scope),
    )?;
    flag.ok_or_else(|| Fault::not_found("Flag", id))
}

fn respond(flag: Flag) -> HttpResponse {
    let flag = FlagOut::from(flag);
    HttpResponse::Ok().json(json!({ "flag": {
        "id": flag.id,
        "key": flag.key,
        "description": flag.description,
        "type": flag.kind,
        "status": flag.status,
        "defaultValue": flag.default_value,
        "variants": flag.variants,
        "createdAt": flag.created_at,
        "updatedAt": flag.updated_at,
    } }))
}
