//! Whether a value is what a schema says: as much of JSON Schema 2020-12 as our own schemas use. A rule that is not known here fails.

mod rules;
#[cfg(test)]
mod tests;
mod walk;

use std::{collections::BTreeSet, rc::Rc};

use serde_json::Value;

pub use walk::every;

/// Finds what a `$ref` names, such as `#/components/schemas/Link`.
pub type Find<'a> = dyn Fn(&str) -> Rc<Value> + 'a;

/// Checks values against schemas.
#[derive(Clone, Copy)]
pub struct Checker<'a> {
    find: &'a Find<'a>,
    /// Whether a member that no schema names is wrong, even where the standard lets it pass.
    strict: bool,
}

/// What is wrong with a value, place by place; nothing when all of it fits, members without a description too.
pub fn find_mismatches(schema: &Value, value: &Value) -> Vec<String> {
    let find = |path: &str| {
        let target = path.strip_prefix('#').and_then(|path| schema.pointer(path));
        Rc::new(
            target
                .unwrap_or_else(|| panic!("{path} leads nowhere"))
                .clone(),
        )
    };
    Checker::new(&find, true).check(schema, value, "")
}

/// What the schemas of one place say about one value.
#[derive(Debug, Default)]
struct Outcome {
    wrong: Vec<String>,
    /// Members of an object that a schema describes.
    named: BTreeSet<String>,
    /// Whether any further member is described as well.
    open: bool,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.wrong.extend(other.wrong);
        self.named.extend(other.named);
        self.open |= other.open;
    }
}

impl<'a> Checker<'a> {
    pub fn new(find: &'a Find<'a>, strict: bool) -> Self {
        Self { find, strict }
    }

    /// What is wrong, place by place.
    pub fn check(self, schema: &Value, value: &Value, place: &str) -> Vec<String> {
        let mut outcome = self.apply(schema, value, place);
        if let (Some(members), true) = (value.as_object(), self.strict && !outcome.open) {
            let unnamed = members.keys().filter(|name| !outcome.named.contains(*name));
            let unnamed: Vec<String> = unnamed
                .map(|name| format!("{place}/{name}: not in the schema"))
                .collect();
            outcome.wrong.extend(unnamed);
        }
        outcome.wrong
    }

    /// Applies a schema and those that it refers to for the same value.
    fn apply(self, schema: &Value, value: &Value, place: &str) -> Outcome {
        let mut outcome = Outcome::default();
        let object = match schema {
            Value::Bool(true) => {
                outcome.open = true;
                return outcome;
            }
            Value::Bool(false) => {
                outcome
                    .wrong
                    .push(format!("{place}: there must be nothing"));
                return outcome;
            }
            object => object.as_object().unwrap(),
        };
        // What says nothing about members leaves them open; `type: object` by itself forgot them.
        outcome.open = !object.keys().any(|rule| rules::is_about_members(rule));
        for (rule, says) in object {
            let rule = rule.as_str();
            if !rules::is_kept((rule, says), value) {
                let shown: String = value.to_string().chars().take(200).collect();
                outcome
                    .wrong
                    .push(format!("{place}: {shown} is not {rule} {says}"));
            }
            self.descend(schema, (rule, says), value, place, &mut outcome);
        }
        if object.get("unevaluatedProperties") == Some(&Value::Bool(false)) && !outcome.open {
            for name in value
                .as_object()
                .into_iter()
                .flat_map(|members| members.keys())
            {
                if !outcome.named.contains(name) {
                    outcome.wrong.push(format!("{place}/{name}: not allowed"));
                }
            }
        }
        outcome
    }

    /// Goes on with what a rule says about something else: another schema, a member, an item.
    fn descend(
        self,
        schema: &Value,
        (rule, says): (&str, &Value),
        value: &Value,
        place: &str,
        outcome: &mut Outcome,
    ) {
        let members = || value.as_object().into_iter().flatten();
        match rule {
            "$ref" => {
                let referred = (self.find)(says.as_str().unwrap());
                outcome.add(self.apply(&referred, value, place));
            }
            "allOf" => {
                for one in says.as_array().unwrap() {
                    outcome.add(self.apply(one, value, place));
                }
            }
            "anyOf" => outcome.add(self.any(says.as_array().unwrap(), value, place)),
            "oneOf" => outcome.add(self.exactly_one(says.as_array().unwrap(), value, place)),
            "not" => {
                let fits = self.lenient().apply(says, value, place).wrong.is_empty();
                let wrong = fits.then(|| format!("{place}: {value} is what must not be"));
                outcome.wrong.extend(wrong);
            }
            "properties" => {
                for (name, member) in members() {
                    if let Some(schema) = says.get(name) {
                        outcome.named.insert(name.clone());
                        let place = format!("{place}/{name}");
                        outcome.wrong.extend(self.check(schema, member, &place));
                    }
                }
            }
            "additionalProperties" => {
                for (name, member) in members() {
                    if schema["properties"].get(name).is_none() {
                        outcome.named.insert(name.clone());
                        let place = format!("{place}/{name}");
                        outcome.wrong.extend(self.check(says, member, &place));
                    }
                }
            }
            "propertyNames" => {
                for (name, _) in members() {
                    let name = Value::from(name.as_str());
                    outcome.wrong.extend(self.check(says, &name, place));
                }
            }
            "items" => {
                for (nth, item) in value.as_array().into_iter().flatten().enumerate() {
                    let place = format!("{place}/{nth}");
                    outcome.wrong.extend(self.check(says, item, &place));
                }
            }
            _ => {}
        }
    }

    /// All branches that fit describe the value; when none does, what is wrong with the nearest.
    fn any(self, branches: &[Value], value: &Value, place: &str) -> Outcome {
        let outcomes = branches
            .iter()
            .map(|branch| self.apply(branch, value, place));
        let (fits, misses): (Vec<_>, Vec<_>) =
            outcomes.partition(|outcome| outcome.wrong.is_empty());
        if fits.is_empty() {
            return nearest(misses);
        }
        fits.into_iter().fold(Outcome::default(), |mut all, one| {
            all.add(one);
            all
        })
    }

    /// Just one branch may fit, by the standard's measure; by ours, that one has to.
    fn exactly_one(self, branches: &[Value], value: &Value, place: &str) -> Outcome {
        let fits = |branch: &&Value| {
            let lenient = self.lenient().apply(branch, value, place);
            lenient.wrong.is_empty()
        };
        let fitting: Vec<&Value> = branches.iter().filter(fits).collect();
        match fitting.as_slice() {
            [] => nearest(
                branches
                    .iter()
                    .map(|branch| self.apply(branch, value, place))
                    .collect(),
            ),
            [one] => self.apply(one, value, place),
            several => {
                let wrong = format!("{place}: {} branches of oneOf fit {value}", several.len());
                Outcome {
                    wrong: vec![wrong],
                    open: true,
                    ..Outcome::default()
                }
            }
        }
    }

    fn lenient(self) -> Self {
        Self {
            strict: false,
            ..self
        }
    }
}

/// The outcome with the fewest mistakes, of those the one that got furthest.
fn nearest(outcomes: Vec<Outcome>) -> Outcome {
    let depth = |outcome: &Outcome| {
        let places = outcome
            .wrong
            .iter()
            .map(|wrong| wrong.split(':').next().unwrap_or_default());
        places.map(|place| place.matches('/').count()).max()
    };
    let best = outcomes
        .into_iter()
        .min_by_key(|outcome| (outcome.wrong.len(), std::cmp::Reverse(depth(outcome))));
    best.unwrap_or_default()
}
