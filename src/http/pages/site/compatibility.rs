//! The part of a website's settings that says which clients of other products send events for it.

use crate::{
    actors::websites::{Compatibility, CompatibilityInput},
    events::accept::protocols::Protocol,
    http::{
        pages::prelude::*,
        procedures::websites::{self, UpdateBody, WebsiteOut},
    },
    pages::part::{Field, copyable, hidden},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route("/console/site/{id}/settings/compatibility", |route| {
            route.to(add)
        }),
        form_route(
            "/console/site/{id}/settings/compatibility/remove",
            |route| route.to(remove),
        ),
    ]
}

pub(super) fn draw(website: &WebsiteOut, page: &Page<'_>) -> Markup {
    let products: Vec<(&str, &str)> = Protocol::ALL
        .iter()
        .map(|protocol| (protocol.as_str(), protocol.adapter().product))
        .collect();
    let sent = |name: &str| page.sent.text(name);
    let product = Field::text("protocol", "Product").value(sent("protocol"));
    let id = Field::text("externalId", "ID")
        .value(sent("externalId"))
        .hint("The domain, key, token or ID that the client sends. Default: a new one.")
        .quiet();
    let secret = Field::text("secret", "Secret")
        .hint("For GA4 (api_secret) and Matomo (token_auth). 8 characters or more.")
        .optional();
    html! {
        p {
            "Keep the clients of another product and change the address that they send events to: "
            code { (page.context.shared().urls.track) } ". Flag clients use "
            code { (page.context.shared().urls.base) } ". "
            a href="/docs/compatibility" { "Read more" }
        }
        @for entry in &website.compatibility { (draw_entry(entry, page)) }
        @if page.can_change {
            (small_form(&page.below("compatibility"), "Add client", &html! {
                (product.select(&products, page.problems))
                (id.draw(page.problems))
                (secret.draw(page.problems))
            }))
        }
    }
}

fn draw_entry(entry: &Compatibility, page: &Page<'_>) -> Markup {
    let product = entry.protocol.adapter().product;
    html! {
        p { (product) @if entry.has_secret { span.dim { ", with a secret" } } }
        (copyable(product, &entry.id))
        @if page.can_change {
            form.plain method="post" action=(page.below("compatibility/remove")) {
                (hidden("protocol", entry.protocol.as_str())) (hidden("externalId", &entry.id))
                p { button.button.small type="submit" aria-label=(format!("Remove {product} {}", entry.id)) { "Remove" } }
            }
        }
    }
}

/// The entries that there are, as they are sent.
async fn stored(form: &Submission) -> Result<Vec<CompatibilityInput>, Fault> {
    let website = form.context.website(form.key.id()).await?;
    let entries = website.compatibility.into_iter();
    let inputs = entries.map(|entry| CompatibilityInput {
        protocol: entry.protocol,
        id: Some(entry.id),
        secret: None,
        has_secret: None,
    });
    Ok(inputs.collect())
}

fn sent(form: &Submission) -> Result<CompatibilityInput, Fault> {
    let protocol = Protocol::parse(form.sent.text("protocol"));
    let filled = |name: &str| {
        let text = form.sent.text(name).trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    Ok(CompatibilityInput {
        protocol: protocol.ok_or_else(|| Fault::invalid("Choose a product."))?,
        id: filled("externalId"),
        secret: filled("secret"),
        has_secret: None,
    })
}

async fn add(form: Submission) -> Result<HttpResponse, Fault> {
    let outcome = async {
        let mut entries = stored(&form).await?;
        entries.push(sent(&form)?);
        store(&form, entries).await
    };
    form.finish_change::<WebsiteOut>(outcome.await).await
}

async fn remove(form: Submission) -> Result<HttpResponse, Fault> {
    let outcome = async {
        let gone = sent(&form)?;
        let mut entries = stored(&form).await?;
        entries.retain(|entry| (entry.protocol, &entry.id) != (gone.protocol, &gone.id));
        store(&form, entries).await
    };
    form.finish_change::<WebsiteOut>(outcome.await).await
}

async fn store(form: &Submission, entries: Vec<CompatibilityInput>) -> Result<WebsiteOut, Fault> {
    let body = UpdateBody {
        id: form.key.id().to_owned(),
        name: None,
        domain: None,
        compatibility: Some(entries),
    };
    form.context.ask(&websites::UPDATE, body).await
}
