//! `/console/search`: resources, pages and actions by name.

use futures_util::future::join_all;

use super::{alarms::about, flags::list_bodies};
use crate::{
    http::{
        pages::prelude::*,
        procedures::{alarms, bodies::OrganizationBody, flags, links, status_page::pages, uptime},
    },
    pages::{
        frame::site_path,
        navigation::{organization_links, website_links},
        part::{Field, empty},
    },
};

/// Results of each kind.
const MAX: usize = 8;
/// Characters of the search text.
const MAX_TYPED: usize = 200;

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/search", |route| route.to(show))]
}

/// Actions: label, address, permission.
const ACTIONS: [(&str, &str, Permission); 10] = [
    (
        "Add a website",
        "/console/sites/new",
        Permission::WebsiteManage,
    ),
    ("Make a link", "/console/links/new", Permission::LinkWrite),
    (
        "Watch something (new monitor)",
        "/console/monitors/new",
        Permission::MonitorWrite,
    ),
    (
        "Make a status page",
        "/console/status-pages/new",
        Permission::StatusPageWrite,
    ),
    (
        "Make an alarm",
        "/console/alarms/new",
        Permission::AlarmWrite,
    ),
    ("Make a flag", "/console/flags/new", Permission::FlagWrite),
    (
        "Make an API key",
        "/console/keys/new",
        Permission::KeysManage,
    ),
    (
        "Invite somebody",
        "/console/members",
        Permission::MembersManage,
    ),
    (
        "Change the password, sign out elsewhere",
        "/console/account",
        Permission::WebsiteRead,
    ),
    (
        "Keyboard shortcuts",
        "/console/shortcuts",
        Permission::WebsiteRead,
    ),
];

struct SearchResult {
    name: String,
    detail: String,
    path: String,
}

/// Results of one kind, under their heading.
type ResultGroup = (&'static str, Vec<SearchResult>);

/// Words that all have to be in a result.
struct SearchTerms(Vec<String>);

impl SearchTerms {
    fn parse(typed: &str) -> Self {
        let typed: String = typed.chars().take(MAX_TYPED).collect();
        Self(
            typed
                .to_lowercase()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        )
    }

    fn match_text(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.0.iter().all(|word| text.contains(word))
    }

    fn filter(&self, resource_table: impl Iterator<Item = SearchResult>) -> Vec<SearchResult> {
        resource_table
            .filter(|one| self.match_text(&format!("{} {}", one.name, one.detail)))
            .collect()
    }
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let typed = context.parameter("q");
    let terms = SearchTerms::parse(&typed);
    let sorts = if terms.0.is_empty() {
        Vec::new()
    } else {
        search_all(&context, &terms, &typed).await
    };
    let is_empty = sorts.iter().all(|(_, all)| all.is_empty());
    let field = Field::text("q", "Name").kind("search").value(&typed);
    let main = html! {
        div.title-row { h1 { "Search" } }
        form.search method="get" action="/console/search" { (field.draw(&Problems::NONE)) button.button type="submit" { "Find" } }
        div.panel #found {
            @if terms.0.is_empty() { (empty("What are you looking for?", &html! { p { "Websites, their pages, links, monitors, status pages, alarms and flags are found by their names, and what can be done by its words: “make a link”." } })) }
            @else if is_empty { (empty("Nothing has this name", &html! { p { "Look for fewer words, or for a part of one." } })) }
            @else { @for (sort, all) in &sorts { (draw(sort, all)) } }
        }
    };
    Ok(context.show(NavItem::Elsewhere, "Search", &main))
}

fn draw(sort: &str, all: &[SearchResult]) -> Markup {
    html! {
        @if !all.is_empty() {
            h2 { (sort) }
            ul.found { @for one in all.iter().take(MAX) { li { a href=(one.path) { (one.name) @if !one.detail.is_empty() { span.dim { " · " (one.detail) } } } } } }
        }
    }
}

/// Everything of the organization with these words. What the person may not see is not found.
async fn search_all(context: &PageContext, terms: &SearchTerms, typed: &str) -> Vec<ResultGroup> {
    let input = links::PageBody {
        limit: MAX as u64,
        search: Some(typed.trim().chars().take(MAX_TYPED).collect()),
        ..links::PageBody::default()
    };
    let links = context.ask(&links::PAGINATED, input).await;
    let links = links.map_or_else(|_| Vec::new(), |page| page.items);
    let links = links.iter().map(|one| {
        let names = [&one.fields.name, &one.fields.slug];
        named_result("/console/link", &one.id, names.map(Option::as_deref))
    });
    let all = uptime::ListBody::default();
    let monitors = context.ask(&uptime::LIST_SCHEDULES, all).await;
    let monitors = monitors.iter().flatten().map(|one| {
        let names = [&one.fields.name, &one.fields.url];
        named_result("/console/monitor", &one.id, names.map(Option::as_deref))
    });
    let all = OrganizationBody::default();
    let pages = context.ask(&pages::LIST, all).await;
    let pages = pages.iter().flatten().map(|one| {
        let names = [one.fields.name.as_str(), one.fields.slug.as_str()];
        named_result("/console/status-page", &one.id, names.map(Some))
    });
    let all = OrganizationBody::default();
    let alarms = context.ask(&alarms::LIST, all).await;
    let alarms = alarms.iter().flatten().map(|one| {
        let names = [one.fields.name.as_str(), about(one.fields.trigger_type)];
        named_result("/console/alarm", &one.id, names.map(Some))
    });
    let flags = list_bodies(context).into_iter();
    let flags = flags.map(|body| context.ask(&flags::LIST, body));
    let flags = join_all(flags).await;
    let flags = flags.iter().flatten().flatten().map(|one| {
        let names = [Some(one.key.as_str()), one.name.as_deref()];
        named_result("/console/flag", &one.id, names)
    });
    vec![
        ("Pages", find_pages(context, terms)),
        ("Actions", find_actions(context, terms)),
        ("Links", links.collect()),
        ("Monitors", terms.filter(monitors)),
        ("Status pages", terms.filter(pages)),
        ("Alarms", terms.filter(alarms)),
        ("Flags", terms.filter(flags)),
    ]
}

/// Actions that the person may take.
fn find_actions(context: &PageContext, terms: &SearchTerms) -> Vec<SearchResult> {
    let allowed = ACTIONS
        .iter()
        .filter(|(name, _, permission)| terms.match_text(name) && context.can(*permission));
    let result = |(name, path, _): &(&str, &str, Permission)| SearchResult {
        name: (*name).to_owned(),
        detail: String::new(),
        path: (*path).to_owned(),
    };
    allowed.map(result).collect()
}

/// A result with the first name that it has, and the other name as its detail.
fn named_result(path: &str, id: &str, names: [Option<&str>; 2]) -> SearchResult {
    let [first, second] = names.map(|name| name.filter(|text| !text.is_empty()));
    SearchResult {
        name: first.or(second).unwrap_or(id).to_owned(),
        detail: first.and(second).unwrap_or_default().to_owned(),
        path: format!("{path}/{id}"),
    }
}

/// Pages of the organization, and each page of each website by both names: `shop errors`.
fn find_pages(context: &PageContext, terms: &SearchTerms) -> Vec<SearchResult> {
    let frame = context.frame(NavItem::Elsewhere, None);
    let over = organization_links().filter(|link| !frame.forbidden.contains(&link.item));
    let over = over
        .filter(|link| terms.match_text(link.title))
        .map(|link| SearchResult {
            name: link.title.to_owned(),
            detail: String::new(),
            path: link.path(""),
        });
    let sites = frame.websites.iter().flat_map(|site| {
        let whole = terms.match_text(&site.name).then(|| SearchResult {
            name: site.name.clone(),
            detail: "website".to_owned(),
            path: site_path(&site.id),
        });
        let inner = website_links().filter(|link| {
            !terms.match_text(&site.name)
                && terms.match_text(&format!("{} {}", site.name, link.title))
        });
        whole.into_iter().chain(inner.map(|link| SearchResult {
            name: link.title.to_owned(),
            detail: site.name.clone(),
            path: link.path(&site.id),
        }))
    });
    over.chain(sites).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_have_to_be_there_in_any_order_and_case() {
        let terms = SearchTerms::parse("  Err SHOP ");
        assert!(terms.match_text("Shop Errors") && !terms.match_text("Shop"));
        assert!(SearchTerms::parse("ä").match_text("Ä"));
        assert!(SearchTerms::parse(&"x".repeat(10_000)).0[0].len() == MAX_TYPED);
    }

    #[test]
    fn a_thing_has_the_first_name_that_it_has() {
        let named = named_result("/x", "1", [Some("A"), Some("u")]);
        assert_eq!(
            (&*named.name, &*named.detail, &*named.path),
            ("A", "u", "/x/1")
        );
        let nameless = named_result("/x", "1", [None, Some("u")]);
        assert_eq!((&*nameless.name, &*nameless.detail), ("u", ""));
    }
}
