//! `/console/search`: resources, pages, paths and actions by name.

mod actions;
mod resources;
mod websites;

use futures_util::future::join;

use crate::{
    http::pages::prelude::*,
    pages::part::{Field, empty},
};

/// Results of each kind.
const MAX: usize = 8;
/// Characters of the search text.
const MAX_TYPED: usize = 200;

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/search", |route| route.to(show))]
}

struct SearchResult {
    name: String,
    detail: String,
    path: String,
}

/// Results of one kind, under their heading.
type ResultGroup = (&'static str, Vec<SearchResult>);

/// Words that all have to be in a result.
struct SearchTerms {
    /// As it was typed.
    text: String,
    words: Vec<String>,
}

impl SearchTerms {
    fn parse(typed: &str) -> Self {
        let text: String = typed.trim().chars().take(MAX_TYPED).collect();
        let words = text.to_lowercase();
        let words = words.split_whitespace().map(str::to_owned).collect();
        Self { text, words }
    }

    fn match_text(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.words.iter().all(|word| text.contains(word))
    }

    fn filter(&self, results: impl Iterator<Item = SearchResult>) -> Vec<SearchResult> {
        results
            .filter(|one| self.match_text(&format!("{} {}", one.name, one.detail)))
            .collect()
    }
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let terms = SearchTerms::parse(&context.parameter("q"));
    let groups = if terms.words.is_empty() {
        Vec::new()
    } else {
        Box::pin(search_all(&context, &terms)).await
    };
    let is_empty = groups.iter().all(|(_, all)| all.is_empty());
    let field = Field::text("q", "Search").kind("search").value(&terms.text);
    let main = html! {
        div.title-row { h1 { "Search" } }
        form.search method="get" action="/console/search" { (field.draw(&Problems::NONE)) button.button type="submit" { "Search" } }
        div.panel #found {
            @if terms.words.is_empty() { (empty("Search everything", &html! { p { "Find websites, pages, paths, goals, funnels, segments, boards, short links, monitors, status pages, alerts, feature flags, target groups, domains and API keys by name. Commands work too, for example “create monitor”." } })) }
            @else if is_empty { (empty("No results", &html! { p { "Try fewer words, or a part of the name." } })) }
            @else { @for (heading, all) in &groups { (draw(heading, all)) } }
        }
    };
    Ok(context.show(NavItem::Elsewhere, "Search", &main))
}

fn draw(heading: &str, all: &[SearchResult]) -> Markup {
    html! {
        @if !all.is_empty() {
            h2 { (heading) }
            ul.found { @for one in all.iter().take(MAX) { li { a href=(one.path) { (one.name) @if !one.detail.is_empty() { span.dim { " · " (one.detail) } } } } } }
        }
    }
}

/// Everything of the organization with these words. What the person may not see is not found.
async fn search_all(context: &PageContext, terms: &SearchTerms) -> Vec<ResultGroup> {
    let frame = context.frame(NavItem::Elsewhere, None);
    let (resources, of_websites) = Box::pin(join(
        resources::find(context, terms),
        websites::find(context, &frame.websites, terms),
    ))
    .await;
    let mut groups = vec![
        ("Actions", actions::find(context, &frame.websites, terms)),
        ("Pages", websites::find_pages(&frame, terms)),
    ];
    groups.extend(of_websites);
    groups.extend(resources);
    groups
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_have_to_be_there_in_any_order_and_case() {
        let terms = SearchTerms::parse("  Err SHOP ");
        assert!(terms.match_text("Shop Errors") && !terms.match_text("Shop"));
        assert!(SearchTerms::parse("ä").match_text("Ä"));
        assert!(SearchTerms::parse(&"x".repeat(10_000)).words[0].len() == MAX_TYPED);
    }

    #[test]
    fn a_result_has_the_first_name_that_it_has() {
        let named = named_result("/x", "1", [Some("A"), Some("u")]);
        assert_eq!(
            (&*named.name, &*named.detail, &*named.path),
            ("A", "u", "/x/1")
        );
        let nameless = named_result("/x", "1", [None, Some("u")]);
        assert_eq!((&*nameless.name, &*nameless.detail), ("u", ""));
    }
}
