//! What clients of other products get of a flag.

use crate::{
    events::accept::protocols::Protocol,
    http::{
        pages::prelude::*,
        procedures::{
            bodies::IdBody,
            flags::{compatibility, shapes::FlagOut},
        },
    },
    pages::part::notice,
};

/// A notice, if the website has clients that don't get the flag.
pub(super) async fn draw(flag: &FlagOut, page: &Page<'_>) -> Result<Markup, Fault> {
    let Some(website) = &flag.website_id else {
        return Ok(html! {});
    };
    // Who sees the flag need not see the website.
    let website = page.context.website(website).await.ok();
    let mut entries = website.iter().flat_map(|website| &website.compatibility);
    if !entries.any(|entry| entry.protocol == Protocol::Unleash) {
        return Ok(html! {});
    }
    let id = flag.id.clone();
    let all = page
        .context
        .ask(&compatibility::COMPATIBILITY, IdBody { id })
        .await?;
    let reasons: Vec<_> = all.into_iter().filter_map(|one| one.reason).collect();
    Ok(html! {
        @for reason in reasons {
            (notice("warn", &html! {
                "Unleash's server clients don't get this flag: " (reason) ". "
                a href="/docs/compatibility#unleash" { "Read more" }
            }))
        }
    })
}
