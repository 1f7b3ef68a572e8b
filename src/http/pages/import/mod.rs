//! Imports of definitions: the file, the plan of it, and what came of it.
//!
//! The plan holds the file in its form, so that nothing is kept between the two and it works without the script.

mod draw;
mod family;

use actix_web::HttpRequest;
use base64::{Engine as _, engine::general_purpose::STANDARD};

use self::family::Upload;
use super::{
    context::reject,
    form::{uploaded_fields, uploaded_file},
};
use crate::{fault::Issue, http::pages::prelude::*, pages::frame::framed_page};

/// The title of the page.
const TITLE: &str = "Import";
/// Bytes of a file: its plan holds it in base64.
const MAX_BYTES: usize = 1 << 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        page_route("/console/import", |route| route.to(show)),
        form_route("/console/import", |route| route.to(plan)),
        form_route("/console/import/apply", |route| route.to(apply)),
    ]
}

async fn show(context: PageContext) -> HttpResponse {
    let main = draw::form(&context, &FormData::default(), &Problems::NONE);
    context.show(NavItem::Import, TITLE, &main)
}

async fn plan(
    context: PageContext,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Fault> {
    let sent = uploaded_fields(request.headers(), &body);
    let file = uploaded_file(request.headers(), &body);
    let upload = Upload {
        sent: &sent,
        content: STANDARD.encode(file),
    };
    let outcome = match upload.run(&context, false).await {
        Ok(_) if file.len() > MAX_BYTES => Err(too_large()),
        outcome => outcome,
    };
    match outcome {
        Ok(plan) => Ok(context.show(NavItem::Import, TITLE, &draw::plan(&plan, &upload))),
        Err(fault) => refuse(&context, &sent, fault),
    }
}

async fn apply(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let upload = Upload {
        sent: &sent,
        content: sent.raw("content").to_owned(),
    };
    match upload.run(&context, true).await {
        Ok(plan) => Ok(context.show(NavItem::Import, TITLE, &draw::outcome(&plan))),
        Err(fault) => refuse(&context, &sent, fault),
    }
}

fn refuse(context: &PageContext, sent: &FormData, fault: Fault) -> Result<HttpResponse, Fault> {
    reject(fault, |problems| {
        let main = draw::form(context, sent, problems);
        framed_page(&context.frame(NavItem::Import, None), TITLE, &main)
    })
}

fn too_large() -> Fault {
    let message = "The file is larger than 1 MiB. Use `pharos import` for it";
    Fault::issues(message, vec![Issue::new("too_large", "content", message)])
}
