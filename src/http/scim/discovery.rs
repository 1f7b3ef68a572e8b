//! `/ServiceProviderConfig`, `/ResourceTypes`, `/Schemas`: for everybody, because clients read how to authenticate there.

use actix_web::{
    HttpResponse,
    http::{Method, StatusCode},
    web,
};
use serde_json::{Value, json};

use super::{ROOT, answer};
use crate::{
    fault::Fault,
    http::{
        Shared,
        routes::{Access, Route},
    },
    scim::schemas,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/scim/v2/ServiceProviderConfig", |route| route.to(config))
            .says("SCIM: what is supported", "RFC 7643, section 5."),
        get("/scim/v2/ResourceTypes", |route| route.to(types))
            .says("SCIM: kinds of resources", "RFC 7643, section 6."),
        get("/scim/v2/ResourceTypes/{id}", |route| route.to(one_type))
            .says("SCIM: a kind of resources", "`User` or `Group`."),
        get("/scim/v2/Schemas", |route| route.to(all)).says(
            "SCIM: schemas",
            "The attributes that resources have here. Others are ignored.",
        ),
        get("/scim/v2/Schemas/{id}", |route| route.to(one)).says("SCIM: a schema", "By its URN."),
    ]
}

fn get(
    path: &'static str,
    service: impl Fn(actix_web::Route) -> actix_web::Route + 'static,
) -> Route {
    super::route(Method::GET, path, service).needs(Access::Public)
}

fn root(shared: &Shared) -> String {
    format!("{}{ROOT}", shared.urls.base)
}

async fn config(shared: web::Data<Shared>) -> HttpResponse {
    let config = schemas::service_provider(&root(&shared));
    answer::message(StatusCode::OK, &config)
}

async fn types(shared: web::Data<Shared>) -> HttpResponse {
    list(schemas::resource_types(&root(&shared)))
}

async fn one_type(shared: web::Data<Shared>, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    find(
        schemas::resource_types(&root(&shared)),
        "resource type",
        &id,
    )
}

async fn all(shared: web::Data<Shared>) -> HttpResponse {
    list(schemas::schemas(&root(&shared)))
}

async fn one(shared: web::Data<Shared>, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    find(schemas::schemas(&root(&shared)), "schema", &id)
}

fn list(all: Vec<Value>) -> HttpResponse {
    let count = all.len();
    let body = json!({
        "schemas": [schemas::LIST], "totalResults": count, "itemsPerPage": count, "startIndex": 1,
        "Resources": all,
    });
    answer::message(StatusCode::OK, &body)
}

fn find(all: Vec<Value>, what: &'static str, id: &str) -> Result<HttpResponse, Fault> {
    let found = all.into_iter().find(|one| one["id"] == id);
    let found = found.ok_or_else(|| Fault::not_found(what, id))?;
    Ok(answer::message(StatusCode::OK, &found))
}
