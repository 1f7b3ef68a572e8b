//! Pages of the repository name files that exist.

use std::{
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

/// Pages that people read beside the code.
const PAGES: [&str; 5] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "README.md",
    "benches/README.md",
    "docs",
];

fn pages(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_page = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|end| end == "md");
    entries
        .filter(is_page)
        .flat_map(|path| pages(&path))
        .collect()
}

#[test]
fn paths_that_pages_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path =
        r"(?:^|[^\w/.-])((?:src|tests|benches|fuzz|scripts|migration|docs|examples)/[\w./-]*\w)";
    let path = Regex::new(path).unwrap();
    let (mut named, mut missing) = (0, Vec::new());
    for page in PAGES.iter().flat_map(|page| pages(&root.join(page))) {
        let text = fs::read_to_string(&page).unwrap();
        for found in path.captures_iter(&text) {
            let name = &found[1];
            named += 1;
            if !root.join(name).exists() && !root.join(format!("{name}.rs")).exists() {
                missing.push(format!("{}: {name}", page.display()));
            }
        }
    }
    assert!(named > 100, "{named}");
    assert!(missing.is_empty(), "{missing:#?}");
}
