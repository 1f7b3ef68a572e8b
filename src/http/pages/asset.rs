//! The stylesheet, the script and the icon. Their names hash their content, so browsers keep them forever.

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    web,
};

use super::{page_route, public_route};
use crate::{fault::Fault, http::routes::Route, pages::assets};

const FOR_EVER: &str = "public, max-age=31536000, immutable";

pub(super) fn routes() -> Vec<Route> {
    vec![public_route(page_route(
        "/console/assets/{name}",
        |route| route.to(asset),
    ))]
}

async fn asset(name: web::Path<String>) -> Result<HttpResponse, Fault> {
    let found = assets::find(&name).ok_or_else(|| Fault::not_found("asset", name.as_str()))?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, found.media))
        .insert_header((CACHE_CONTROL, FOR_EVER))
        .body(found.text))
}
