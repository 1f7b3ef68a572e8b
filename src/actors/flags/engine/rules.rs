//! Compiles one rule. Rules that upstream accepts and never matches are accepted here too; our extensions have to be valid.

use std::{net::IpAddr, sync::Arc};

use ipnet::IpNet;
use regex::RegexBuilder;
use serde_json::Value;

use super::{
    Operator, Rule, RuleKind,
    buckets::Buckets,
    hash::Prefix,
    matcher::{Matcher, Side, Subject, Test, TextTest},
    text::{number, text, time},
    version::version,
};
use crate::fault::Issue;

const MAX_DEPTH: usize = 8;
/// Bytes of a compiled expression.
const MAX_PATTERN: usize = 256 << 10;

/// The path of a rule in the request.
pub(super) struct RulePath<'f> {
    path: String,
    depth: usize,
    /// The group of Unleash's buckets that percentages are of.
    group: Option<&'f str>,
}

impl<'f> RulePath<'f> {
    pub(super) fn root(path: &str, group: Option<&'f str>) -> Self {
        Self {
            path: path.to_owned(),
            depth: 0,
            group,
        }
    }

    pub(super) fn at(&self, index: usize) -> Self {
        Self {
            path: format!("{}.{index}", self.path),
            depth: self.depth + 1,
            group: self.group,
        }
    }

    fn below(&self, field: &str) -> Self {
        Self {
            path: format!("{}.{field}", self.path),
            depth: self.depth,
            group: self.group,
        }
    }

    /// The buckets of people, or of those with the same property.
    fn buckets(&self, field: Option<&str>) -> Buckets {
        let prefix = Prefix::new("percentage:");
        match (self.group, field) {
            (Some(group), _) => Buckets::Unleash(group.into()),
            (None, None) => Buckets::Pharos(prefix),
            (None, Some(field)) => Buckets::Pharos(prefix.then(field).then(":")),
        }
    }

    fn refuse(&self, field: &str, message: impl Into<String>, issues: &mut Vec<Issue>) -> Matcher {
        let path = format!("{}.{field}", self.path);
        issues.push(Issue::new("invalid_rule", path, message));
        Matcher::Never
    }
}

/// The compiled rule. Errors go to `issues`.
pub(super) fn matcher(rule: &Rule, path: &RulePath<'_>, issues: &mut Vec<Issue>) -> Matcher {
    match rule.kind {
        RuleKind::All | RuleKind::Any | RuleKind::Not => nested(rule, path, issues),
        RuleKind::Percentage => share(rule, path, issues),
        RuleKind::Ip => network(rule, path, issues),
        RuleKind::Time => moment(rule, None, path, issues),
        RuleKind::UserId => value(rule, Subject::User, path, issues),
        RuleKind::Email => value(rule, Subject::Email, path, issues),
        RuleKind::Country => value(rule, Subject::Country, path, issues),
        RuleKind::Device => value(rule, Subject::Device, path, issues),
        RuleKind::Property => match rule.field.as_deref().filter(|field| !field.is_empty()) {
            Some(field) => value(rule, Subject::Property(field.into()), path, issues),
            // A percentage by person, as upstream writes it.
            None => match &rule.value {
                Some(Value::Number(below)) => {
                    Matcher::Share(None, path.buckets(None), below.as_f64().unwrap_or(0.0))
                }
                _ => Matcher::Never,
            },
        },
    }
}

fn nested(rule: &Rule, path: &RulePath<'_>, issues: &mut Vec<Issue>) -> Matcher {
    let rules = rule.rules.as_deref().unwrap_or_default();
    if rules.is_empty() {
        return path.refuse("rules", "add at least one rule", issues);
    }
    if path.depth >= MAX_DEPTH {
        let message = format!("rules can be nested at most {MAX_DEPTH} levels deep");
        return path.refuse("rules", message, issues);
    }
    let below = path.below("rules");
    let inner = rules.iter().enumerate();
    let inner = inner.map(|(at, rule)| matcher(rule, &below.at(at), issues));
    let inner = inner.collect();
    match rule.kind {
        RuleKind::All => Matcher::All(inner),
        RuleKind::Any => Matcher::Any(inner),
        _ => Matcher::Not(inner),
    }
}

fn share(rule: &Rule, path: &RulePath<'_>, issues: &mut Vec<Issue>) -> Matcher {
    let percentage = rule.value.as_ref().and_then(number);
    let Some(below) = percentage.filter(|below| (0.0..=100.0).contains(below)) else {
        return path.refuse("value", "expected a percentage from 0 to 100", issues);
    };
    let field = rule.field.as_deref().filter(|field| !field.is_empty());
    Matcher::Share(field.map(Into::into), path.buckets(field), below)
}

fn network(rule: &Rule, path: &RulePath<'_>, issues: &mut Vec<Issue>) -> Matcher {
    if !matches!(
        rule.operator,
        None | Some(Operator::In | Operator::InNetwork)
    ) {
        return path.refuse("operator", "addresses are compared by `in_network`", issues);
    }
    let networks = rule.values.iter().flatten().chain(&rule.value);
    let networks: Option<Box<[IpNet]>> = networks.map(parse_network).collect();
    let networks = networks.filter(|networks| !networks.is_empty());
    networks.map_or_else(
        || {
            let message = "expected networks such as 192.0.2.0/24 or 2001:db8::/32";
            path.refuse("values", message, issues)
        },
        Matcher::Network,
    )
}

fn parse_network(value: &Value) -> Option<IpNet> {
    let text = value.as_str()?.trim();
    let network: Option<IpNet> = text.parse().ok();
    network.or_else(|| Some(text.parse::<IpAddr>().ok()?.into()))
}

fn moment(
    rule: &Rule,
    field: Option<&str>,
    path: &RulePath<'_>,
    issues: &mut Vec<Issue>,
) -> Matcher {
    let before = match rule.operator {
        Some(Operator::Before) => true,
        Some(Operator::After) => false,
        _ => return path.refuse("operator", "times are `before` or `after`", issues),
    };
    let moment = rule.value.as_ref().and_then(time);
    let message = "expected a time such as 2026-12-31T23:59:59Z";
    moment.map_or_else(
        || path.refuse("value", message, issues),
        |moment| Matcher::Moment(field.map(Into::into), before, moment),
    )
}

fn value(rule: &Rule, subject: Subject, path: &RulePath<'_>, issues: &mut Vec<Issue>) -> Matcher {
    use Operator as O;
    let Some(operator) = rule.operator else {
        return path.refuse("operator", "choose an operator, such as `equals`", issues);
    };
    if let (O::Before | O::After, Subject::Property(field)) = (operator, &subject) {
        return moment(rule, Some(field), path, issues);
    }
    let batch = rule.batch_values.as_deref().unwrap_or_default();
    if rule.batch && !batch.is_empty() {
        let test = batch_test(operator, batch);
        return test.map_or(Matcher::Never, |test| Matcher::Value(subject, test));
    }
    let is_property = matches!(subject, Subject::Property(_));
    let wanted = rule.value.as_ref();
    let values = || rule.values.clone().unwrap_or_default().into();
    let like = |test| wanted.map(|wanted| Test::Text(test, [text(wanted).into()].into()));
    let test = match operator {
        O::Equals => wanted.map(|wanted| Test::Same(wanted.clone())),
        O::Contains => like(TextTest::Contains),
        O::In => Some(Test::OneOf(true, values())),
        // A missing user id or email never matches, unlike a missing property.
        O::NotIn if matches!(subject, Subject::User | Subject::Email) => {
            let is_there = Matcher::Value(subject.clone(), Test::Exists(true));
            let none_of = Matcher::Value(subject, Test::OneOf(false, values()));
            return Matcher::All([is_there, none_of].into());
        }
        O::NotIn => Some(Test::OneOf(false, values())),
        // Upstream compares properties in no other way.
        O::StartsWith | O::EndsWith if is_property => None,
        O::StartsWith => like(TextTest::Starts),
        O::EndsWith => like(TextTest::Ends),
        O::Exists if is_property => Some(Test::Exists(true)),
        O::NotExists if is_property => Some(Test::Exists(false)),
        O::Exists | O::NotExists => None,
        _ => match extended_test(operator, wanted) {
            Ok(test) => Some(test),
            Err((field, message)) => return path.refuse(field, message, issues),
        },
    };
    test.map_or(Matcher::Never, |test| Matcher::Value(subject, test))
}

fn batch_test(operator: Operator, values: &[String]) -> Option<Test> {
    let texts = || values.iter().map(|text| Box::<str>::from(text.as_str()));
    let any = |test| Some(Test::Text(test, texts().collect()));
    match operator {
        Operator::In => Some(Test::Batch(true, Arc::new(texts().collect()))),
        Operator::NotIn => Some(Test::Batch(false, Arc::new(texts().collect()))),
        Operator::Equals => any(TextTest::Equals),
        Operator::Contains => any(TextTest::Contains),
        Operator::StartsWith => any(TextTest::Starts),
        Operator::EndsWith => any(TextTest::Ends),
        _ => None,
    }
}

/// Comparisons that upstream does not have.
fn extended_test(
    operator: Operator,
    wanted: Option<&Value>,
) -> Result<Test, (&'static str, String)> {
    use Operator as O;
    let side = match operator {
        O::GreaterThan | O::VersionGreaterThan => Side::Above,
        O::GreaterOrEqual | O::VersionGreaterOrEqual => Side::AtLeast,
        O::LessThan | O::VersionLessThan => Side::Below,
        O::LessOrEqual | O::VersionLessOrEqual => Side::AtMost,
        _ => Side::At,
    };
    match operator {
        O::GreaterThan | O::GreaterOrEqual | O::LessThan | O::LessOrEqual => wanted
            .and_then(number)
            .map(|wanted| Test::Number(side, wanted))
            .ok_or_else(|| ("value", "expected a number".to_owned())),
        O::VersionEquals
        | O::VersionGreaterThan
        | O::VersionGreaterOrEqual
        | O::VersionLessThan
        | O::VersionLessOrEqual => wanted
            .and_then(|wanted| version(&text(wanted)))
            .map(|wanted| Test::Version(side, wanted))
            .ok_or_else(|| ("value", "expected a version such as 1.4.0".to_owned())),
        O::Matches => {
            let pattern = wanted.and_then(Value::as_str).unwrap_or_default();
            let pattern = RegexBuilder::new(pattern).size_limit(MAX_PATTERN).build();
            pattern
                .map(Test::Pattern)
                .map_err(|error| ("value", format!("not a regular expression: {error}")))
        }
        O::InNetwork => Err((
            "type",
            "only rules of type `ip` compare networks".to_owned(),
        )),
        _ => Err((
            "operator",
            "only properties and rules of type `time` compare times".to_owned(),
        )),
    }
}
