//! All short links: found by words and folder, with their clicks.

use std::collections::HashMap;

use super::{count_clicks, draw_marks, link_name, load_folders};
use crate::{
    actors::links::Folders,
    http::{
        pages::prelude::*,
        procedures::{
            link_folders::CountedOut,
            links::{self, LinkOut, PageOut},
        },
    },
    ids::LinkId,
    pages::{
        number,
        part::{Field, choice, empty},
    },
};

/// The title of the page.
const TITLE: &str = "Short links";
/// Links of a page.
const MAX: u64 = 25;
/// The `folder` parameter for links without a folder.
const NO_FOLDER: &str = "none";

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/links", |route| route.to(show))]
}

/// Clicks by the ids of links. Links without clicks are missing.
type Clicks = HashMap<LinkId, u64>;

/// The parameters of the list.
struct ListQuery {
    search: String,
    folder: String,
    page: u64,
}

impl ListQuery {
    fn new(context: &PageContext) -> Self {
        Self {
            search: context.parameter("q").trim().to_owned(),
            folder: context.parameter("folder"),
            page: context
                .parameter("page")
                .parse()
                .unwrap_or(1)
                .clamp(1, 10_000),
        }
    }

    fn is_narrow(&self) -> bool {
        !self.search.is_empty() || !self.folder.is_empty()
    }

    /// The address of another page of the same.
    fn address(&self, page: u64) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in [("q", &self.search), ("folder", &self.folder)] {
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        query.append_pair("page", &page.to_string());
        format!("/console/links?{}", query.finish())
    }
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let query = ListQuery::new(&context);
    let folder_id = match query.folder.as_str() {
        "" => Folders::All,
        NO_FOLDER => Folders::None,
        id => Folders::One(id.into()),
    };
    let input = links::PageBody {
        which: links::FilterBody {
            folder_id,
            ..links::FilterBody::default()
        },
        limit: MAX,
        offset: (query.page - 1) * MAX,
        search: Some(query.search.clone()).filter(|search| !search.is_empty()),
        ..links::PageBody::default()
    };
    let found = context.ask(&links::PAGINATED, input).await?;
    let folders = load_folders(&context).await?;
    let clicks = count_clicks(&context, &found.items, &context.date_format().await?).await;
    let main = draw(&context, &query, &found, &folders, clicks.as_ref());
    Ok(context.show(NavItem::ShortLinks, TITLE, &main))
}

fn draw(
    context: &PageContext,
    query: &ListQuery,
    found: &PageOut,
    folders: &[CountedOut],
    clicks: Option<&Clicks>,
) -> Markup {
    let can_write = context.can(Permission::LinkWrite);
    html! {
        div.title-row {
            h1 { (TITLE) }
            div.actions {
                a.button href="/console/links/folders" { "Folders" }
                @if can_write && (query.is_narrow() || !found.items.is_empty()) { a.button.first href="/console/links/new" { "Create short link" } }
            }
        }
        @if query.is_narrow() || !found.items.is_empty() { (search(query, folders)) }
        section.panel {
            @if found.items.is_empty() {
                @if query.is_narrow() || query.page > 1 {
                    (empty("No short links found", &html! { p { "Try another word or search in all folders." } a.button href="/console/links" { "All short links" } }))
                } @else {
                    (empty("No short links yet", &html! {
                        @if can_write {
                            p { "A short link redirects to any URL and counts its clicks." }
                            a.button.first href="/console/links/new" { "Create short link" }
                        } @else {
                            p { "Members of the organization can create short links." }
                        }
                    }))
                }
            } @else {
                (table(context, found, folders, clicks))
            }
        }
        @if query.page > 1 || found.has_more {
            nav.bar aria-label="Pages" {
                @if query.page > 1 { a.button href=(query.address(query.page - 1)) { "Previous" } }
                @if found.has_more { a.button href=(query.address(query.page + 1)) { "Next" } }
            }
        }
    }
}

fn search(query: &ListQuery, folders: &[CountedOut]) -> Markup {
    let mut among = vec![("", "All"), (NO_FOLDER, "No folder")];
    let named = folders.iter().map(|one| &one.folder);
    among.extend(named.map(|folder| (folder.id.as_str(), folder.name.as_str())));
    let words = Field::text("q", "Search")
        .kind("search")
        .value(&query.search)
        .quiet();
    html! {
        form.search method="get" action="/console/links" {
            (words.draw(&Problems::NONE))
            (choice("folder", "Folder", &among, &query.folder))
            button.button type="submit" { "Search" }
        }
    }
}

fn table(
    context: &PageContext,
    found: &PageOut,
    folders: &[CountedOut],
    clicks: Option<&Clicks>,
) -> Markup {
    let now_ms = context.shared().clock.now_ms();
    html! {
        table.table.sites {
            caption.hide { "Short links, newest first" }
            thead { tr {
                th scope="col" { "Link" }
                th scope="col" { "Destination URL" }
                th scope="col" { "Folder" }
                th.num scope="col" { "Clicks (30 days)" }
            } }
            tbody { @for link in &found.items { tr {
                td {
                    a.name href=(LinkOut::path(&[&link.id])) { (link_name(link)) }
                    span.dim {
                        code { (link.short_url) }
                        " " button.button.small type="button" data-copy hidden aria-label=(format!("Copy {}", link.short_url)) { "Copy" }
                        (draw_marks(link, now_ms))
                    }
                }
                td.wide data-label="Destination URL" { (link.fields.target_url.as_deref().unwrap_or("A/B test")) }
                td data-label="Folder" {
                    @match folders.iter().find(|one| Some(&one.folder.id) == link.fields.folder_id.as_ref()) {
                        Some(one) => (one.folder.name),
                        None => span.dim { (number::NONE) },
                    }
                }
                td.num data-label="Clicks" { (clicks.map_or_else(|| number::NONE.to_owned(), |all| number::full(all.get(link.id.as_str()).copied().unwrap_or(0)))) }
            } } }
        }
    }
}
