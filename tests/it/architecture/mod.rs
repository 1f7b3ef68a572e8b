//! Keeps the import rules of ARCHITECTURE.md true.

mod documentation;
mod knots;
mod words;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Layer, and the layers whose items it may name with `crate::`.
const MAY_USE: &[(&str, &[&str])] = &[
    ("fault", &[]),
    ("ids", &[]),
    ("clock", &[]),
    ("telemetry", &[]),
    ("metrics", &[]),
    ("spans", &[]),
    ("load", &[]),
    ("locale", &[]),
    (
        "config",
        &[
            "access",
            "actors",
            "egress",
            "http",
            "oidc",
            "store",
            "telemetry",
        ],
    ),
    ("egress", &[]),
    ("acme", &["clock"]),
    ("oidc", &["access", "clock", "egress", "ids"]),
    ("passkeys", &["ids"]),
    ("scim", &["fault"]),
    ("access", &["fault", "ids"]),
    ("entities", &["ids"]),
    (
        "events",
        &["access", "clock", "fault", "ids", "metrics", "spans"],
    ),
    ("analytics", &["access", "clock", "events", "fault", "ids"]),
    ("store", &["clock", "fault", "ids"]),
    ("pages", &["clock", "fault", "locale"]),
    ("importers", &["actors", "clock", "store"]),
    (
        "actors",
        &[
            "access",
            "acme",
            "analytics",
            "clock",
            "egress",
            "entities",
            "events",
            "fault",
            "ids",
            "locale",
            "oidc",
            "passkeys",
            "scim",
            "spans",
            "store",
        ],
    ),
    (
        "http",
        &[
            "access",
            "acme",
            "actors",
            "analytics",
            "clock",
            "egress",
            "events",
            "fault",
            "importers",
            "locale",
            "metrics",
            "ids",
            "oidc",
            "pages",
            "passkeys",
            "scim",
            "spans",
            "store",
        ],
    ),
    (
        "platform",
        &[
            "access",
            "acme",
            "actors",
            "analytics",
            "clock",
            "config",
            "egress",
            "events",
            "fault",
            "http",
            "ids",
            "importers",
            "oidc",
            "spans",
            "store",
            "telemetry",
        ],
    ),
    ("cli", &["config", "load", "platform", "telemetry"]),
];

/// Words that a layer must not contain, because they belong to another one.
const MUST_NOT_SAY: &[(&str, &[&str])] = &[
    ("analytics", &["actix", "sea_orm", "duckdb::"]),
    ("events", &["actix", "sea_orm"]),
    ("egress", &["actix", "sea_orm"]),
    ("acme", &["actix", "sea_orm"]),
    ("oidc", &["actix", "sea_orm"]),
    ("passkeys", &["actix", "sea_orm"]),
    ("scim", &["actix", "sea_orm"]),
    ("access", &["actix", "sea_orm", "duckdb::"]),
    ("http", &["sea_orm", "duckdb::"]),
    ("actors", &["actix_web"]),
    ("entities", &["actix"]),
    ("pages", &["actix", "sea_orm", "serde_json"]),
];

#[test]
fn imports_point_downwards() {
    let known: BTreeSet<&str> = MAY_USE.iter().map(|(layer, _)| *layer).collect();
    let mut broken = Vec::new();
    for (layer, allowed) in MAY_USE {
        for (file, text) in sources(layer) {
            for used in layers_named_in(&text) {
                let fine = used == *layer || allowed.contains(&used.as_str());
                if known.contains(used.as_str()) && !fine {
                    broken.push(format!("`{}` must not use `crate::{used}`", file.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_module_has_a_layer() {
    let library = fs::read_to_string(src().join("lib.rs")).unwrap();
    let modules: BTreeSet<&str> = library
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod "))
        .filter_map(|rest| rest.strip_suffix(';'))
        .collect();
    let layers: BTreeSet<&str> = MAY_USE.iter().map(|(layer, _)| *layer).collect();
    assert_eq!(modules, layers, "a new module needs a line in MAY_USE");
}

#[test]
fn layers_keep_to_their_own_tools() {
    let mut broken = Vec::new();
    for (layer, words) in MUST_NOT_SAY {
        for (file, text) in sources(layer) {
            // Tests may reach for an engine of their own.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let in_test = file
                .components()
                .any(|part| part.as_os_str().to_string_lossy().contains("test"));
            for word in *words {
                if !in_test
                    && code
                        .lines()
                        .filter(|line| !line.trim_start().starts_with("//"))
                        .any(|line| line.contains(word))
                {
                    broken.push(format!("`{}` says `{word}`", file.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn domains_do_not_reach_into_each_other() {
    let mut broken = Vec::new();
    let actors = src().join("actors");
    let domains: Vec<String> = fs::read_dir(&actors)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir() && entry.file_name() != "kit")
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let inside = ["actor", "repo", "rules", "view", "error", "messages"];
    for (file, text) in sources("actors") {
        for domain in &domains {
            let own = file.starts_with(actors.join(domain));
            let reached = inside
                .iter()
                .find(|part| text.contains(&format!("actors::{domain}::{part}::")));
            if let (false, Some(part)) = (own, reached) {
                broken.push(format!(
                    "`{}` reaches into `{domain}::{part}`",
                    file.display()
                ));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Only there a 429 gets its headers.
#[test]
fn only_the_wire_spells_too_many_requests() {
    for (path, text) in sources("http") {
        let is_wire = path.components().any(|part| part.as_os_str() == "wire");
        let names = ["TOO_MANY_REQUESTS", "TooManyRequests"];
        let spells = names.iter().any(|name| text.contains(name));
        assert!(is_wire || !spells, "{} writes a 429 itself", path.display());
    }
}

#[test]
fn files_stay_small() {
    let mut large = BTreeMap::new();
    for (layer, _) in MAY_USE {
        for (file, text) in sources(layer) {
            let lines = text.lines().count();
            if lines > 500 {
                large.insert(file, lines);
            }
        }
    }
    assert!(large.is_empty(), "split these: {large:?}");
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file of a layer with its text.
fn sources(layer: &str) -> Vec<(PathBuf, String)> {
    let places = [layer.to_owned(), format!("{layer}.rs")];
    let found = read_files(places.map(|place| src().join(place)).into(), "rs");
    assert!(!found.is_empty(), "no sources of `{layer}`");
    found
}

/// Every file with this extension at or below these paths, with its text.
fn read_files(mut open: Vec<PathBuf>, extension: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|own| own == extension) && path.exists() {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// The layers whose items a text names with `crate::`, be it in a comment.
fn layers_named_in(text: &str) -> BTreeSet<String> {
    let paths = knots::paths(text).into_iter();
    let of_the_crate = paths.filter(|path| path[0] == "crate");
    of_the_crate
        .filter_map(|path| path.get(1).cloned())
        .collect()
}
