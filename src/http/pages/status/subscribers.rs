//! The subscribers of a status page.

use crate::{
    http::{
        pages::prelude::*,
        procedures::status_page::{
            bodies::StatusPageIdBody,
            subscribers::{self, RemoveBody, SubscriberStatus},
            wire::WholePageOut,
        },
    },
    pages::{
        number,
        part::{empty, hidden, time},
        time::moment,
    },
};

/// Subscribers that the page lists; the API has all of them.
const MAX_LISTED: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    let path = "/console/status-page/{page}/subscribers/remove";
    vec![form_route(path, |route| route.to(remove))]
}

/// The subscribers, newest first.
pub(super) async fn draw(
    context: &PageContext,
    page: &str,
    date_format: &DateFormat,
) -> Result<Markup, Fault> {
    let status_page_id = page.to_owned();
    let all = context
        .ask(
            &subscribers::LIST_SUBSCRIBERS,
            StatusPageIdBody { status_page_id },
        )
        .await?;
    if all.is_empty() {
        let next = html! { "Visitors subscribe with the form on the status page." };
        return Ok(empty("No subscribers yet", &next));
    }
    let remove = format!("{}/subscribers/remove", WholePageOut::path(&[page]));
    Ok(html! {
        table.table.sites {
            caption.hide { "Subscribers" }
            thead { tr { th scope="col" { "Address" } th scope="col" { "Since" } th scope="col" { span.hide { "Remove" } } } }
            tbody { @for one in all.iter().take(MAX_LISTED) { tr {
                td {
                    span.name { (one.address) }
                    span.dim {
                        @if matches!(one.status, SubscriberStatus::Waiting) { "Not confirmed" }
                        @else if let Some(some) = &one.components { (number::with_noun(some.len() as u64, "monitor", "monitors")) }
                        @else { "All monitors" }
                    }
                }
                td data-label="Since" { @if let Some(at) = moment(&one.created_at) { (time(at, &date_format.date(at), date_format)) } }
                td { form.plain method="post" action=(remove) {
                    (hidden("id", &one.id))
                    button.button.small type="submit" aria-label=(format!("Remove {}", one.address)) { "Remove" }
                } }
            } } }
        }
        @if all.len() > MAX_LISTED { p.dim { (number::full((all.len() - MAX_LISTED) as u64)) " more. List them with " code { "statusPage.listSubscribers" } "." } }
    })
}

async fn remove(form: Submission) -> Result<HttpResponse, Fault> {
    let input = RemoveBody {
        status_page_id: form.key.id().to_owned(),
        subscriber_id: form.sent.text("id").to_owned(),
    };
    let outcome = form
        .context
        .change(&subscribers::REMOVE_SUBSCRIBER, input)
        .await;
    form.finish_change::<WholePageOut>(outcome).await
}
