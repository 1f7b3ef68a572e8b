//! `/share/…`: the dashboard of a public website for everybody, and what a share link shows for who has it. It asks what is
//! public and nothing else; the query function refuses the rest anyway.

mod link;

use crate::{
    actors::shares::is_slug,
    http::{
        pages::{context::PublicContext, prelude::*, public_route, site::shared::SharedWebsite},
        procedures::{bodies::IdBody, websites::lifecycle},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route("/share/{id}", |route| route.to(show))),
        public_route(form_route("/share/{id}", |route| route.to(link::unlock))),
    ]
}

async fn show(public: PublicContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let id = id.into_inner();
    if is_slug(&id) {
        return link::show(&public, &id).await;
    }
    let site = public
        .ask(&lifecycle::GET_PUBLIC_SUMMARY, IdBody { id })
        .await?;
    let path = format!("/share/{}", site.id);
    let shown = SharedWebsite {
        id: &site.id,
        name: site.name.as_deref().unwrap_or(&site.domain),
        domain: &site.domain,
        path: &path,
        origins: &[],
    };
    let reader = public.read_website(&site.id).await?;
    Ok(shown.answer(&public, reader))
}
