//! The three layers (defaults, file, environment), each read into flat leaves that remember their place.

use std::{collections::BTreeMap, ffi::OsString, path::Path, sync::Arc};

use toml::{
    Value,
    de::{DeTable, DeValue},
};

use super::{
    mistake::{Mistake, Place},
    shape::Shape,
};

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf {
    pub(super) value: Value,
    pub(super) place: Place,
}

/// Values by dotted key. No part of a key holds a dot.
pub(super) type Leaves = BTreeMap<String, Leaf>;

/// Reads the embedded defaults, which need no shape: they are the shape.
pub(super) fn defaults(text: &str) -> Result<Leaves, Mistake> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| Mistake {
        place: Place::BuiltIn,
        key: String::new(),
        what: error.message().to_owned(),
        hint: None,
    })?;
    let mut leaves = Leaves::new();
    flatten("", table, &mut leaves);
    Ok(leaves)
}

fn flatten(prefix: &str, table: toml::Table, leaves: &mut Leaves) {
    for (name, value) in table {
        let key = join(prefix, &name);
        if let Value::Table(table) = value {
            flatten(&key, table, leaves);
        } else {
            let place = Place::BuiltIn;
            leaves.insert(key, Leaf { value, place });
        }
    }
}

/// Reads the operator's file. Text that is no TOML yields its mistakes and no leaves.
pub(super) fn file(path: &Path, text: &[u8], shape: &Shape, mistakes: &mut Vec<Mistake>) -> Leaves {
    let path: Arc<Path> = path.into();
    let at = |offset: usize| Place::File {
        path: path.clone(),
        line: 1 + text
            .iter()
            .take(offset)
            .filter(|byte| **byte == b'\n')
            .count(),
    };
    let mut leaves = Leaves::new();
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => {
            let place = at(error.valid_up_to());
            mistakes.push(Mistake::new(place, "", "this line is not UTF-8 text"));
            return leaves;
        }
    };
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        let mut reading = Reading {
            shape,
            at: &at,
            leaves: &mut leaves,
            mistakes,
        };
        reading.table("", table.get_ref());
    }
    mistakes.extend(errors.iter().map(|error| {
        let place = at(error.span().map_or(0, |span| span.start));
        Mistake::new(
            place,
            "",
            format!("is no TOML: {}", one_line(error.message())),
        )
    }));
    leaves
}

struct Reading<'a> {
    shape: &'a Shape,
    at: &'a dyn Fn(usize) -> Place,
    leaves: &'a mut Leaves,
    mistakes: &'a mut Vec<Mistake>,
}

impl Reading<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = join(prefix, name.get_ref());
            let place = (self.at)(name.span().start);
            match value.get_ref() {
                DeValue::Table(table) if self.shape.is_section(&key) => self.table(&key, table),
                value => self.leaf(key, value, place),
            }
        }
    }

    fn leaf(&mut self, key: String, value: &DeValue<'_>, place: Place) {
        match self.shape.kind(&key) {
            Some(kind) => match kind.read(value) {
                Some(value) => drop(self.leaves.insert(key, Leaf { value, place })),
                None => self
                    .mistakes
                    .push(Mistake::new(place, key, kind.expected())),
            },
            None => self.mistakes.push(unknown(self.shape, place, &key)),
        }
    }
}

/// Reads the variables named `PHAROS__…`; all others are not ours.
pub(super) fn environment(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    shape: &Shape,
    mistakes: &mut Vec<Mistake>,
) -> Leaves {
    let mut leaves = Leaves::new();
    for (name, value) in variables {
        let name = name.to_string_lossy();
        let Some(path) = name.strip_prefix("PHAROS__") else {
            continue;
        };
        let key = path
            .to_lowercase()
            .split("__")
            .collect::<Vec<_>>()
            .join(".");
        let place = Place::Variable(name.to_string());
        let Some(kind) = shape.kind(&key) else {
            mistakes.push(unknown(shape, place, &key));
            continue;
        };
        match value.to_str().and_then(|text| kind.read_variable(text)) {
            Some(value) => drop(leaves.insert(key, Leaf { value, place })),
            None => mistakes.push(Mistake::new(place, key, kind.expected_of_variable())),
        }
    }
    leaves
}

fn unknown(shape: &Shape, place: Place, key: &str) -> Mistake {
    let mut mistake = if shape.is_section(key) {
        Mistake::new(place, key, "is a section, not a setting")
    } else {
        Mistake::new(place, key, "is not a known setting")
    };
    mistake.hint = shape
        .nearest(key)
        .filter(|near| near != key)
        .map(|near| format!("did you mean `{near}`?"));
    mistake
}

fn join(prefix: &str, name: &str) -> String {
    let plain = !name.is_empty() && !name.contains('.');
    let name = if plain {
        name.to_owned()
    } else {
        format!("{name:?}")
    };
    if prefix.is_empty() {
        name
    } else {
        format!("{prefix}.{name}")
    }
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(", ")
}
