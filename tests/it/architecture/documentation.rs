//! Pages of the repository name files that exist.

use std::path::Path;

use regex::Regex;

use super::read_files;

/// Pages that people read beside the code.
const PAGES: [&str; 5] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "README.md",
    "benches/README.md",
    "docs",
];

#[test]
fn paths_that_pages_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path =
        r"(?:^|[^\w/.-])((?:src|tests|benches|fuzz|scripts|migration|docs|examples)/[\w./-]*\w)";
    let path = Regex::new(path).unwrap();
    let (mut named, mut missing) = (0, Vec::new());
    for (page, text) in read_files(PAGES.map(|page| root.join(page)).into(), "md") {
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
