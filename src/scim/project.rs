//! Which attributes an answer has (RFC 7644, section 3.9).

use serde_json::{Map, Value};

use super::{AttributePath, Kind};

/// Attributes that every answer has.
const ALWAYS: [&str; 2] = ["schemas", "id"];

/// The attributes that a client wants, or does not want.
#[derive(Debug, Clone, Default)]
pub struct Projection {
    wanted: Option<Vec<AttributePath>>,
    unwanted: Vec<AttributePath>,
}

impl Projection {
    /// Reads `attributes` and `excludedAttributes`. Names that are none are left out.
    pub fn new<'a>(
        wanted: Option<impl IntoIterator<Item = &'a str>>,
        unwanted: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let paths = |names: &mut dyn Iterator<Item = &'a str>| {
            let paths = names.filter_map(|name| AttributePath::parse(name.trim()));
            paths.collect::<Vec<_>>()
        };
        let wanted = wanted.map(|names| paths(&mut names.into_iter()));
        Self {
            wanted: wanted.filter(|names| !names.is_empty()),
            unwanted: paths(&mut unwanted.into_iter()),
        }
    }

    /// Leaves of a resource what the client wants.
    pub fn apply(&self, kind: Kind, fields: &mut Map<String, Value>) {
        if let Some(wanted) = &self.wanted {
            let before = std::mem::take(fields);
            for (name, value) in before {
                let known = wanted.iter().filter_map(|path| kind.find(path));
                let own = known.filter(|(attribute, _)| attribute.name == name);
                let own: Vec<_> = own.map(|(_, part)| part).collect();
                if ALWAYS.contains(&&*name) || own.iter().any(Option::is_none) {
                    fields.insert(name, value);
                } else if !own.is_empty() {
                    let parts: Vec<_> = own.into_iter().flatten().collect();
                    fields.insert(name, keep(value, &|part| parts.contains(&part)));
                }
            }
        }
        for path in &self.unwanted {
            let Some((attribute, part)) = kind.find(path) else {
                continue;
            };
            if ALWAYS.contains(&attribute.name) {
                continue;
            }
            match part {
                None => {
                    fields.remove(attribute.name);
                }
                Some(part) => {
                    if let Some(value) = fields.remove(attribute.name) {
                        let kept = keep(value, &|own| own != part);
                        fields.insert(attribute.name.to_owned(), kept);
                    }
                }
            }
        }
    }
}

/// A complex value with the parts that `is_kept` names.
fn keep(value: Value, is_kept: &dyn Fn(&str) -> bool) -> Value {
    match value {
        Value::Array(all) => all.into_iter().map(|one| keep(one, is_kept)).collect(),
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(name, _)| is_kept(name));
            Value::Object(kept.collect())
        }
        other => other,
    }
}
