//! Changes of lists: `emails`, `members`.

use serde_json::{Map, Value};

use super::{Target, operation::Verb};
use crate::scim::{
    ScimError,
    evaluate::{get, matches},
    filter::{Filter, Operator},
};

impl Target<'_> {
    pub(super) fn apply_to_list(
        &self,
        verb: Verb,
        value: Option<&Value>,
        elements: &mut Vec<Value>,
    ) -> Result<(), ScimError> {
        if verb == Verb::Remove {
            self.remove(value, elements);
            return Ok(());
        }
        let value = value.unwrap_or(&Value::Null);
        match (self.filter, self.part) {
            (None, None) => {
                if verb == Verb::Replace {
                    elements.clear();
                }
                let given = self.attribute.read(value);
                for element in given.into_iter().flat_map(into_elements) {
                    insert(elements, element);
                }
            }
            (None, Some(part)) => {
                if elements.is_empty() {
                    elements.push(Value::Object(Map::new()));
                }
                for element in elements.iter_mut() {
                    set(element, part, value);
                }
            }
            (Some(filter), part) => {
                if !elements.iter().any(|element| fits(filter, element)) {
                    if verb == Verb::Replace {
                        return Err(ScimError::NoTarget(
                            "No element fits the filter of the path",
                        ));
                    }
                    elements.push(Value::Object(element_of(filter)));
                }
                let chosen: Vec<bool> = elements.iter().map(|one| fits(filter, one)).collect();
                let read = self.attribute.read_element(value);
                for at in (0..elements.len()).filter(|at| chosen[*at]) {
                    match (part, &read) {
                        (Some(part), _) => set(&mut elements[at], part, value),
                        (None, Some(given)) => merge(&mut elements[at], given),
                        (None, None) => {}
                    }
                    keep_one_primary(elements, at);
                }
            }
        }
        Ok(())
    }

    fn remove(&self, value: Option<&Value>, elements: &mut Vec<Value>) {
        let listed = value.and_then(|value| self.attribute.read(value));
        match (self.filter, self.part, listed) {
            (None, None, Some(listed)) => {
                let gone: Vec<Value> = into_elements(listed).collect();
                elements.retain(|one| !gone.iter().any(|other| is_same(one, other)));
            }
            (filter, None, _) => {
                elements.retain(|one| filter.is_some_and(|filter| !fits(filter, one)));
            }
            (filter, Some(part), _) => {
                let chosen = |one: &&mut Value| filter.is_none_or(|filter| fits(filter, one));
                for element in elements.iter_mut().filter(chosen) {
                    set(element, part, &Value::Null);
                }
            }
        }
    }
}

fn into_elements(value: Value) -> impl Iterator<Item = Value> {
    let all = match value {
        Value::Array(all) => all,
        one => vec![one],
    };
    all.into_iter()
}

fn fits(filter: &Filter, element: &Value) -> bool {
    element
        .as_object()
        .is_some_and(|fields| matches(filter, fields))
}

/// Whether two elements are about the same.
fn is_same(one: &Value, other: &Value) -> bool {
    one["value"] == other["value"] && (one["type"] == other["type"] || other["type"].is_null())
}

/// Adds an element, unless it is there already.
fn insert(elements: &mut Vec<Value>, element: Value) {
    let known = elements.iter().position(|one| is_same(one, &element));
    let at = known.unwrap_or(elements.len());
    if known.is_some() {
        merge(&mut elements[at], &element);
    } else {
        elements.push(element);
    }
    keep_one_primary(elements, at);
}

fn merge(element: &mut Value, given: &Value) {
    match (element, given) {
        (Value::Object(own), Value::Object(given)) => own.extend(given.clone()),
        (element, given) => *element = given.clone(),
    }
}

fn set(element: &mut Value, part: &str, value: &Value) {
    if let Value::Object(fields) = element {
        if value.is_null() {
            fields.remove(part);
        } else {
            fields.insert(part.to_owned(), value.clone());
        }
    }
}

/// The last element that says that it is the primary one is.
fn keep_one_primary(elements: &mut [Value], at: usize) {
    let is_primary = |element: &Value| element["primary"] == true || element["primary"] == "True";
    if !is_primary(&elements[at]) {
        return;
    }
    for (other, element) in elements.iter_mut().enumerate() {
        if other != at && is_primary(element) {
            set(element, "primary", &Value::Bool(false));
        }
    }
}

/// What an element has that a filter of equalities describes.
fn element_of(filter: &Filter) -> Map<String, Value> {
    let mut fields = Map::new();
    let parts = match filter {
        Filter::All(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    for part in parts {
        if let Filter::Compare(path, Operator::Eq, value) = part
            && get(&fields, &path.name).is_none()
        {
            fields.insert(path.name.to_ascii_lowercase(), value.clone());
        }
    }
    fields
}
