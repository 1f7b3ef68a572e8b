//! Whether declarations could be made, before anything is: forms by the procedures, values by the rules of the domains.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    kinds::{self, Body, Kind},
    read::Declared,
    refs,
};
use crate::{
    actors::{
        alarms::{self, AlarmFields},
        definitions::{self, GoalFields, Saved},
        flags::{FlagFields, engine::Compiled},
        links::{self, LinkFields},
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

/// What rules depend on beside the declaration.
#[derive(Debug)]
pub(super) struct Law {
    /// What monitors may reach.
    pub(super) policy: Policy,
    /// Host of short links.
    pub(super) links_host: String,
}

/// Stands for an id that is not known yet.
const SOME_ID: &str = "00000000-0000-7000-8000-000000000000";

/// Everything that is wrong with declarations, in the order of their places.
pub(super) fn all(declared: &[Declared], law: &Law) -> Vec<Mistake> {
    let mut mistakes: Vec<Mistake> = Vec::new();
    for one in declared {
        mistakes.extend(references(one, declared));
        for issue in issues(one, law) {
            let mut mistake = one.mistake(&issue.field, format!("is wrong: {}", issue.message));
            mistake.hint = issue.suggestion;
            let known = |other: &Mistake| other.place == mistake.place && other.key == mistake.key;
            if !mistakes.iter().any(known) {
                mistakes.push(mistake);
            }
        }
    }
    mistakes.sort_by(|one, other| one.place.cmp(&other.place));
    mistakes
}

fn references(one: &Declared, declared: &[Declared]) -> Vec<Mistake> {
    let rank = |kind: &Kind| {
        kinds::KINDS
            .iter()
            .position(|other| other.table == kind.table)
    };
    let beside = || {
        let same = |other: &&Declared| other.organization == one.organization;
        declared.iter().filter(same)
    };
    let mut mistakes = Vec::new();
    for reference in refs::of(&one.body) {
        let Some(meant) = beside().find(|other| other.key() == reference.key) else {
            let what = format!("names `{}`, which is not declared", reference.key);
            let mut mistake = one.mistake(&reference.place, what);
            let keys: Vec<String> = beside().map(Declared::key).collect();
            let near = nearest(&reference.key, keys.iter().map(String::as_str));
            mistake.hint = Some(match near {
                Some(near) => format!("did you mean `ref:{near}`?"),
                None => "write ref:<table>.<name> of something that is declared".to_owned(),
            });
            mistakes.push(mistake);
            continue;
        };
        if rank(meant.kind) > rank(one.kind) || meant.key() == one.key() {
            let what = format!("cannot name a {}", meant.kind.one);
            mistakes.push(one.mistake(&reference.place, what));
        }
    }
    mistakes
}

fn issues(one: &Declared, law: &Law) -> Vec<Issue> {
    let kind = one.kind;
    let unknown = unknown(kind, &one.body);
    if !unknown.is_empty() {
        return unknown;
    }
    let body = refs::resolved(&one.body, &|_| Some(SOME_ID.to_owned()));
    let main = without(&body, |field| kind.is_part(field));
    let mut issues = form(kind.create, &Value::Object(main.clone()));
    match kind.table {
        "websites" => {
            let text = |field: &str| body[field].as_str().unwrap_or_default();
            let judged = websites::check(text("name"), text("domain"));
            issues.extend(judged.err().map(|refusal| refusal.issue()));
            issues.extend(settings(&body));
        }
        "links" => issues.extend(typed(&main, |fields: LinkFields| {
            links::check(fields, &law.links_host)
        })),
        "flags" => issues.extend(flag(&without(&main, |field| field == "websiteId"))),
        "monitors" => {
            issues.extend(match MonitorFields::read(&main) {
                Ok(fields) => monitors::check(fields, &law.policy),
                Err(issues) => issues,
            });
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
            issues.extend(typed(&fields, |goal: GoalFields| {
                definitions::check(Saved::Goal(goal))
            }));
        }
        "alarms" => {
            let fields = without(&main, |field| field == "destinations");
            issues.extend(match AlarmFields::read(&fields) {
                Ok(fields) => alarms::check(fields),
                Err(issues) => issues,
            });
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
        let near = nearest(field, known.iter().map(String::as_str));
        let near = near.map(|near| format!("did you mean `{near}`?"));
        let message = format!("a {} has no field `{field}`", kind.one);
        Issue::new("unrecognized_keys", field.clone(), message).suggest(near)
    };
    wrong.map(issue).collect()
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
    procedure
        .check(input)
        .err()
        .map(issues_of)
        .unwrap_or_default()
}

fn issues_of(fault: Fault) -> Vec<Issue> {
    match fault.kind {
        Fell::Invalid { issues } if !issues.is_empty() => issues,
        _ => vec![Issue::new("invalid", "", fault.message)],
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

fn typed<T: DeserializeOwned>(body: &Body, check: impl FnOnce(T) -> Vec<Issue>) -> Vec<Issue> {
    match serde_path_to_error::deserialize(Value::Object(body.clone())) {
        Ok(fields) => check(fields),
        Err(error) => {
            let error: serde_path_to_error::Error<serde_json::Error> = error;
            let path = error.path().to_string();
            let path = if path == "." { String::new() } else { path };
            vec![Issue::new("invalid_type", path, error.inner().to_string())]
        }
    }
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

fn flag(body: &Body) -> Vec<Issue> {
    let fields = match FlagFields::read(body) {
        Ok(fields) => fields,
        Err(issues) => return issues,
    };
    let mut issues = fields.check();
    issues.extend(Compiled::new(&fields, &[]).err().unwrap_or_default());
    issues
}

fn page(main: &Body, monitors: Option<&Value>) -> Vec<Issue> {
    let fields = match PageFields::read(main) {
        Ok(fields) => fields,
        Err(issues) => return issues,
    };
    let mut issues = Vec::new();
    let mut listed = Vec::new();
    let none = Vec::new();
    let items = match monitors {
        None => &none,
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
            let near = nearest(name, defaults.keys().map(String::as_str));
            let near = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("a monitor on a page has no field `{name}`");
            Issue::new("unrecognized_keys", format!("{place}.{name}"), message).suggest(near)
        }));
        let wrong = typed(&shown, |fields: PageMonitorFields| {
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
