//! A flag as flagd evaluates it: the same decision for everyone, or the reason why there is none.
//!
//! Targeting is `JsonLogic`: our rules in order become one `if`. Texts are compared as JavaScript writes them, in which both engines agree.

use serde_json::{Map, Value, json};

use super::{
    Compiled,
    buckets::Buckets,
    compile::{Choice, Variants},
    matcher::{Matcher, Subject, Test, TextTest},
    text::INHERITED,
    unleash::Reason,
};
use crate::actors::flags::fields::RolloutBy;

/// Fields of a context that are no properties of ours.
const NO_PROPERTIES: [&str; 4] = ["targetingKey", "email", "organizationId", "teamId"];
const USER: &str = "targetingKey";
const SESSION: &str = "sessionId";
const ON: &str = "on";
const OFF: &str = "off";

impl Compiled {
    /// The definition of it in flagd's format; `is_active` says whether it is evaluated there.
    ///
    /// # Errors
    /// The reason why flagd can't decide as we do, as the end of a sentence.
    pub fn flagd(&self, is_active: bool) -> Result<Value, Reason> {
        if !self.dependencies.is_empty() {
            return Err("it depends on other flags, and flagd knows no dependencies".into());
        }
        if self.payload.is_some() {
            return Err(
                "it has a payload, and metadata of flagd doesn't depend on the value".into(),
            );
        }
        let state = if is_active { "ENABLED" } else { "DISABLED" };
        let rules = self.rules.iter();
        let rules = rules.chain(self.groups.iter().flat_map(|group| &group.rules));
        let rules: Vec<_> = rules.collect();
        if let Choice::Variants { buckets, variants } = &self.choice {
            if !rules.is_empty() {
                return Err("its rules answer true or false instead of a variant".into());
            }
            let only = only_variant(buckets, variants)?;
            return Ok(
                json!({ "state": state, "variants": values(variants)?, "defaultVariant": only }),
            );
        }
        let mut branches = Vec::new();
        for (matcher, enabled) in rules {
            branches.push(condition(matcher)?);
            branches.push(name(*enabled));
        }
        let default = match &self.choice {
            Choice::Default(enabled) => json!(enabled),
            Choice::Rollout { buckets, by, below } => {
                let who = match by {
                    RolloutBy::User => None,
                    RolloutBy::Organization => Some("organizationId"),
                    RolloutBy::Team => Some("teamId"),
                };
                match buckets {
                    Buckets::Pharos(_) => among(None, buckets, f64::from(*below))?,
                    Buckets::Unleash(_) => among(who, buckets, f64::from(*below))?,
                }
            }
            Choice::Variants { .. } => json!(false),
        };
        let fallback = default.as_bool();
        if let (Some(enabled), true) = (fallback, branches.is_empty()) {
            return Ok(definition(state, name(enabled), None));
        }
        if fallback.is_none() {
            branches.extend([default, name(true)]);
        }
        let fallback = name(fallback.unwrap_or(false));
        branches.push(fallback.clone());
        Ok(definition(state, fallback, Some(json!({ "if": branches }))))
    }
}

fn definition(state: &str, default: Value, targeting: Option<Value>) -> Value {
    let mut flag = json!({
        "state": state, "variants": { ON: true, OFF: false }, "defaultVariant": default,
    });
    if let Some(targeting) = targeting {
        flag["targeting"] = targeting;
    }
    flag
}

/// The name of the variant of a flag that is on or off.
fn name(enabled: bool) -> Value {
    json!(if enabled { ON } else { OFF })
}

/// The variant that everybody gets.
fn only_variant<'v>(buckets: &Buckets, variants: &'v Variants) -> Result<&'v str, Reason> {
    if matches!(buckets, Buckets::Unleash(_)) {
        return Err(
            "it is off for a context without an ID, and its variants are no booleans".into(),
        );
    }
    variants.only().ok_or_else(other_buckets)
}

/// The values of all variants, which flagd wants to be of one type.
fn values(variants: &Variants) -> Result<Map<String, Value>, Reason> {
    let kinds = [
        Value::is_string,
        Value::is_number,
        Value::is_boolean,
        Value::is_object,
    ];
    if !kinds
        .iter()
        .any(|is_kind| variants.iter().all(|one| is_kind(&one.value)))
    {
        return Err(
            "its variants aren't all texts, all numbers, all booleans or all objects".into(),
        );
    }
    let each = variants.iter();
    Ok(each
        .map(|one| (one.key.to_string(), one.value.clone()))
        .collect())
}

fn other_buckets() -> Reason {
    "its percentages choose other people than those of flagd".into()
}

/// Whether somebody, or a property, is in a percentage that has nobody or everybody in it.
fn among(field: Option<&str>, buckets: &Buckets, below: f64) -> Result<Value, Reason> {
    let is_ours = matches!(buckets, Buckets::Pharos(_));
    // Our buckets are 0 to 99, and theirs 1 to 100.
    let (is_nobody, is_everybody) = if is_ours {
        (below <= 0.0, below > 99.0)
    } else {
        (below < 1.0, below >= 100.0)
    };
    if is_nobody {
        return Ok(json!(false));
    }
    if !is_everybody {
        return Err(other_buckets());
    }
    Ok(match (is_ours, field) {
        (true, None) => json!(true),
        (true, Some(field)) => exists(field),
        (false, None) => json!({ "or": [is_filled(USER), is_filled(SESSION)] }),
        (false, Some(field)) => is_filled(field),
    })
}

fn var(name: &str) -> Value {
    json!({ "var": name })
}

/// The value as a text.
fn text_of(name: &str) -> Value {
    json!({ "cat": [var(name), ""] })
}

fn exists(name: &str) -> Value {
    json!({ "!==": [var(name), null] })
}

fn is_filled(name: &str) -> Value {
    json!({ "and": [exists(name), { "!==": [text_of(name), ""] }] })
}

fn property(field: &str) -> Result<&str, Reason> {
    let is_taken = NO_PROPERTIES.contains(&field) || INHERITED.contains(&field);
    if is_taken || field.contains('.') || field.starts_with("__") || field.starts_with('$') {
        return Err(format!(
            "the property `{field}` has a name that flagd uses for something else"
        )
        .into());
    }
    Ok(field)
}

/// A compiled rule as a condition.
fn condition(matcher: &Matcher) -> Result<Value, Reason> {
    let inner = |some: &[Matcher]| some.iter().map(condition).collect::<Result<Vec<_>, _>>();
    Ok(match matcher {
        Matcher::Value(subject, test) => compare(subject, test)?,
        Matcher::Network(_) => return Err("a rule looks at the address of the request".into()),
        Matcher::Moment(Some(_), ..) => {
            return Err("flagd reads times in properties in another way".into());
        }
        Matcher::Moment(None, before, moment_ms) => {
            if moment_ms % 1_000 != 0 {
                return Err("a time isn't a whole second, and flagd counts seconds".into());
            }
            let operator = if *before { "<" } else { ">=" };
            json!({ operator: [var("$flagd.timestamp"), moment_ms / 1_000] })
        }
        Matcher::Share(field, buckets, below) => {
            among(field.as_deref().map(property).transpose()?, buckets, *below)?
        }
        Matcher::All(some) => json!({ "and": inner(some)? }),
        Matcher::Any(some) => json!({ "or": inner(some)? }),
        Matcher::Not(some) => json!({ "!": [{ "or": inner(some)? }] }),
        Matcher::Never => json!(false),
    })
}

/// A comparison of a value. An empty user ID or email is none.
fn compare(subject: &Subject, test: &Test) -> Result<Value, Reason> {
    let (name, is_there): (_, fn(&str) -> Value) = match subject {
        Subject::User => (USER, is_filled),
        Subject::Email => ("email", is_filled),
        Subject::Property(field) => (property(field)?, exists),
        Subject::Country | Subject::Device => {
            return Err("a rule looks at the country or device of the request".into());
        }
    };
    let when_there = |test: Value| json!({ "and": [is_there(name), test] });
    let is_one_of = |values: &[Value]| when_there(json!({ "or": same(name, values) }));
    let is_text = |values: &[&str]| when_there(json!({ "in": [text_of(name), values] }));
    Ok(match test {
        Test::Same(wanted) => is_one_of(std::slice::from_ref(wanted)),
        Test::OneOf(true, values) => is_one_of(values),
        Test::OneOf(false, values) => json!({ "!": [is_one_of(values)] }),
        Test::Batch(wanted, values) => {
            let mut values: Vec<&str> = values.iter().map(|value| &**value).collect();
            values.sort_unstable();
            let found = is_text(&values);
            if *wanted {
                found
            } else {
                json!({ "!": [found] })
            }
        }
        Test::Text(TextTest::Equals, values) => {
            let values: Vec<&str> = values.iter().map(|value| &**value).collect();
            is_text(&values)
        }
        // Every text has an empty one in it.
        Test::Text(_, values) if values.iter().any(|value| value.is_empty()) => is_there(name),
        Test::Text(test, values) => {
            let any = values.iter().map(|value| match test {
                TextTest::Starts => json!({ "starts_with": [text_of(name), value] }),
                TextTest::Ends => json!({ "ends_with": [text_of(name), value] }),
                TextTest::Contains | TextTest::Equals => json!({ "in": [value, text_of(name)] }),
            });
            when_there(json!({ "or": any.collect::<Vec<_>>() }))
        }
        Test::Exists(true) => is_there(name),
        Test::Exists(false) => json!({ "!": [is_there(name)] }),
        Test::Number(..) => return Err("flagd reads numbers in texts in another way".into()),
        Test::Version(..) => return Err("flagd knows only versions of three numbers".into()),
        Test::Pattern(_) => return Err("flagd knows no regular expressions".into()),
    })
}

/// Comparisons with values of the same type; what is made of others is never the same.
fn same(name: &str, values: &[Value]) -> Vec<Value> {
    let (texts, others): (Vec<&Value>, Vec<&Value>) =
        values.iter().partition(|one| one.is_string());
    let others = others
        .into_iter()
        .filter(|one| one.is_number() || one.is_boolean());
    let others = others.map(|one| json!({ "===": [var(name), one] }));
    let texts = (!texts.is_empty()).then(|| json!({ "in": [var(name), texts] }));
    texts.into_iter().chain(others).collect()
}
