//! Checks where a message is to go, and puts it into one form.

use std::sync::Arc;

use lettre::Address;
use url::Url;

use super::{Channel, Channels, Definition, Field, definition::Recipient, receiver, webhook};
use crate::egress::Policy;

/// Bytes of a field.
const MAX: usize = 2_048;

/// The field that is wrong, and what is wrong with it.
pub type FieldError = (String, String);

#[derive(Debug, Clone)]
pub struct ChannelRules {
    pub policy: Arc<Policy>,
    pub channels: Channels,
    /// Whether emails can be sent.
    pub mail: bool,
}

impl ChannelRules {
    /// Judges a destination. Its identifier becomes canonical, and fields with choices get their defaults.
    pub fn check(&self, channel: &mut Channel) -> Result<(), FieldError> {
        let name = channel.kind.as_str();
        let Some(definition) = self.channels.get(name) else {
            let message = format!("there is no channel `{name}`; `/alarms/channels` lists them");
            return Err(("type".to_owned(), message));
        };
        if definition.recipient.email && !self.mail {
            let message = "Email isn't configured. Set `mail.smtp_url` or choose another channel.";
            return Err(("type".to_owned(), message.to_owned()));
        }
        let base = self.channels.base_url(name).unwrap_or_default();
        let checked = check_recipient(&definition.recipient, channel, base, &self.policy);
        checked.map_err(|message| ("identifier".to_owned(), message))?;
        check_fields(definition, channel)?;
        if definition.is_webhook() {
            webhook::check(channel)?;
        } else if !channel.headers.is_empty() || channel.method.is_some() {
            let (field, set) = match &channel.method {
                Some(_) => ("config.method", "method"),
                None => ("config.headers", "headers"),
            };
            return Err((field.to_owned(), has_no(&channel.kind, set)));
        } else if !channel.secrets.is_empty() {
            return Err(("config.secret".to_owned(), has_no(&channel.kind, "secret")));
        }
        Ok(())
    }
}

fn has_no(kind: &super::ChannelKind, field: &str) -> String {
    format!("a destination of type `{kind}` has no field `{field}`")
}

fn check_recipient(
    recipient: &Recipient,
    channel: &mut Channel,
    base: &str,
    policy: &Policy,
) -> Result<(), String> {
    let given = &channel.identifier;
    if recipient.email {
        let read = given.parse::<Address>();
        return read
            .map(|_| ())
            .map_err(|error| format!("must be an email address: {error}"));
    }
    if let Some(first) = recipient.below.first() {
        let begins = |base: &str| {
            let rest = given.strip_prefix(base.trim_end_matches('/'));
            !base.is_empty() && rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let mut bases = recipient.below.iter().map(String::as_str).chain([base]);
        if Url::parse(given).is_err() || !bases.any(begins) {
            return Err(format!("must begin with {first}/"));
        }
    } else if recipient.url {
        channel.identifier = receiver(given, policy)?;
    }
    match &recipient.pattern {
        Some(pattern) if !pattern.matches(&channel.identifier) => {
            Err(wrong(&recipient.label, &recipient.hint))
        }
        _ => Ok(()),
    }
}

fn check_fields(definition: &Definition, channel: &mut Channel) -> Result<(), FieldError> {
    let unknown = channel
        .fields
        .keys()
        .find(|name| definition.field(name).is_none());
    if let Some(name) = unknown {
        return Err((format!("config.{name}"), has_no(&channel.kind, name)));
    }
    channel.fields.retain(|_, value| !value.is_empty());
    for field in &definition.fields {
        if let (None, Some(default)) = (channel.fields.get(&field.name), field.choices.first()) {
            channel.fields.insert(field.name.clone(), default.clone());
        }
        let value = channel.fields.get(&field.name).map(String::as_str);
        check_field(field, value).map_err(|message| (format!("config.{}", field.name), message))?;
    }
    Ok(())
}

fn check_field(field: &Field, value: Option<&str>) -> Result<(), String> {
    let Some(value) = value else {
        return if field.optional {
            Ok(())
        } else {
            Err(format!("{} is required", field.label))
        };
    };
    let is_known = field.choices.is_empty() || field.choices.iter().any(|one| one == value);
    if !is_known {
        return Err(format!("must be one of {}", field.choices.join(", ")));
    }
    let fits = field
        .pattern
        .as_ref()
        .is_none_or(|pattern| pattern.matches(value));
    if !fits || value.len() > MAX || value.chars().any(char::is_control) {
        return Err(wrong(&field.label, &field.hint));
    }
    Ok(())
}

fn wrong(label: &str, hint: &str) -> String {
    match hint {
        "" => format!("isn't a valid {label}"),
        hint => format!("isn't a valid {label}. {hint}"),
    }
}
