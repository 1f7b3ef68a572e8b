//! Imports of definitions and events: the file, the plan of it, and what came of it.
//!
//! The plan of definitions holds the file in its form, so that nothing is kept between the two and it works without the script.
//! A file of events is stored as it comes, and has a page of its own ([`events`]).

mod draw;
mod events;
mod family;
mod report;

use actix_web::HttpRequest;
use base64::{Engine as _, engine::general_purpose::STANDARD};

use self::family::Upload;
use super::{context::reject, form::Multipart};
use crate::{
    events::import::Format, fault::Issue, http::pages::prelude::*, pages::frame::framed_page,
};

/// The title of the page.
const TITLE: &str = "Import";
/// Bytes of a file: its plan holds it in base64.
const MAX_BYTES: usize = 1 << 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        page_route("/console/import", |route| route.to(show)),
        form_route("/console/import", |route| route.to(plan)),
        form_route("/console/import/apply", |route| route.to(apply)),
        page_route("/console/import/{import}", |route| route.to(events::show)),
        form_route("/console/import/{import}/apply", |route| {
            route.to(events::apply)
        }),
        form_route("/console/import/{import}/cancel", |route| {
            route.to(events::cancel)
        }),
    ]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let form = draw::form(&context, &FormData::default(), &Problems::NONE);
    let main = html! { (form) (events::recent(&context).await?) };
    Ok(context.show(NavItem::Import, TITLE, &main))
}

async fn plan(
    context: PageContext,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Fault> {
    let mut form = Multipart::new(request.headers(), payload)?;
    let (sent, filename) = form.fields().await?;
    let outcome = match (Format::find(sent.text("format")), filename) {
        (Some(format), filename) => {
            let kind = (format, filename.unwrap_or_default());
            events::upload(&context, kind, &sent, form).await
        }
        (None, None) => plan_definitions(&context, &sent, &[]).await,
        (None, Some(_)) => match events::small_file(form, MAX_BYTES).await {
            Ok(file) => plan_definitions(&context, &sent, &file).await,
            Err(fault) => Err(fault),
        },
    };
    outcome.or_else(|fault| refuse(&context, &sent, fault))
}

async fn plan_definitions(
    context: &PageContext,
    sent: &FormData,
    file: &[u8],
) -> Result<HttpResponse, Fault> {
    let upload = Upload {
        sent,
        content: STANDARD.encode(file),
    };
    let plan = upload.run(context, false).await?;
    Ok(context.show(NavItem::Import, TITLE, &draw::plan(&plan, &upload)))
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
