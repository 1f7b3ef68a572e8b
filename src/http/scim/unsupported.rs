//! What the protocol has and this program does not: 501, as RFC 7644 wants it.

use actix_web::{
    HttpResponse,
    http::{Method, StatusCode},
};

use super::{answer, caller::Provider};
use crate::http::routes::Route;

pub(super) fn routes() -> Vec<Route> {
    vec![
        super::route(Method::GET, "/scim/v2/Me", |route| route.to(me))
            .says(
                "SCIM: the caller",
                "Always 501: a token is an organization's, not a person's.",
            )
            .or(501),
        super::route(Method::POST, "/scim/v2/Bulk", |route| route.to(bulk))
            .says(
                "SCIM: many changes at once",
                "Always 501: send each change by itself.",
            )
            .body(super::sent())
            .or(501),
    ]
}

async fn me(_: Provider) -> HttpResponse {
    let detail = "A token is an organization's: /Me isn't supported";
    answer::failure(StatusCode::NOT_IMPLEMENTED, detail)
}

async fn bulk(_: Provider) -> HttpResponse {
    let detail = "Bulk operations aren't supported: send each change by itself";
    answer::failure(StatusCode::NOT_IMPLEMENTED, detail)
}
