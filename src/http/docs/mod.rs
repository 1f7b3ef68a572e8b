//! The documentation: a page for each guide of `docs/`, and the API reference from the OpenAPI document. Without the script
//! everything but the search is there.

mod guide;
mod markdown;
mod page;
mod reference;
mod schema;
mod search;

use std::sync::LazyLock;

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::{
        Method,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE},
    },
    web,
};
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::HeadingLevel;
use serde_json::{Value, json};

use self::{
    guide::{GROUPS, GuidePage, PAGES},
    markdown::anchor,
    page::{API_PATH, INDEX_PATH, Link, Page},
    reference::{OperationGroup, QUERY_TYPES},
};
use super::{
    Host, Shared, Urls, openapi,
    operations::SHORT,
    routes::{ErrorFormat, Route},
};

/// What a page may load: its own style, script and index.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";

/// Every page in reading order. Its operations are the same wherever they are served.
static ORDER: LazyLock<Vec<Link>> = LazyLock::new(|| {
    let document = openapi::document(&Urls {
        base: String::new(),
        track: String::new(),
        links: String::new(),
        docs: String::new(),
    });
    let guides = PAGES
        .iter()
        .map(|page| Link::new(page.path.as_str(), page.guide.title.as_str()));
    guides
        .chain([Link::new(API_PATH, "API reference")])
        .chain(reference::links(&reference::groups(&document)))
        .collect()
});

pub(super) fn routes() -> Vec<Route> {
    let get = |path, handler: fn(actix_web::Route) -> actix_web::Route| {
        Route::new(Method::GET, Host::Base, path, handler)
    };
    let page = |path, handler| {
        get(path, handler)
            .media("text/html")
            .error_format(ErrorFormat::Page)
            .or(404)
    };
    vec![
        get("/docs", |route| route.to(show_contents))
            .says("Documentation", "The contents of the documentation.")
            .media("text/html"),
        get(INDEX_PATH, |route| route.to(show_index))
            .says(
                "Search index",
                "What the search of the documentation looks through.",
            )
            .answers(json!({ "type": "array", "items": { "type": "object", "additionalProperties": {} } })),
        get(API_PATH, |route| route.to(show_api))
            .says("API reference", "The groups of operations.")
            .media("text/html"),
        page("/docs/api/{group}", |route| route.to(show_group))
            .says("Group of operations", "The operations of a group as a page."),
        page("/docs/{guide}", |route| route.to(show_guide))
            .says("Guide", "A guide as a page."),
    ]
}

async fn show_contents(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    answer(&request, &shared, "/docs", || {
        let document = openapi::document(&shared.urls);
        let groups = reference::groups(&document);
        Page {
            path: "/docs",
            title: "Documentation",
            group: "",
            body: contents(&groups),
            sections: Vec::new(),
        }
        .draw()
    })
}

async fn show_guide(
    request: HttpRequest,
    slug: web::Path<String>,
    shared: web::Data<Shared>,
) -> HttpResponse {
    let Some(page) = guide::find(&slug) else {
        return not_found();
    };
    answer(&request, &shared, &page.path, || draw_guide(page))
}

async fn show_api(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    answer(&request, &shared, API_PATH, || {
        let document = openapi::document(&shared.urls);
        let groups = reference::groups(&document);
        Page {
            path: API_PATH,
            title: "API reference",
            group: "Developers",
            body: reference::overview(&document, &groups),
            sections: Vec::new(),
        }
        .draw()
    })
}

async fn show_group(
    request: HttpRequest,
    slug: web::Path<String>,
    shared: web::Data<Shared>,
) -> HttpResponse {
    let path = format!("{API_PATH}/{slug}");
    if !ORDER.iter().any(|link| link.path == path) {
        return not_found();
    }
    answer(&request, &shared, &path, || {
        draw_group(&path, &openapi::document(&shared.urls))
    })
}

async fn show_index(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.insert_header(SHORT);
    let place = (INDEX_PATH, "application/json");
    shared.documents.answer(&request, response, place, || {
        let document = openapi::document(&shared.urls);
        let groups = reference::groups(&document);
        search::index(&groups, &reference::links(&groups))
    })
}

/// Answers with a page that is drawn once.
fn answer(
    request: &HttpRequest,
    shared: &Shared,
    path: &str,
    draw: impl FnOnce() -> String,
) -> HttpResponse {
    let response = begin(HttpResponse::Ok());
    shared
        .documents
        .answer(request, response, (path, HTML), draw)
}

fn begin(mut response: HttpResponseBuilder) -> HttpResponseBuilder {
    response
        .insert_header(SHORT)
        .insert_header((CONTENT_SECURITY_POLICY, POLICY));
    response
}

fn not_found() -> HttpResponse {
    let page = Page {
        path: "",
        title: "Page not found",
        group: "",
        body: html! { p { "The documentation has no page at this address. Choose one from the contents, or " a href="/docs" { "start at the beginning" } "." } },
        sections: Vec::new(),
    };
    begin(HttpResponse::NotFound())
        .insert_header((CONTENT_TYPE, HTML))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(page.draw())
}

/// The first page: what each guide is for. Old addresses were anchors of one page; their ids are here.
fn contents(groups: &[OperationGroup<'_>]) -> Markup {
    let guide_ids: Vec<&str> = PAGES
        .iter()
        .flat_map(|page| page.old_ids)
        .copied()
        .collect();
    html! {
        p { "Start with the " a href="/docs/quickstart" { "quick start" } ". Then open the guide for your task." }
        @for group in GROUPS {
            h2 #(anchor(group.title)) { (group.title) }
            ul.cards {
                @for page in PAGES.iter().filter(|page| page.group == group.title) {
                    li.panel {
                        @for id in page.old_ids { span id=(id) {} }
                        a href=(page.path) { strong { (page.guide.title) } }
                        p.small { (page.guide.summary) }
                    }
                }
            }
        }
        h2 #api { "API reference" }
        ul.groups {
            @for link in reference::links(groups) {
                @let id = anchor(&link.title);
                li {
                    @if !guide_ids.contains(&&*id) { span id=(id) {} }
                    a href=(link.path) { (link.title) }
                }
            }
        }
    }
}

fn draw_guide(page: &GuidePage) -> String {
    let GuidePage {
        path, group, guide, ..
    } = page;
    let sections = guide.sections.iter();
    let sections = sections.filter(|section| section.level == HeadingLevel::H2);
    Page {
        path,
        title: &guide.title,
        group,
        body: PreEscaped(guide.html.clone()),
        sections: sections
            .map(|section| Link::new(format!("#{}", section.id), section.title.as_str()))
            .collect(),
    }
    .draw()
}

fn draw_group(path: &str, document: &Value) -> String {
    let groups = reference::groups(document);
    let links = reference::links(&groups);
    let at = links.iter().position(|link| link.path == path);
    let group = at.and_then(|at| groups.get(at));
    let body = group.map_or_else(
        || reference::query_types(document),
        |group| reference::group_page(document, group),
    );
    Page {
        path,
        title: group.map_or(QUERY_TYPES, |group| group.title.as_str()),
        group: "API reference",
        body,
        sections: Vec::new(),
    }
    .draw()
}
