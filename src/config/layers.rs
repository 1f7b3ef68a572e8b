//! The three layers (defaults, file, environment), each read into flat leaves that remember their origin.

use std::{collections::BTreeMap, ffi::OsString, path::Path, sync::Arc};

use toml::{
    Value,
    de::{DeTable, DeValue},
};

use super::{
    mistake::{Mistake, Origin, join_lines, line_at},
    shape::Shape,
};

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf {
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// Values by dotted key. No part of a key holds a dot.
pub(super) type Leaves = BTreeMap<String, Leaf>;

/// Reads the embedded defaults, which need no shape: they are the shape.
pub(super) fn defaults(text: &str) -> Result<Leaves, Mistake> {
    let parsed = text.parse();
    let table: toml::Table = parsed
        .map_err(|error: toml::de::Error| Mistake::new(Origin::BuiltIn, "", error.message()))?;
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
            let origin = Origin::BuiltIn;
            leaves.insert(key, Leaf { value, origin });
        }
    }
}

/// Reads the operator's file. Text that is no TOML yields its mistakes and no leaves.
pub(super) fn file(path: &Path, text: &[u8], shape: &Shape, mistakes: &mut Vec<Mistake>) -> Leaves {
    let path: Arc<Path> = path.into();
    let at = |offset: usize| Origin::File {
        path: path.clone(),
        line: line_at(text, offset),
    };
    let mut leaves = Leaves::new();
    let utf8 = match std::str::from_utf8(text) {
        Ok(utf8) => utf8,
        Err(error) => {
            let origin = at(error.valid_up_to());
            mistakes.push(Mistake::new(origin, "", "this line is not UTF-8 text"));
            return leaves;
        }
    };
    let (table, errors) = DeTable::parse_recoverable(utf8);
    if errors.is_empty() {
        let mut reader = FileReader {
            shape,
            at: &at,
            leaves: &mut leaves,
            mistakes,
        };
        reader.table("", table.get_ref());
    }
    mistakes.extend(errors.iter().map(|error| {
        let origin = at(error.span().map_or(0, |span| span.start));
        let what = format!("is no TOML: {}", join_lines(error.message()));
        Mistake::new(origin, "", what)
    }));
    leaves
}

struct FileReader<'a> {
    shape: &'a Shape,
    at: &'a dyn Fn(usize) -> Origin,
    leaves: &'a mut Leaves,
    mistakes: &'a mut Vec<Mistake>,
}

impl FileReader<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = join(prefix, name.get_ref());
            let origin = (self.at)(name.span().start);
            match value.get_ref() {
                DeValue::Table(table) if self.shape.is_section(&key) => self.table(&key, table),
                value => self.leaf(key, value, origin),
            }
        }
    }

    fn leaf(&mut self, key: String, value: &DeValue<'_>, origin: Origin) {
        match self.shape.kind(&key) {
            Some(kind) => match kind.read(value) {
                Some(value) => drop(self.leaves.insert(key, Leaf { value, origin })),
                None => self
                    .mistakes
                    .push(Mistake::new(origin, key, kind.expected())),
            },
            None => self.mistakes.push(unknown(self.shape, origin, &key)),
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
        let origin = Origin::Variable(name.to_string());
        let Some(kind) = shape.kind(&key) else {
            mistakes.push(unknown(shape, origin, &key));
            continue;
        };
        match value.to_str().and_then(|text| kind.read_variable(text)) {
            Some(value) => drop(leaves.insert(key, Leaf { value, origin })),
            None => mistakes.push(Mistake::new(origin, key, kind.expected_of_variable())),
        }
    }
    leaves
}

fn unknown(shape: &Shape, origin: Origin, key: &str) -> Mistake {
    let what = if shape.is_section(key) {
        "is a section, not a setting"
    } else {
        "is not a known setting"
    };
    let near = shape.nearest(key).filter(|near| near != key);
    Mistake {
        hint: near.map(|near| format!("did you mean `{near}`?")),
        ..Mistake::new(origin, key, what)
    }
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
