//! What is saved, as a question to the event store (pure).

use super::fields::{
    CountBy, FilterSpec, FunnelFields, GoalFields, Operator, StepSpec, StepType, Values,
};
use crate::{
    actors::issues::Issues,
    analytics::{
        catalogue::{Field, STEPS, TRAIT, Values as Kind},
        funnel::{Condition, Each, Funnel, NamePattern, Step, StepTarget},
        nearest,
        request::{Filter, MAX_FILTERS, MAX_VALUES, Op},
    },
    fault::Issue,
};

/// Characters of a value, a target or a key.
const MAX_TEXT: usize = 2_048;

/// A goal as a funnel of one step.
///
/// # Errors
/// Every field that makes no question, by its place.
pub fn goal(fields: &GoalFields) -> Result<Funnel, Vec<Issue>> {
    let mut issues = Issues::default();
    let target = parse_target(fields.kind, &fields.target, "target", &mut issues);
    let filters = all(fields.filters.as_deref(), "filters", &mut issues);
    let step = target.map(|target| Step {
        target,
        conditions: Vec::new(),
    });
    issues.finish(Funnel {
        steps: step.into_iter().collect(),
        filters,
        each: each(fields.count_by),
        window_ms: None,
    })
}

/// A funnel.
///
/// # Errors
/// Every field that makes no question, by its place.
pub fn funnel(fields: &FunnelFields) -> Result<Funnel, Vec<Issue>> {
    let mut issues = Issues::default();
    let steps = fields.steps.iter().enumerate();
    let steps = steps
        .filter_map(|(place, spec)| step(spec, &format!("steps[{place}]"), &mut issues))
        .collect();
    let filters = all(fields.filters.as_deref(), "filters", &mut issues);
    let seconds = fields.window_seconds;
    let window_ms =
        seconds.map(|seconds| i64::try_from(seconds).unwrap_or(i64::MAX / 1_000) * 1_000);
    issues.finish(Funnel {
        steps,
        filters,
        each: each(fields.count_by),
        window_ms,
    })
}

/// Filters of people's events.
pub fn filters(specs: &[FilterSpec], place: &str) -> Result<Vec<Filter>, Vec<Issue>> {
    let mut issues = Issues::default();
    let filters = all(Some(specs), place, &mut issues);
    issues.finish(filters)
}

const fn each(by: CountBy) -> Each {
    match by {
        CountBy::Visitor => Each::Visitor,
        CountBy::Session => Each::Session,
    }
}

fn step(spec: &StepSpec, place: &str, issues: &mut Issues) -> Option<Step> {
    let target = parse_target(spec.kind, &spec.target, &format!("{place}.target"), issues);
    let specs = spec.conditions.as_deref().unwrap_or_default();
    few(specs, &format!("{place}.conditions"), issues);
    let conditions = specs.iter().enumerate().filter_map(|(index, spec)| {
        let place = format!("{place}.conditions[{index}]");
        if let Some(key) = spec.field.strip_prefix("property:") {
            let (op, values) = compared(spec, &place, issues)?;
            let key = text(key, &format!("{place}.field"), issues)?.to_owned();
            return Some(Condition::Property { key, op, values });
        }
        let filter = filter(spec, &place, issues)?;
        if filter.field.values == Kind::Trait {
            let message = "a step is about an event: filter people by traits in `filters`";
            issues.refuse("invalid_value", &format!("{place}.field"), message);
            return None;
        }
        Some(Condition::Field(filter))
    });
    let conditions = conditions.collect();
    Some(Step {
        target: target?,
        conditions,
    })
}

fn parse_target(
    kind: StepType,
    target: &str,
    place: &str,
    issues: &mut Issues,
) -> Option<StepTarget> {
    let target = text(target.trim(), place, issues)?;
    let found = match kind {
        StepType::PageView => NamePattern::path(target).map(StepTarget::View),
        StepType::Event | StepType::Custom => NamePattern::name(target).map(StepTarget::Event),
    };
    issues.accept(found, "invalid_value", place)
}

fn text<'t>(text: &'t str, place: &str, issues: &mut Issues) -> Option<&'t str> {
    let fits = (1..=MAX_TEXT).contains(&text.chars().count());
    if !fits || text.chars().any(char::is_control) {
        let message = format!("has 1 to {MAX_TEXT} characters and no control characters");
        issues.refuse("invalid_value", place, message);
        return None;
    }
    Some(text)
}

fn few(specs: &[FilterSpec], place: &str, issues: &mut Issues) {
    let message = format!("at most {MAX_FILTERS} filters");
    issues.require(specs.len() <= MAX_FILTERS, "too_many", place, message);
}

fn all(specs: Option<&[FilterSpec]>, place: &str, issues: &mut Issues) -> Vec<Filter> {
    let specs = specs.unwrap_or_default();
    few(specs, place, issues);
    let each = specs.iter().enumerate();
    each.filter_map(|(index, spec)| filter(spec, &format!("{place}[{index}]"), issues))
        .collect()
}

fn filter(spec: &FilterSpec, place: &str, issues: &mut Issues) -> Option<Filter> {
    let known = || STEPS.filter_fields();
    let key = spec.field.strip_prefix("trait:");
    let found = match key {
        Some(_) => Some(&TRAIT),
        None => known().find(|field| field.name == spec.field),
    };
    let Some(field) = found else {
        let message = format!("there is no filter field `{}`", shortened(&spec.field));
        let meant = nearest(&spec.field, known().map(|field| field.name));
        let suggestion = meant.map(|name| format!("Did you mean '{name}'?"));
        let issue = Issue::new("unknown", format!("{place}.field"), message);
        issues.extend(vec![issue.suggest(suggestion)]);
        return None;
    };
    let (op, values) = compared(spec, place, issues)?;
    if !comparable(field, op) {
        let message = format!(
            "`{}` can be compared as a whole only",
            shortened(&spec.field)
        );
        issues.refuse("invalid_value", &format!("{place}.operator"), message);
        return None;
    }
    Some(Filter {
        field,
        op,
        values,
        key: key.map(str::to_owned),
    })
}

fn shortened(name: &str) -> String {
    name.chars().take(100).collect()
}

/// Whether the operator says anything about values of this kind.
fn comparable(field: &Field, op: Op) -> bool {
    let exact = matches!(op, Op::Eq | Op::Ne | Op::In | Op::NotIn);
    match field.values {
        Kind::Text | Kind::Source | Kind::Path | Kind::Country => true,
        Kind::Trait => op != Op::EndsWith,
        Kind::Identity | Kind::Website | Kind::PropertyKey | Kind::Signal | Kind::Setting => exact,
    }
}

/// Operator and values, which must go together.
fn compared(spec: &FilterSpec, place: &str, issues: &mut Issues) -> Option<(Op, Vec<String>)> {
    let op = match spec.operator {
        Operator::Equals => Op::Eq,
        Operator::NotEquals => Op::Ne,
        Operator::Contains => Op::Contains,
        Operator::NotContains => Op::NotContains,
        Operator::StartsWith => Op::StartsWith,
        Operator::EndsWith => Op::EndsWith,
        Operator::In => Op::In,
        Operator::NotIn => Op::NotIn,
    };
    let place = format!("{place}.value");
    let values = match (&spec.value, op.takes_list()) {
        (Values::One(one), false) => vec![one.clone()],
        (Values::Several(several), true) if (1..=MAX_VALUES).contains(&several.len()) => {
            several.clone()
        }
        (_, true) => {
            let message = format!("`in` and `not_in` take a list of 1 to {MAX_VALUES} values");
            issues.refuse("invalid_value", &place, message);
            return None;
        }
        (Values::Several(_), false) => {
            issues.refuse("invalid_value", &place, "this operator takes one value");
            return None;
        }
    };
    if values.iter().any(|value| value.chars().count() > MAX_TEXT) {
        let message = format!("a value has at most {MAX_TEXT} characters");
        issues.refuse("invalid_value", &place, message);
        return None;
    }
    Some((op, values))
}
