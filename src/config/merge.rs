//! From three layers to one checked [`Settings`], collecting every mistake on the way.

use std::{ffi::OsString, path::Path};

use toml::{Table, Value};

use super::{
    DEFAULTS, Settings, check,
    layers::{self, Leaf, Leaves},
    mistake::{Mistake, Mistakes, Origin},
    shape::Shape,
};

/// See [`Settings::parse`].
pub(super) fn settings(
    file: Option<(&Path, &[u8])>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Settings, Mistakes> {
    let defaults = layers::defaults(DEFAULTS).map_err(|mistake| Mistakes(vec![mistake]))?;
    let shape = Shape::new(defaults.iter().map(|(key, leaf)| (key, &leaf.value)));
    let mut mistakes = Vec::new();
    let mut leaves = defaults.clone();
    if let Some((path, text)) = file {
        leaves.extend(layers::file(path, text, &shape, &mut mistakes));
    }
    leaves.extend(layers::environment(environment, &shape, &mut mistakes));

    let settings = typed(&mut leaves, &defaults, &mut mistakes);
    if let Some(settings) = &settings {
        for finding in check::settings(settings) {
            let origin = origin(&leaves, &finding.key);
            mistakes.push(finding.at(origin));
        }
    }
    mistakes.sort_by(|one, other| one.origin.cmp(&other.origin));
    match settings {
        Some(settings) if mistakes.is_empty() => Ok(settings),
        _ => Err(Mistakes(mistakes)),
    }
}

/// Gives the leaves their types. A leaf that does not fit is reported and replaced by its default, until the rest
/// fits; every round takes one leaf away, so it ends.
fn typed(leaves: &mut Leaves, defaults: &Leaves, mistakes: &mut Vec<Mistake>) -> Option<Settings> {
    loop {
        let track = serde_path_to_error::deserialize(Value::Table(nested(leaves)));
        let error: serde_path_to_error::Error<toml::de::Error> = match track {
            Ok(settings) => return Some(settings),
            Err(error) => error,
        };
        let path = error.path().to_string();
        let key = without_index(&path).to_owned();
        let what = plain(error.inner().message());
        mistakes.push(Mistake::new(origin(leaves, &key), path, what));
        match leaves.remove(&key) {
            Some(leaf) if leaf.origin != Origin::BuiltIn => {}
            _ => return None,
        }
        if let Some(default) = defaults.get(&key) {
            leaves.insert(key, default.clone());
        }
    }
}

fn nested(leaves: &Leaves) -> Table {
    let mut root = Table::new();
    for (key, Leaf { value, .. }) in leaves {
        insert(&mut root, key, value.clone());
    }
    root
}

fn insert(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => drop(table.insert(key.to_owned(), value)),
        Some((section, rest)) => {
            let section = table
                .entry(section)
                .or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(section) = section {
                insert(section, rest, value);
            }
        }
    }
}

fn without_index(key: &str) -> &str {
    key.split_once('[').map_or(key, |(key, _)| key)
}

fn origin(leaves: &Leaves, key: &str) -> Origin {
    leaves
        .get(without_index(key))
        .map_or(Origin::BuiltIn, |leaf| leaf.origin.clone())
}

/// Says what serde says in words that an operator expects after the key.
fn plain(message: &str) -> String {
    let number = [
        ("u16", u64::from(u16::MAX)),
        ("u32", u64::from(u32::MAX)),
        ("u64", u64::MAX),
    ];
    for (kind, largest) in number {
        if message.ends_with(&format!("expected {kind}")) {
            return format!("must be a whole number from 0 to {largest}");
        }
    }
    if let Some(choices) = message.strip_prefix("unknown variant ") {
        return match choices.split_once(", expected ") {
            Some((_, choices)) => format!("must be {}", choices.trim_start_matches("one of ")),
            None => format!("has an unknown value: {choices}"),
        };
    }
    if message.contains("socket address") {
        return "must be an address and a port, such as \"127.0.0.1:8080\" or \"[::]:8080\""
            .to_owned();
    }
    if message.contains("IP address") {
        return "must be a network, such as \"10.0.0.0/8\" or \"2001:db8::1/128\"".to_owned();
    }
    message.to_owned()
}
