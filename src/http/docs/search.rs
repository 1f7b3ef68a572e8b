//! The index that the search in the browser reads: every section of every guide, and every operation.

use serde::Serialize;

use super::{guide::PAGES, page::Link, reference::OperationGroup};

/// A place that can be found. The names are short because the index is sent.
#[derive(Serialize)]
struct Entry<'a> {
    /// Its address.
    u: String,
    /// The title of its page.
    p: &'a str,
    /// Its heading; empty for the page itself.
    h: String,
    /// What it says.
    t: &'a str,
}

/// The index as JSON. `links` are the pages of the groups.
pub(super) fn index(groups: &[OperationGroup<'_>], links: &[Link]) -> String {
    let guides = PAGES.iter().flat_map(|page| {
        page.guide.sections.iter().map(move |section| Entry {
            u: address(&page.path, &section.id),
            p: &page.guide.title,
            h: section.title.clone(),
            t: &section.text,
        })
    });
    let operations = groups.iter().zip(links).flat_map(|(group, link)| {
        group.operations.iter().map(move |operation| Entry {
            u: address(&link.path, &operation.id()),
            p: &group.title,
            h: operation.title(),
            t: operation.summary(),
        })
    });
    let all: Vec<Entry<'_>> = guides.chain(operations).collect();
    serde_json::to_string(&all).unwrap_or_default()
}

fn address(path: &str, id: &str) -> String {
    if id.is_empty() {
        path.to_owned()
    } else {
        format!("{path}#{id}")
    }
}
