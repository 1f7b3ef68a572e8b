//! Rules about checks with several steps.

use std::collections::BTreeSet;

use url::Url;

use super::{
    super::{
        Auth, Field, Kind, MonitorFields, RequestFields, StepFields,
        checks::{Source, is_name, join, names},
    },
    expectations,
    kind::assertions,
    request,
};
use crate::actors::issues::Issues;

const MAX_STEPS: usize = 10;
const MAX_SAVED: usize = 20;
const MAX_SOURCE: usize = 1_000;
const MAX_NAME: usize = 100;

/// Whether the steps can be made, each with what those before it have saved. `url` is the monitor's own.
pub(super) fn steps(issues: &mut Issues, fields: &MonitorFields, url: &str) {
    let Some(steps) = &fields.steps else {
        return;
    };
    let holds = (1..=MAX_STEPS).contains(&steps.len());
    let message = format_args!("`steps` has 1 to {MAX_STEPS} entries");
    issues.require(holds, "invalid", "steps", message);
    let Ok(base) = Url::parse(url) else {
        // Which is an issue already.
        return;
    };
    let mut saved = BTreeSet::new();
    for (at, step) in steps.iter().enumerate().take(MAX_STEPS) {
        let mut inside = Issues::with_prefix(format!("steps.{at}."));
        one(&mut inside, step, &base, &saved);
        let mut list = inside.into_list();
        for issue in &mut list {
            issue.field = issue.field.replacen("request.", "", 1);
        }
        issues.extend(list);
        saved.extend(step.save.iter().flatten().map(|(name, _)| name.as_str()));
    }
}

fn one(issues: &mut Issues, step: &StepFields, base: &Url, saved: &BTreeSet<&str>) {
    let name = step.name.as_deref().unwrap_or_default();
    let fits = name.chars().count() <= MAX_NAME && !name.chars().any(char::is_control);
    let message = format_args!("`name` has at most {MAX_NAME} characters, and none that control");
    issues.require(fits, "too_long", "name", message);
    let used: Vec<&str> = texts(step).into_iter().flat_map(names).collect();
    if let Some(missing) = used.iter().find(|name| !saved.contains(*name)) {
        let message = format_args!("no earlier step saves `{missing}`");
        issues.refuse("invalid", "save", message);
        return;
    }
    let samples = used.iter().map(|name| ((*name).to_owned(), "1".to_owned()));
    if let Err(why) = join(base, &step.url, &samples.collect()) {
        issues.refuse("invalid_url", "url", format_args!("`url` {why}"));
    }
    let fields = RequestFields {
        headers: step.headers.clone(),
        body: step.body.clone(),
        auth: step.auth.clone(),
        ..RequestFields::default()
    };
    request(issues, Kind::Http, &fields);
    if let Some(expect) = &step.expect {
        expectations(issues, expect);
        let own = [Field::Status, Field::Text, Field::Json];
        let mut given = assertions(expect).into_iter();
        let has_others = given.any(|(_, is_set, field)| is_set && !own.contains(&field));
        let message = "`expect` of a step is about its answer alone";
        issues.require(!has_others, "invalid", "expect", message);
    }
    saves(issues, step);
}

fn saves(issues: &mut Issues, step: &StepFields) {
    let count = step.save.iter().flatten().count();
    let message = format_args!("`save` has at most {MAX_SAVED} values");
    issues.require(count <= MAX_SAVED, "too_many", "save", message);
    for (name, source) in step.save.iter().flatten() {
        let message = format_args!("`{name}` is no name of letters, digits and underscores");
        issues.require(is_name(name), "invalid", "save", message);
        let read = if source.is_empty() || source.len() > MAX_SOURCE {
            Err(format!("has 1 to {MAX_SOURCE} bytes"))
        } else {
            Source::parse(source).map(|_| ())
        };
        if let Err(why) = read {
            issues.refuse("invalid", "save", format_args!("`save.{name}`: {why}"));
        }
    }
}

/// The texts in which values may stand.
fn texts(step: &StepFields) -> Vec<&str> {
    let mut texts = vec![step.url.as_str()];
    texts.extend(step.body.as_deref());
    let headers = step.headers.iter().flatten();
    texts.extend(headers.map(|(_, value)| value.as_str()));
    match &step.auth {
        Some(Auth::Basic { username, password }) => {
            texts.extend([username.as_str(), password.as_str()]);
        }
        Some(Auth::Bearer { token }) => texts.push(token),
        None => {}
    }
    texts
}

/// The changed steps, with the secrets of the stored ones where a change repeats what was shown: a secret is shown as nothing.
pub(super) fn keep_secrets(stored: Option<&[StepFields]>, changed: Option<&mut Vec<StepFields>>) {
    let pairs = stored
        .into_iter()
        .flatten()
        .zip(changed.into_iter().flatten());
    for (stored, changed) in pairs.filter(|(stored, changed)| stored.url == changed.url) {
        for (name, value) in changed.headers.iter_mut().flatten() {
            let known = stored.headers.as_ref().and_then(|known| known.get(name));
            if let Some(known) = known.filter(|_| value.is_empty()) {
                value.clone_from(known);
            }
        }
        match (&stored.auth, &mut changed.auth) {
            (
                Some(Auth::Basic {
                    username: known,
                    password: secret,
                }),
                Some(Auth::Basic { username, password }),
            ) if password.is_empty() && known == username => password.clone_from(secret),
            (Some(Auth::Bearer { token: secret }), Some(Auth::Bearer { token }))
                if token.is_empty() =>
            {
                token.clone_from(secret);
            }
            _ => {}
        }
    }
}
