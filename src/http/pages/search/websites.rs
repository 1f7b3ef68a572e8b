//! Websites, their pages, what is saved for them, and the paths of their visitors.

use futures_util::future::{join_all, join4};
use serde::Deserialize;
use serde_json::json;

use super::{MAX, ResultGroup, SearchResult, SearchTerms};
use crate::{
    http::{
        pages::prelude::*,
        procedures::{bodies::WebsiteIdBody, funnels, goals, segments},
    },
    pages::{
        frame::{Choice, Frame, site_path},
        navigation::{organization_links, website_links},
        view::View,
    },
};

/// Websites that are asked for what is saved for them.
const MAX_WEBSITES: usize = 10;
/// Characters from which paths are looked for.
const MIN_PATH: usize = 3;

/// Pages of the organization, and each page of each website by both names: `shop errors`.
pub(super) fn find_pages(frame: &Frame, terms: &SearchTerms) -> Vec<SearchResult> {
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

/// Goals, funnels, segments and paths of the websites.
pub(super) async fn find(
    context: &PageContext,
    websites: &[Choice],
    terms: &SearchTerms,
) -> Vec<ResultGroup> {
    let asked = websites.iter().take(MAX_WEBSITES);
    let asked = asked.map(|site| find_of_website(context, site, terms));
    let mut groups = ["Goals", "Funnels", "Segments", "Paths"].map(|title| (title, Vec::new()));
    for found in join_all(asked).await {
        for ((_, all), own) in groups.iter_mut().zip(found) {
            all.extend(own);
        }
    }
    groups.into()
}

async fn find_of_website(
    context: &PageContext,
    site: &Choice,
    terms: &SearchTerms,
) -> [Vec<SearchResult>; 4] {
    let body = || WebsiteIdBody {
        website_id: site.id.clone(),
    };
    let (goals, funnels, segments, paths) = Box::pin(join4(
        context.ask(&goals::LIST, body()),
        context.ask(&funnels::LIST, body()),
        context.ask(&segments::LIST, body()),
        find_paths(context, site, terms),
    ))
    .await;
    let result = |kind: &str, id: &str, name: &str| SearchResult {
        name: name.to_owned(),
        detail: site.name.clone(),
        path: format!("{}/{kind}/{id}", site_path(&site.id)),
    };
    let goals = goals.unwrap_or_default().into_iter();
    let goals = goals.map(|one| result("goal", &one.id, &one.fields.name));
    let funnels = funnels.unwrap_or_default().into_iter();
    let funnels = funnels.map(|one| result("funnel", &one.id, &one.name));
    let segments = segments.unwrap_or_default().into_iter();
    let segments = segments.map(|one| result("segment", &one.id, &one.fields.name));
    [
        terms.filter(goals),
        terms.filter(funnels),
        terms.filter(segments),
        paths,
    ]
}

#[derive(Deserialize)]
struct Page {
    name: String,
}

/// Paths of the last 30 days with the text in them; each leads to the dashboard of that path.
async fn find_paths(
    context: &PageContext,
    site: &Choice,
    terms: &SearchTerms,
) -> Vec<SearchResult> {
    if terms.text.chars().count() < MIN_PATH || terms.words.len() > 1 {
        return Vec::new();
    }
    let body = json!({
        "parameters": ["top_pages"], "preset": "last_30d", "limit": MAX,
        "filters": [{ "field": "path", "op": "contains", "value": terms.text }],
    });
    let answers = context.query(&site.id, body).await;
    let pages = answers.map(|answers| answers.rows::<Page>("top_pages"));
    let pages = pages.unwrap_or_else(|_| Ok(Vec::new())).unwrap_or_default();
    let view = View::default().with_preset("last_30d");
    let result = |page: Page| SearchResult {
        path: view
            .with_filter("path", "eq", &page.name)
            .address(&site_path(&site.id)),
        name: page.name,
        detail: site.name.clone(),
    };
    pages.into_iter().map(result).collect()
}
