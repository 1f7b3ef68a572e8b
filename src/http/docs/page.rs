//! The frame of a page of the documentation: search, contents, the page itself, and what comes before and after.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    ORDER,
    guide::{GROUPS, PAGES},
};
use crate::pages::assets::{DOCS_SCRIPT, DOCS_STYLE, ICON, SCRIPT, STYLE};

/// Where the search finds its index.
pub(super) const INDEX_PATH: &str = "/docs/search.json";

pub(super) const API_PATH: &str = "/docs/api";

/// A link to a page or to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) path: String,
    pub(super) title: String,
}

impl Link {
    pub(super) fn new(path: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            title: title.into(),
        }
    }
}

/// What a page shows within the frame.
pub(super) struct Page<'a> {
    pub(super) path: &'a str,
    pub(super) title: &'a str,
    /// The group of guides or pages that it is in.
    pub(super) group: &'a str,
    pub(super) body: Markup,
    /// Its sections.
    pub(super) sections: Vec<Link>,
}

impl Page<'_> {
    pub(super) fn draw(&self) -> String {
        let at = ORDER.iter().position(|link| link.path == self.path);
        let previous = at.and_then(|at| ORDER.get(at.checked_sub(1)?));
        let next = at.and_then(|at| ORDER.get(at + 1));
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="robots" content="noindex";
                    title { (self.title) " · pharos documentation" }
                    link rel="icon" href=(ICON.path());
                    link rel="stylesheet" href=(STYLE.path());
                    link rel="stylesheet" href=(DOCS_STYLE.path());
                    script src=(SCRIPT.path()) defer {}
                    script src=(DOCS_SCRIPT.path()) defer {}
                }
                body.docs {
                    a.skip href="#main" { "Skip to the content" }
                    (header())
                    main #main tabindex="-1" {
                        @if !self.group.is_empty() { p.dim.small { (self.group) } }
                        h1 { (self.title) }
                        (self.body)
                        @if previous.is_some() || next.is_some() {
                            nav.turn aria-label="Previous and next" {
                                @if let Some(link) = previous { a.button rel="prev" href=(link.path) { "← " (link.title) } }
                                @if let Some(link) = next { a.button.next rel="next" href=(link.path) { (link.title) " →" } }
                            }
                        }
                    }
                    @if self.sections.len() > 1 {
                        nav.outline aria-label="On this page" {
                            strong { "On this page" }
                            ul { @for link in &self.sections { li { a href=(link.path) { (link.title) } } } }
                        }
                    }
                    (contents(self.path))
                }
            }
        };
        page.into_string()
    }
}

fn header() -> Markup {
    html! {
        header.top {
            a.brand href="/docs" { span.logo aria-hidden="true" { (PreEscaped(ICON.text)) } "Documentation" }
            span.dim.small.version { "pharos " (env!("CARGO_PKG_VERSION")) }
            div.docs-search role="search" data-index=(INDEX_PATH) hidden {
                label.hide for="docs-find" { "Search the documentation" }
                input #docs-find type="search" placeholder="Search" autocomplete="off" aria-keyshortcuts="/";
                div.sheet hidden aria-live="polite" {}
            }
            a.button.small.to-contents href="#contents" { "Contents" }
            a.button.small href="/" { "Console" }
        }
    }
}

fn contents(current: &str) -> Markup {
    let link = |path: &str, title: &str| html! { li { a href=(path) aria-current=[(path == current).then_some("page")] { (title) } } };
    html! {
        nav.contents #contents aria-label="Contents" {
            @for group in GROUPS {
                strong { (group.title) }
                ul {
                    @for page in PAGES.iter().filter(|page| page.group == group.title) { (link(&page.path, &page.guide.title)) }
                    @if group.title == "Developers" {
                        li { a href=(API_PATH) aria-current=[current.starts_with(API_PATH).then_some(if current == API_PATH { "page" } else { "true" })] { "API reference" } }
                    }
                }
            }
        }
    }
}
