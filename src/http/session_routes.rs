//! Routes for people in sessions: what a handler takes and gives is what the reference says.

use std::sync::Arc;

use actix_web::{HttpResponse, http::Method, web};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Host, Shared,
    extract::{CurrentSession, JsonBody},
    routes::{Access, Route},
    schema::schema,
};
use crate::{access::SessionGrant, fault::Fault};

/// A call of a signed-in person.
pub(super) struct SessionCall {
    pub(super) shared: web::Data<Shared>,
    pub(super) caller: Arc<SessionGrant>,
}

/// `POST` with a JSON body.
pub(super) fn post<B, O, F>(
    path: &'static str,
    handle: impl Fn(SessionCall, B) -> F + Copy + 'static,
) -> Route
where
    B: DeserializeOwned + JsonSchema + 'static,
    O: Serialize + JsonSchema,
    F: Future<Output = Result<O, Fault>> + 'static,
{
    let service = move |route: actix_web::Route| {
        route.to(
            move |CurrentSession(caller), shared, JsonBody(body): JsonBody<B>| async move {
                answer(handle(SessionCall { shared, caller }, body).await)
            },
        )
    };
    Route::new(Method::POST, Host::Base, path, service)
        .needs(Access::Session)
        .body(schema::<B>())
        .answers(schema::<O>())
}

/// `GET` with the query that `Q` reads.
pub(super) fn get<Q, O, F>(
    path: &'static str,
    handle: impl Fn(SessionCall, Q) -> F + Copy + 'static,
) -> Route
where
    Q: DeserializeOwned + 'static,
    O: Serialize + JsonSchema,
    F: Future<Output = Result<O, Fault>> + 'static,
{
    let service = move |route: actix_web::Route| {
        route.to(
            move |CurrentSession(caller), shared, query: web::Query<Q>| async move {
                answer(handle(SessionCall { shared, caller }, query.into_inner()).await)
            },
        )
    };
    Route::new(Method::GET, Host::Base, path, service)
        .needs(Access::Session)
        .answers(schema::<O>())
}

/// The query of a route that reads none.
#[derive(serde::Deserialize)]
pub(super) struct NoQuery {}

fn answer(output: Result<impl Serialize, Fault>) -> Result<HttpResponse, Fault> {
    Ok(HttpResponse::Ok().json(output?))
}
