//! Rules of ours, as the readers build them.

use serde_json::Value;

use crate::actors::flags::engine::{Operator, Rule, RuleKind};

/// A rule that looks at one thing.
pub(super) fn leaf(kind: RuleKind, operator: Option<Operator>) -> Rule {
    Rule {
        kind,
        operator,
        field: None,
        value: None,
        values: None,
        rules: None,
        enabled: true,
        batch: false,
        batch_values: None,
    }
}

/// A rule that is made of others.
pub(super) fn nest(kind: RuleKind, rules: Vec<Rule>) -> Rule {
    Rule {
        rules: Some(rules),
        ..leaf(kind, None)
    }
}

pub(super) fn not(rule: Rule) -> Rule {
    nest(RuleKind::Not, vec![rule])
}

/// Whether a person is there or not.
pub(super) fn everybody() -> Rule {
    Rule {
        value: Some(Value::from(100)),
        ..leaf(RuleKind::Percentage, None)
    }
}

pub(super) fn nobody() -> Rule {
    not(everybody())
}

/// All of these; everybody, if there are none.
pub(super) fn all(mut rules: Vec<Rule>) -> Rule {
    match rules.len() {
        0 => everybody(),
        1 => rules.remove(0),
        _ => nest(RuleKind::All, rules),
    }
}

/// Whether a value of the context is there: of the user and the email, that it is none of no values.
pub(super) fn is_there(name: &str, users: &[&str]) -> Rule {
    let rule = about(name, users, Operator::NotIn);
    if rule.kind != RuleKind::Property {
        return Rule {
            values: Some(Vec::new()),
            ..rule
        };
    }
    let is_null = Rule {
        value: Some(Value::Null),
        ..about(name, users, Operator::Equals)
    };
    all(vec![about(name, users, Operator::Exists), not(is_null)])
}

/// What a value of the context is called here: the user, the email, or a property.
pub(super) fn about(name: &str, users: &[&str], operator: Operator) -> Rule {
    if users.contains(&name) {
        return leaf(RuleKind::UserId, Some(operator));
    }
    if name == "email" {
        return leaf(RuleKind::Email, Some(operator));
    }
    Rule {
        field: Some(name.to_owned()),
        ..leaf(RuleKind::Property, Some(operator))
    }
}
