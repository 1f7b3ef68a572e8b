//! Checks fields and destinations of alarms. Pure.

use super::{
    AlarmFields, Destination, DestinationFields, Endpoint, conditions::Conditions,
    dispatch::resolve_fallbacks,
};
use crate::{
    actors::{
        delivery::{
            ChannelKind, ChannelRules, Definition, FieldError, InvalidSecret, decode_secret,
            new_secret,
        },
        issues::Issues,
        monitors::Span,
        random::NoRandomness,
    },
    fault::Issue,
    ids::DestinationId,
};

const MAX_DESTINATIONS: usize = 10;
const MAX_WINDOWS: usize = 20;
const MAX_TEXT: usize = 2_048;
/// Replaces hidden characters. No valid secret begins with it.
const MASK: &str = "••••";
#[derive(Debug)]
pub(super) struct CheckedFields {
    pub(super) fields: AlarmFields,
    pub(super) conditions: Conditions,
    pub(super) mute: Vec<Span>,
}

pub(super) fn check_fields(mut fields: AlarmFields) -> Result<CheckedFields, Vec<Issue>> {
    let mut issues = Issues::default();
    fields.name = String::from(fields.name.trim());
    let holds = (1..=100).contains(&fields.name.chars().count());
    issues.require(holds, "invalid", "name", "`name` has 1 to 100 characters");
    let description = fields.description.as_deref().unwrap_or_default();
    let holds = description.chars().count() <= 500;
    let message = "`description` has at most 500 characters";
    issues.require(holds, "invalid", "description", message);
    for (field, value, most) in [
        ("for", fields.hold, 86_400),
        ("recoverFor", fields.recover_for, 86_400),
        ("repeatAfter", fields.repeat_after, 10_080),
        ("groupWait", fields.group_wait, 600),
    ] {
        let message = format_args!("`{field}` is 0 to {most}");
        issues.require(value <= most, "invalid", field, message);
    }
    let holds = fields.mute.len() <= MAX_WINDOWS;
    let message = format_args!("`mute` has at most {MAX_WINDOWS} windows");
    issues.require(holds, "invalid", "mute", message);
    let windows = fields.mute.iter().enumerate().take(MAX_WINDOWS);
    let mute = windows.filter_map(|(at, window)| {
        let field = format!("mute.{at}");
        issues.accept(Span::read(window), "invalid", &field)
    });
    let mute = mute.collect();
    match Conditions::read(fields.trigger_type, &fields.trigger_conditions) {
        Ok(conditions) => issues.finish(CheckedFields {
            fields,
            conditions,
            mute,
        }),
        Err(wrong) => {
            issues.extend(wrong);
            Err(issues.into_list())
        }
    }
}

/// The issues of an alarm's fields, without its destinations.
pub fn check(fields: AlarmFields) -> Vec<Issue> {
    check_fields(fields).err().unwrap_or_default()
}

pub(super) type CheckedDestinations = (Vec<Destination>, Vec<(DestinationId, String)>);

/// Checks destinations. Those that name an existing one keep its secrets unless new ones are given.
pub(super) fn check_destinations(
    fields: Vec<DestinationFields>,
    before: &[Destination],
    rules: &ChannelRules,
    now_ms: i64,
) -> Result<CheckedDestinations, Vec<Issue>> {
    if fields.is_empty() || fields.len() > MAX_DESTINATIONS {
        let message = format!("must have 1 to {MAX_DESTINATIONS} channels");
        return Err(vec![Issue::new("out_of_range", "destinations", message)]);
    }
    let before = keep_fallbacks(before, &fields);
    let (mut issues, mut all, mut secrets) = (Issues::default(), Vec::new(), Vec::new());
    for (at, fields) in fields.into_iter().enumerate() {
        match check_destination(fields, &before, rules, now_ms) {
            Ok((one, secret)) => {
                secrets.extend(secret.map(|secret| (one.id.clone(), secret)));
                all.push(one);
            }
            Err((field, message)) => {
                issues.refuse("invalid", &format!("destinations.{at}.{field}"), message);
            }
        }
    }
    if issues.is_empty() {
        resolve_fallbacks(&mut all, &mut issues);
    }
    issues.finish((all, secrets))
}

/// The destinations before a change, without fallbacks that the change removes.
fn keep_fallbacks(before: &[Destination], fields: &[DestinationFields]) -> Vec<Destination> {
    let mut before = before.to_vec();
    for one in &mut before {
        let fallback = one.endpoint.routing.fallback.as_deref();
        let stays = |fields: &DestinationFields| fields.id.as_deref() == fallback;
        if !fields.iter().any(stays) {
            one.endpoint.routing.fallback = None;
        }
    }
    before
}

fn check_destination(
    fields: DestinationFields,
    before: &[Destination],
    rules: &ChannelRules,
    now_ms: i64,
) -> Result<(Destination, Option<String>), FieldError> {
    let own = fields.id.as_deref();
    let is_own = |known: &&Destination| Some(known.id.as_str()) == own && known.kind == fields.kind;
    let known = before.iter().find(is_own);
    if own.is_some() && known.is_none() {
        let message = "the alert has no channel with this id and type";
        return Err(("id".to_owned(), message.to_owned()));
    }
    let routing = fields.merge_routing(known.map(|known| &known.endpoint.routing));
    let mut endpoint = Endpoint {
        identifier: fields.identifier.trim().to_owned(),
        config: fields.config,
        former: None,
        routing,
    };
    if let Some(known) = known {
        keep_secrets(&mut endpoint, &known.endpoint);
    }
    check_endpoint(&fields.kind, &mut endpoint, rules)?;
    endpoint.routing.check()?;
    let mut secret = None;
    let channel = rules.channels.get(fields.kind.as_str());
    if channel.is_some_and(Definition::is_webhook) && endpoint.config.secret.is_none() {
        let wrong = |error: NoRandomness| ("config.secret".to_owned(), error.to_string());
        let made = new_secret().map_err(wrong)?;
        endpoint.config.secret = Some(made.clone());
        secret = Some(made);
    }
    let one = Destination {
        id: known.map_or_else(DestinationId::new, |known| known.id.clone()),
        kind: fields.kind,
        endpoint,
        disabled: None,
        created_ms: known.map_or(now_ms, |known| known.created_ms),
        updated_ms: now_ms,
    };
    Ok((one, secret))
}

/// Keeps secrets that are absent or masked.
fn keep_secrets(endpoint: &mut Endpoint, before: &Endpoint) {
    let stays = |text: &str| text.is_empty() || text.starts_with(MASK);
    if stays(&endpoint.identifier) {
        endpoint.identifier.clone_from(&before.identifier);
    }
    endpoint.former.clone_from(&before.former);
    if let Some(old) = &before.config.secret
        && endpoint.config.secret.as_deref().is_none_or(stays)
    {
        endpoint.config.secret = Some(old.clone());
    }
    for (name, old) in &before.config.fields {
        let new = endpoint.config.fields.entry(name.clone()).or_default();
        if stays(new) {
            new.clone_from(old);
        }
    }
    let Some(old) = &before.config.headers else {
        return;
    };
    for (name, value) in endpoint.config.headers.iter_mut().flatten() {
        if let Some(old) = old.get(name).filter(|_| stays(value)) {
            (*value).clone_from(old);
        }
    }
}

/// A secret for readers without the permission: its last four characters, if it is long enough.
pub fn mask_secret(secret: &str) -> String {
    let count = secret.chars().count();
    if count <= 8 {
        return MASK.to_owned();
    }
    let last: String = secret.chars().skip(count - 4).collect();
    format!("{MASK}{last}")
}

/// Checks an endpoint and brings it into canonical form.
fn check_endpoint(
    kind: &ChannelKind,
    endpoint: &mut Endpoint,
    rules: &ChannelRules,
) -> Result<(), FieldError> {
    if endpoint.identifier.is_empty() || endpoint.identifier.len() > MAX_TEXT {
        let message = format!("`identifier` has 1 to {MAX_TEXT} characters");
        return Err(("identifier".to_owned(), message));
    }
    let mut channel = endpoint.channel(kind);
    rules.check(&mut channel)?;
    endpoint.identifier = channel.identifier;
    endpoint.config.fields = channel.fields;
    if let Some(secret) = &endpoint.config.secret {
        let wrong = |error: InvalidSecret| ("config.secret".to_owned(), error.to_string());
        decode_secret(secret).map_err(wrong)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
