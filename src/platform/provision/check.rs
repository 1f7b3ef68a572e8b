//! Checks declarations before anything is created: forms by the procedures, values by the rules of the domains.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    kinds::{self, Body, Kind},
    read::Declaration,
    refs,
};
use crate::{
    actors::{
        alarms::{self, AlarmFields},
        definitions::{self, GoalFields, Saved},
        flags::{FlagFields, engine::Compiled},
        links::{self, LinkFields, LinkRules, SlugRule},
        monitors::{self, MonitorFields},
        status_pages::{self, PageFields, PageMonitorFields},
        websites,
    },
    analytics::nearest,
    config::Mistake,
    egress::Policy,
    fault::{Fault, Issue, Kind as Fell},
    http::procedures::{self, Procedure, uptime},
};

/// What the rules depend on beside the declaration.
#[derive(Debug)]
pub(super) struct Rules {
    /// What monitors may reach.
    pub(super) policy: Policy,
    /// Host of short links.
    pub(super) links_host: String,
}

/// Takes the place of an id that is not known yet.
const SOME_ID: &str = "00000000-0000-7000-8000-000000000000";

/// Everything that is wrong with declarations, in the order of their origins.
pub(super) fn all(declared: &[Declaration], rules: &Rules) -> Vec<Mistake> {
    let mut mistakes: Vec<Mistake> = Vec::new();
    for one in declared {
        mistakes.extend(references(one, declared));
        for issue in issues(one, rules) {
            let what = format!("is wrong: {}", issue.message);
            let mistake = Mistake {
                hint: issue.suggestion,
                ..one.mistake(&issue.field, what)
            };
            let known =
                |other: &Mistake| other.origin == mistake.origin && other.key == mistake.key;
            if !mistakes.iter().any(known) {
                mistakes.push(mistake);
            }
        }
    }
    mistakes.sort_by(|one, other| one.origin.cmp(&other.origin));
    mistakes
}

fn references(one: &Declaration, declared: &[Declaration]) -> Vec<Mistake> {
    let beside = || {
        let same = |other: &&Declaration| other.organization == one.organization;
        declared.iter().filter(same)
    };
    let mut mistakes = Vec::new();
    for reference in refs::collect(&one.body) {
        let Some(meant) = beside().find(|other| other.key() == reference.key) else {
            let what = format!("names `{}`, which is not declared", reference.key);
            let keys: Vec<String> = beside().map(Declaration::key).collect();
            let near = nearest(&reference.key, keys.iter().map(String::as_str));
            let hint = match near {
                Some(near) => format!("did you mean `ref:{near}`?"),
                None => "write ref:<table>.<name> of something that is declared".to_owned(),
            };
            mistakes.push(one.mistake(&reference.place, what).with_hint(hint));
            continue;
        };
        if kinds::rank(meant.kind.table) > kinds::rank(one.kind.table) || meant.key() == one.key() {
            let what = format!("cannot name a {}", meant.kind.one);
            mistakes.push(one.mistake(&reference.place, what));
        }
    }
    mistakes
}

fn issues(one: &Declaration, rules: &Rules) -> Vec<Issue> {
    let kind = one.kind;
    let unknown = unknown(kind, &one.body);
    if !unknown.is_empty() {
        return unknown;
    }
    let body = refs::resolve(&one.body, &|_| Some(SOME_ID.to_owned()));
    let main = without(&body, |field| kind.is_part(field));
    let mut issues = form(kind.create, &Value::Object(main.clone()));
    match kind.table {
        "websites" => {
            let text = |field: &str| body[field].as_str().unwrap_or_default();
            let judged = websites::check(text("name"), text("domain"));
            issues.extend(judged.err().map(|refusal| refusal.issue()));
            issues.extend(settings(&body));
        }
        "links" => issues.extend(check(typed(&main), |fields: LinkFields| {
            // A declared link may be an imported one. The narrower rule applies when a link is created.
            let rules = LinkRules {
                own_host: &rules.links_host,
                hosts: None,
                slugs: SlugRule::Imported,
            };
            links::check(fields, rules)
        })),
        "flags" => {
            let fields = without(&main, |field| field == "websiteId");
            issues.extend(check(FlagFields::read(&fields), |fields| {
                let mut issues = fields.check();
                issues.extend(Compiled::new(&fields, &[]).err().unwrap_or_default());
                issues
            }));
        }
        "monitors" => {
            issues.extend(check(MonitorFields::read(&main), |fields| {
                monitors::check(fields, &rules.policy)
            }));
            if let Some(paused) = body.get("isPaused") {
                let input = json!({ "scheduleId": SOME_ID, "pause": paused });
                issues.extend(renamed(
                    form(uptime::TOGGLE_PAUSE.erase(), &input),
                    "pause",
                    "isPaused",
                ));
            }
        }
        "goals" => {
            let fields = without(&main, |field| field == "websiteId");
            issues.extend(check(typed(&fields), |goal: GoalFields| {
                definitions::check(Saved::Goal(goal))
            }));
        }
        "alarms" => {
            let fields = without(&main, |field| field == "destinations");
            issues.extend(check(AlarmFields::read(&fields), alarms::check));
        }
        "status-pages" => issues.extend(page(&main, body.get("monitors"))),
        _ => {}
    }
    issues
}

fn unknown(kind: &Kind, body: &Body) -> Vec<Issue> {
    let mut known: Vec<String> = (kind.defaults)()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    known.extend(kind.also.iter().map(|&name| name.to_owned()));
    let is_known = |field: &str| {
        let whole = field.split_once('.').map_or(field, |(whole, _)| whole);
        known.iter().any(|name| name == whole)
    };
    let wrong = body.keys().filter(|field| !is_known(field));
    let issue = |field: &String| {
        let known = known.iter().map(String::as_str);
        unknown_field(&format!("a {}", kind.one), field, field.clone(), known)
    };
    wrong.map(issue).collect()
}

fn unknown_field<'k>(
    thing: &str,
    field: &str,
    place: String,
    known: impl Iterator<Item = &'k str>,
) -> Issue {
    let near = nearest(field, known).map(|near| format!("did you mean `{near}`?"));
    let message = format!("{thing} has no field `{field}`");
    Issue::new("unrecognized_keys", place, message).suggest(near)
}

/// A body without some fields.
pub(super) fn without(body: &Body, gone: impl Fn(&str) -> bool) -> Body {
    let fields = body.iter().filter(|(name, _)| !gone(name));
    fields
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// What a procedure says to the form of its input.
fn form(procedure: Procedure, input: &Value) -> Vec<Issue> {
    match procedure.check(input) {
        Ok(()) => Vec::new(),
        Err(Fault {
            kind: Fell::Invalid { issues },
            ..
        }) if !issues.is_empty() => issues,
        Err(fault) => vec![Issue::new("invalid", "", fault.message)],
    }
}

fn renamed(mut issues: Vec<Issue>, from: &str, to: &str) -> Vec<Issue> {
    for issue in &mut issues {
        if issue.field == from {
            to.clone_into(&mut issue.field);
        }
    }
    issues
}

/// The issues of fields: those of their form, else those of a domain's rules.
fn check<T>(fields: Result<T, Vec<Issue>>, rules: impl FnOnce(T) -> Vec<Issue>) -> Vec<Issue> {
    fields.map_or_else(|issues| issues, rules)
}

fn typed<T: DeserializeOwned>(body: &Body) -> Result<T, Vec<Issue>> {
    let read = serde_path_to_error::deserialize(Value::Object(body.clone()));
    read.map_err(|error: serde_path_to_error::Error<serde_json::Error>| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        vec![Issue::new("invalid_type", path, error.inner().to_string())]
    })
}

fn settings(body: &Body) -> Vec<Issue> {
    let mut issues = Vec::new();
    if let Some(public) = body.get("isPublic") {
        let input = json!({ "id": SOME_ID, "isPublic": public });
        issues.extend(form(procedures::websites::TOGGLE_PUBLIC.erase(), &input));
    }
    let mut settings = Body::new();
    for (field, value) in body {
        if let Some(name) = field.strip_prefix("settings.") {
            settings.insert(name.to_owned(), value.clone());
        }
    }
    if !settings.is_empty() {
        let input = json!({ "id": SOME_ID, "settings": settings });
        issues.extend(form(procedures::websites::UPDATE_SETTINGS.erase(), &input));
    }
    issues
}

fn page(main: &Body, monitors: Option<&Value>) -> Vec<Issue> {
    let fields = match PageFields::read(main) {
        Ok(fields) => fields,
        Err(issues) => return issues,
    };
    let mut issues = Vec::new();
    let mut listed = Vec::new();
    let items = match monitors {
        None => &[][..],
        Some(Value::Array(items)) => items,
        Some(_) => {
            let message = "`monitors` is a list of { uptimeScheduleId = …, … }";
            return vec![Issue::new("invalid_type", "monitors", message)];
        }
    };
    for (at, item) in items.iter().enumerate() {
        let place = format!("monitors.{at}");
        let fields = kinds::fields(item.clone());
        if !fields.get("uptimeScheduleId").is_some_and(Value::is_string) {
            let message = "`uptimeScheduleId` is required: a monitor's id, or ref:monitors.<name>";
            issues.push(Issue::new("missing", place.clone(), message));
        }
        let shown = without(&fields, |field| field == "uptimeScheduleId");
        let defaults = kinds::fields(json!(PageMonitorFields::default()));
        let unknown = shown.keys().filter(|name| !defaults.contains_key(*name));
        issues.extend(unknown.map(|name| {
            let known = defaults.keys().map(String::as_str);
            let place = format!("{place}.{name}");
            unknown_field("a monitor on a page", name, place, known)
        }));
        let wrong = check(typed(&shown), |fields: PageMonitorFields| {
            listed.push(fields);
            Vec::new()
        });
        issues.extend(wrong.into_iter().map(|mut issue| {
            issue.field = format!("{place}.{}", issue.field);
            issue
        }));
    }
    issues.extend(status_pages::check(fields, listed));
    issues
}
