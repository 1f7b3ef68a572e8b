//! The preview of a link: its QR code, and how services draw it where it is shared. The script asks for it while the form is filled.

use super::fields::with_scheme;
use crate::{
    http::{pages::prelude::*, qr},
    pages::part::panel,
};

/// Where the script gets it. Its parameters have the names of the form's fields.
const PATH: &str = "/console/links/preview";
/// The element that the script replaces.
const ID: &str = "preview";

pub(super) fn routes() -> Vec<Route> {
    vec![page_route(PATH, |route| route.to(show))]
}

/// What a preview shows of a link.
pub(super) struct Preview<'a> {
    /// The short URL, if it is known.
    pub(super) short_url: Option<&'a str>,
    pub(super) target: &'a str,
    pub(super) title: &'a str,
    pub(super) description: &'a str,
    pub(super) image: &'a str,
}

impl Preview<'_> {
    pub(super) fn draw(&self) -> Markup {
        let host = url::Url::parse(self.target).ok();
        let host = host.as_ref().and_then(url::Url::host_str);
        html! {
            div.link-preview {
                div {
                    @if !self.image.is_empty() { p.small.dim { "Image: " (self.image) } }
                    @if let Some(host) = host { p.small.dim { (host) } }
                    p { strong { @if self.title.is_empty() { "No preview title" } @else { (self.title) } } }
                    @if !self.description.is_empty() { p { (self.description) } }
                }
                @if let Some(short_url) = self.short_url {
                    (qr::picture(short_url, &format!("QR code of {short_url}")))
                }
            }
        }
    }
}

/// Where the script puts the preview of a form; empty without one.
pub(super) fn draw_place() -> Markup {
    html! { div id=(ID) data-link-preview=(PATH) {} }
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let [domain, slug, name, target, title, description, image] = [
        "domain",
        "slug",
        "name",
        "targetUrl",
        "ogTitle",
        "ogDescription",
        "ogImageUrl",
    ]
    .map(|field| context.parameter(field).trim().to_owned());
    let target = with_scheme(&target);
    let shared = context.shared();
    let hosts = shared.hosts.view();
    let host = hosts.served(&domain).map(|host| host.id.as_str());
    let short_url = shared.short_url(host, &slug);
    let preview = Preview {
        short_url: (!slug.is_empty()).then_some(short_url.as_str()),
        target: &target,
        title: [&title, &name, &slug]
            .into_iter()
            .find(|text| !text.is_empty())
            .map_or("", String::as_str),
        description: &description,
        image: &image,
    };
    let inside = html! { div id=(ID) { (panel("Preview", &preview.draw())) } };
    let main = html! { div.title-row { h1 { "Link preview" } } (inside) };
    Ok(context.show(NavItem::ShortLinks, "Link preview", &main))
}
