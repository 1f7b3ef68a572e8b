//! Who follows a status page.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::show::done;
use crate::{
    fault::Fault,
    http::{
        pages::{context::PageContext, form::FormData, sent},
        routes::Route,
    },
    pages::{
        part::{empty, hidden, time},
        time::{DateFormat, moment},
    },
};

/// Subscribers that the page lists; the API has all of them.
const MAX_LISTED: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    let path = "/console/status-page/{page}/subscribers/remove";
    vec![sent(path, |route| route.to(remove))]
}

/// Somebody who follows the page.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscriber {
    id: String,
    address: String,
    components: Option<Vec<String>>,
    status: String,
    created_at: String,
}

/// Who follows the page, the last ones first.
pub(super) async fn draw(
    context: &PageContext,
    page: &str,
    date_format: &DateFormat,
) -> Result<Markup, Fault> {
    let input = json!({ "statusPageId": page });
    let all: Vec<Subscriber> = context.ask("statusPage", "listSubscribers", input).await?;
    if all.is_empty() {
        let next =
            html! { "People follow the page with the form on it, by mail, webhook or feed." };
        return Ok(empty("Nobody follows it by mail or webhook", &next));
    }
    let remove = format!("{}/subscribers/remove", super::path(page));
    Ok(html! {
        table.table.sites {
            caption.hide { "Subscribers" }
            thead { tr { th scope="col" { "Who" } th scope="col" { "Since" } th scope="col" { span.hide { "Remove" } } } }
            tbody { @for one in all.iter().take(MAX_LISTED) { tr {
                td {
                    span.name { (one.address) }
                    span.dim {
                        @if one.status == "waiting" { "has not confirmed yet" }
                        @else if let Some(some) = &one.components { "of " (some.len()) " monitors" }
                        @else { "of everything" }
                    }
                }
                td data-label="Since" { @if let Some(at) = moment(&one.created_at) { (time(at, &date_format.date(at), date_format)) } }
                td { form.plain method="post" action=(remove) {
                    (hidden("id", &one.id))
                    button.button.small type="submit" aria-label=(format!("Remove {}", one.address)) { "Remove" }
                } }
            } } }
        }
        @if all.len() > MAX_LISTED { p.dim { "And " (all.len() - MAX_LISTED) " more, which " code { "statusPage.listSubscribers" } " has." } }
    })
}

async fn remove(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let input = json!({ "statusPageId": *id, "subscriberId": sent.text("id") });
    let outcome: Result<Value, Fault> = context.ask("statusPage", "removeSubscriber", input).await;
    done(&context, &id, outcome, None).await
}
