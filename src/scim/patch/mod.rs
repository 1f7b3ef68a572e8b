//! Changes of a resource (RFC 7644, section 3.5.2), also as Okta and Entra ID write them.
//!
//! Where the specification leaves a choice, a change that names what a resource does not have is left out, because providers
//! send all that they know. A list that is named without brackets loses with `remove` what the value lists, or everything.

mod list;
mod operation;

use serde_json::{Map, Value};

use self::operation::{Operation, Verb};
use super::{Kind, ScimError, attributes::Attribute, filter::Filter};

/// Operations of a request.
const MAX_OPERATIONS: usize = 1000;

/// The changes of a request, in their order.
#[derive(Debug, Clone)]
pub struct Patch(Vec<Operation>);

/// Where an operation acts.
struct Target<'a> {
    attribute: &'static Attribute,
    part: Option<&'static str>,
    /// Which elements of a list.
    filter: Option<&'a Filter>,
}

impl Patch {
    /// Reads the body of a request.
    pub fn read(body: &Map<String, Value>) -> Result<Self, ScimError> {
        let operations = super::evaluate::get(body, "Operations").and_then(Value::as_array);
        let operations = operations.filter(|all| (1..=MAX_OPERATIONS).contains(&all.len()));
        let operations = operations.ok_or_else(|| {
            ScimError::Syntax(format!(
                "`Operations` must have 1 to {MAX_OPERATIONS} entries"
            ))
        })?;
        operations
            .iter()
            .map(Operation::read)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Changes the attributes of a resource of this kind.
    pub fn apply(&self, kind: Kind, fields: &mut Map<String, Value>) -> Result<(), ScimError> {
        for operation in &self.0 {
            operation.apply(kind, fields)?;
        }
        Ok(())
    }
}

impl Operation {
    fn apply(&self, kind: Kind, fields: &mut Map<String, Value>) -> Result<(), ScimError> {
        let Some(place) = &self.place else {
            return self.apply_to_all(kind, fields);
        };
        if place.path.name.eq_ignore_ascii_case("schemas") {
            return Ok(());
        }
        let Some((attribute, part)) = kind.find(&place.path) else {
            return Ok(());
        };
        if attribute.is_read_only {
            return Err(ScimError::ReadOnly(attribute.name.to_owned()));
        }
        let part = match &place.part {
            None => part,
            Some(name) => match attribute.part(name) {
                None => return Ok(()),
                known => known,
            },
        };
        let target = Target {
            attribute,
            part,
            filter: place.filter.as_ref(),
        };
        target.apply(self.verb, self.value.as_ref(), fields)
    }

    /// An operation without a path: its value has the attributes.
    fn apply_to_all(&self, kind: Kind, fields: &mut Map<String, Value>) -> Result<(), ScimError> {
        if self.verb == Verb::Remove {
            return Err(ScimError::NoTarget("`remove` needs a `path`"));
        }
        let Some(Value::Object(given)) = &self.value else {
            let why = "An operation without a `path` needs an object as its `value`";
            return Err(ScimError::Value(why.to_owned()));
        };
        for (name, value) in given {
            // Names with dots and schemas are paths, too.
            let Some(path) = super::AttributePath::parse(name) else {
                continue;
            };
            let known = kind
                .find(&path)
                .filter(|(attribute, _)| !attribute.is_read_only);
            if let Some((attribute, part)) = known {
                let target = Target {
                    attribute,
                    part,
                    filter: None,
                };
                target.apply(self.verb, Some(value), fields)?;
            }
        }
        Ok(())
    }
}

impl Target<'_> {
    fn apply(
        &self,
        verb: Verb,
        value: Option<&Value>,
        fields: &mut Map<String, Value>,
    ) -> Result<(), ScimError> {
        let name = self.attribute.name;
        if self.attribute.is_list {
            let before = fields.remove(name).unwrap_or_default();
            let mut elements = match before {
                Value::Array(elements) => elements,
                _ => Vec::new(),
            };
            let changed = self.apply_to_list(verb, value, &mut elements);
            if !elements.is_empty() {
                fields.insert(name.to_owned(), Value::Array(elements));
            }
            return changed;
        }
        if self.filter.is_some() {
            return Err(ScimError::Path(format!("`{name}` is no list")));
        }
        match (verb, self.part) {
            (Verb::Remove, None) => {
                fields.remove(name);
            }
            (Verb::Remove, Some(part)) => {
                if let Some(Value::Object(parts)) = fields.get_mut(name) {
                    parts.remove(part);
                }
            }
            (Verb::Add | Verb::Replace, part) => {
                let value = value.unwrap_or(&Value::Null);
                self.set(part, value, fields);
            }
        }
        Ok(())
    }

    /// Gives an attribute that is no list a value. The parts of an object are set one by one.
    fn set(&self, part: Option<&'static str>, value: &Value, fields: &mut Map<String, Value>) {
        let name = self.attribute.name;
        let given = match part {
            Some(part) => {
                let given = Map::from_iter([(part.to_owned(), value.clone())]);
                Some(Value::Object(given))
            }
            None => self.attribute.read(value),
        };
        match (given, fields.get_mut(name)) {
            (None, _) => {
                fields.remove(name);
            }
            (Some(Value::Object(given)), Some(Value::Object(own))) => own.extend(given),
            (Some(given), _) => {
                fields.insert(name.to_owned(), given);
            }
        }
    }
}
