//! What of an alarm is in order. Pure.

use super::{AlarmFields, Destination, DestinationFields, Place, conditions::Conditions};
use crate::{
    actors::{
        delivery::{ChannelKind, ChannelRules, FieldError, decode_secret, new_secret},
        issues::Issues,
        monitors::Span,
    },
    fault::Issue,
    ids::DestinationId,
};

const MAX_DESTINATIONS: usize = 10;
const MAX_WINDOWS: usize = 20;
const MAX_TEXT: usize = 2_048;
/// What stands for what is hidden; nothing that is said begins like this.
const MASK: &str = "••••";
/// What is said of an alarm, in order.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) fields: AlarmFields,
    pub(super) conditions: Conditions,
    pub(super) mute: Vec<Span>,
}

/// Checks what is said of an alarm.
pub(super) fn check_fields(mut fields: AlarmFields) -> Result<Ready, Vec<Issue>> {
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
        Ok(conditions) => issues.finish(Ready {
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

/// What is wrong with an alarm, its destinations aside, without making anything of it.
pub fn check(fields: AlarmFields) -> Vec<Issue> {
    check_fields(fields).err().unwrap_or_default()
}

/// Destinations as they are from now on, and the secrets that were made for them.
pub(super) type Made = (Vec<Destination>, Vec<(DestinationId, String)>);

/// Judges destinations. Those that name one that there is keep its secrets where none are said.
pub(super) fn check_destinations(
    said: Vec<DestinationFields>,
    before: &[Destination],
    rules: &ChannelRules,
    now_ms: i64,
) -> Result<Made, Vec<Issue>> {
    if said.is_empty() || said.len() > MAX_DESTINATIONS {
        let message = format!("an alarm has 1 to {MAX_DESTINATIONS} destinations");
        return Err(vec![Issue::new("out_of_range", "destinations", message)]);
    }
    let (mut issues, mut all, mut shown) = (Issues::default(), Vec::new(), Vec::new());
    for (at, said) in said.into_iter().enumerate() {
        match check_destination(said, before, rules, now_ms) {
            Ok((one, secret)) => {
                shown.extend(secret.map(|secret| (one.id.clone(), secret)));
                all.push(one);
            }
            Err((field, message)) => {
                issues.refuse("invalid", &format!("destinations.{at}.{field}"), message);
            }
        }
    }
    issues.finish((all, shown))
}

fn check_destination(
    said: DestinationFields,
    before: &[Destination],
    rules: &ChannelRules,
    now_ms: i64,
) -> Result<(Destination, Option<String>), FieldError> {
    let own = said.id.as_deref();
    let is_own = |known: &&Destination| Some(known.id.as_str()) == own && known.kind == said.kind;
    let known = before.iter().find(is_own);
    if own.is_some() && known.is_none() {
        let message = "the alarm has no destination of this id and type";
        return Err(("id", message.to_owned()));
    }
    let mut place = Place {
        identifier: said.identifier.trim().to_owned(),
        config: said.config,
        former: None,
    };
    if let Some(known) = known {
        keep(&mut place, &known.place);
    }
    check_place(said.kind, &mut place, rules)?;
    only(said.kind, &place)?;
    let mut secret = None;
    if said.kind == ChannelKind::Webhook && place.config.secret.is_none() {
        let made = new_secret().map_err(|error| ("config.secret", error.to_string()))?;
        place.config.secret = Some(made.clone());
        secret = Some(made);
    }
    let one = Destination {
        id: known.map_or_else(DestinationId::new, |known| known.id.clone()),
        kind: said.kind,
        place,
        disabled: None,
        created_ms: known.map_or(now_ms, |known| known.created_ms),
        updated_ms: now_ms,
    };
    Ok((one, secret))
}

/// Secrets that are not said, or said as they are shown, stay.
fn keep(place: &mut Place, before: &Place) {
    let stays = |said: &str| said.is_empty() || said.starts_with(MASK);
    if stays(&place.identifier) {
        place.identifier.clone_from(&before.identifier);
    }
    place.former.clone_from(&before.former);
    for (new, old) in [
        (&mut place.config.secret, &before.config.secret),
        (&mut place.config.token, &before.config.token),
    ] {
        let Some(old) = old else { continue };
        if new.as_deref().is_none_or(stays) {
            *new = Some(old.clone());
        }
    }
    let Some(old) = &before.config.headers else {
        return;
    };
    for (name, value) in place.config.headers.iter_mut().flatten() {
        if let Some(old) = old.get(name).filter(|_| stays(value)) {
            (*value).clone_from(old);
        }
    }
}

/// A secret as those see it who may not: its last four characters, if there are enough others.
pub fn masked(secret: &str) -> String {
    let count = secret.chars().count();
    if count <= 8 {
        return MASK.to_owned();
    }
    let last: String = secret.chars().skip(count - 4).collect();
    format!("{MASK}{last}")
}

/// Judges where a destination is, and puts it into one form.
fn check_place(
    kind: ChannelKind,
    place: &mut Place,
    rules: &ChannelRules,
) -> Result<(), FieldError> {
    if place.identifier.is_empty() || place.identifier.len() > MAX_TEXT {
        let message = format!("`identifier` has 1 to {MAX_TEXT} characters");
        return Err(("identifier", message));
    }
    let mut channel = place.channel(kind);
    (kind.service().check)(&mut channel, rules)?;
    place.identifier = channel.identifier;
    Ok(())
}

/// Refuses what another kind of destination would need.
fn only(kind: ChannelKind, place: &Place) -> Result<(), FieldError> {
    let config = &place.config;
    for (field, is_said) in [
        ("config.headers", config.headers.is_some()),
        ("config.method", config.method.is_some()),
        ("config.secret", config.secret.is_some()),
        ("config.token", config.token.is_some()),
    ] {
        if is_said && !kind.service().fields.contains(&field) {
            let message = format!(
                "a destination of type `{}` has no such field",
                kind.as_str()
            );
            return Err((field, message));
        }
    }
    if let Some(secret) = &config.secret {
        decode_secret(secret).map_err(|error| ("config.secret", error.to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
