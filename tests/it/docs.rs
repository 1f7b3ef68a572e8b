//! The documentation that the program serves: every guide is a page, and every link leads somewhere.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use regex::Regex;
use serde_json::Value;

use crate::app::App;

/// Guides that are for people who change the program.
const INTERNAL: [&str; 2] = ["drills", "threats"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The values of an attribute of a page.
fn values(html: &str, attribute: &str) -> Vec<String> {
    let start = format!(" {attribute}=\"");
    let rest = html.split(&start).skip(1);
    rest.map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect()
}

/// Every page that is reached from the first one, by its path.
pub async fn pages(app: &App) -> BTreeMap<String, String> {
    let (mut pages, mut waiting) = (BTreeMap::new(), vec!["/docs".to_owned()]);
    while let Some(path) = waiting.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let answer = app.get(format!("{}{path}", app.base)).await;
        assert_eq!(answer.status, 200, "{path}");
        let links = values(&answer.text, "href").into_iter();
        let links = links.filter_map(|link| Some(link.split('#').next()?.to_owned()));
        waiting.extend(links.filter(|link| link.starts_with("/docs")));
        pages.insert(path, answer.text);
    }
    pages
}

/// Whether a link leads to a page, and its anchor to an element of the page.
fn leads_somewhere(pages: &BTreeMap<String, String>, from: &str, link: &str) -> bool {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = if path.is_empty() { from } else { path };
    let page = pages.get(path);
    page.is_some_and(|html| anchor.is_empty() || html.contains(&format!(" id=\"{anchor}\"")))
}

#[actix::test]
async fn every_link_of_the_documentation_leads_to_a_page_and_every_anchor_stands_once() {
    let app = App::spawn().await;
    let pages = pages(&app).await;
    assert!(pages.len() > 40, "{:?}", pages.keys());
    for (path, html) in &pages {
        let ids = values(html, "id");
        let unique: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(ids.len(), unique.len(), "{path}: {ids:?}");
        for link in values(html, "href") {
            let elsewhere =
                ["/", "/openapi.json"].contains(&&*link) || link.starts_with("/console/assets/");
            assert!(
                elsewhere || leads_somewhere(&pages, path, &link),
                "{path}: {link} leads nowhere"
            );
        }
    }
    app.finish().await;
}

#[actix::test]
async fn every_file_of_docs_is_a_page() {
    let app = App::spawn().await;
    let pages = pages(&app).await;
    let files = fs::read_dir(root().join("docs")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let guides = files.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let mut found = 0;
    for guide in guides {
        let slug = guide.file_stem().unwrap().to_str().unwrap();
        let is_page = pages.contains_key(&format!("/docs/{slug}"));
        assert_eq!(is_page, !INTERNAL.contains(&slug), "{slug}");
        found += 1;
    }
    assert!(found > 20, "{found}");
    app.finish().await;
}

#[actix::test]
async fn no_markdown_is_left_in_a_page() {
    let app = App::spawn().await;
    let code = Regex::new("(?s)<(code|pre)[^>]*>.*?</(code|pre)>").unwrap();
    let operation = Regex::new("(?s)<details.*?</details>").unwrap();
    for (path, html) in pages(&app).await {
        let text = code.replace_all(&html, "");
        let text = operation.replace_all(&text, "");
        for mark in ["`", "](", "**"] {
            assert!(!text.contains(mark), "{path}: {mark}");
        }
    }
    app.finish().await;
}

/// `.rs` files below a directory.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}

#[actix::test]
async fn every_link_from_the_console_to_the_documentation_leads_to_its_section() {
    let app = App::spawn().await;
    let pages = pages(&app).await;
    let link = Regex::new("\"(/docs(?:/[a-z-]+)*(?:#[a-z0-9-]+)?)\"").unwrap();
    let mut found = 0;
    for file in ["src/http/pages", "src/pages"]
        .iter()
        .flat_map(|directory| sources(&root().join(directory)))
    {
        let text = fs::read_to_string(&file).unwrap();
        for address in link.captures_iter(&text) {
            found += 1;
            assert!(
                leads_somewhere(&pages, "", &address[1]),
                "{}: {} leads nowhere",
                file.display(),
                &address[1]
            );
        }
    }
    assert!(found > 0);
    app.finish().await;
}

#[actix::test]
async fn the_documentation_says_the_version_of_the_program() {
    let app = App::spawn().await;
    let page = app.get(format!("{}/docs", app.base)).await;
    let output = Command::new(crate::process::binary())
        .arg("--version")
        .output()
        .unwrap();
    let version = String::from_utf8(output.stdout).unwrap();
    assert!(
        page.text.contains(&format!(">{}<", version.trim())),
        "{version}"
    );
    let reference = app.get(format!("{}/docs/api", app.base)).await;
    assert!(reference.text.contains("API version 1.0.0"));
    app.finish().await;
}

#[actix::test]
async fn a_page_that_is_not_there_says_so_and_shows_the_contents() {
    let app = App::spawn().await;
    for path in ["/docs/nothing", "/docs/api/nothing"] {
        let page = app.get(format!("{}{path}", app.base)).await;
        assert_eq!(page.status, 404, "{path}");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert!(page.text.contains("Page not found") && page.text.contains("/docs/quickstart"));
    }
    app.finish().await;
}

#[actix::test]
async fn pages_have_a_previous_and_a_next_one_in_the_order_of_the_contents() {
    let app = App::spawn().await;
    let first = app.get(format!("{}/docs/quickstart", app.base)).await.text;
    assert!(!first.contains("rel=\"prev\""));
    assert!(first.contains("rel=\"next\" href=\"/docs/tracker\""));
    let second = app.get(format!("{}/docs/tracker", app.base)).await.text;
    assert!(second.contains("rel=\"prev\" href=\"/docs/quickstart\""));
    app.finish().await;
}

#[actix::test]
async fn the_index_of_the_search_names_sections_and_operations_that_exist() {
    let app = App::spawn().await;
    let pages = pages(&app).await;
    let index = app.get(format!("{}/docs/search.json", app.base)).await.body;
    let entries = index.as_array().unwrap();
    for entry in entries {
        let address = entry["u"].as_str().unwrap();
        assert!(leads_somewhere(&pages, "", address), "{address}");
    }
    let has = |heading: &str, address: &str| {
        let found = |entry: &Value| entry["h"] == heading && entry["u"] == address;
        assert!(entries.iter().any(found), "{heading}");
    };
    has("Filters", "/docs/queries#filters");
    has(
        "POST /websites/create",
        "/docs/api/websites#post-websites-create",
    );
    app.finish().await;
}
