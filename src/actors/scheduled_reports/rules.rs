//! What must be true of a scheduled report (pure).

use chrono_tz::Tz;

use super::{ReportFields, Schedule};
use crate::{
    actors::{
        delivery::{Channel, ChannelRules},
        issues::Issues,
    },
    fault::Issue,
};

/// Scheduled reports of a website or a board.
pub(super) const MAX: u64 = 100;
/// Kinds of channels for people to read in.
const KINDS: [&str; 5] = ["email", "slack", "discord", "teams", "telegram"];

/// The schedule and the channel, if they are acceptable.
pub(super) fn checked(
    fields: ReportFields,
    rules: &ChannelRules,
) -> Result<(Schedule, Channel), Vec<Issue>> {
    let mut issues = Issues::default();
    let message = "`timezone` is the name of a time zone, such as Europe/Berlin";
    let zone = fields.timezone.parse::<Tz>().map_err(|_| message);
    let zone = issues.accept(zone, "invalid_value", "timezone");
    let message = "`hour` is 0 to 23";
    issues.require(fields.hour < 24, "out_of_range", "hour", message);
    let mut channel = Channel {
        kind: fields.kind,
        identifier: fields.recipient.trim().to_owned(),
        fields: fields
            .token
            .map(|token| ("token".to_owned(), token))
            .into_iter()
            .collect(),
        ..Channel::default()
    };
    if !KINDS.contains(&channel.kind.as_str()) {
        let message = "reports go to `email`, `slack`, `discord`, `teams` or `telegram`";
        issues.refuse("invalid_value", "type", message);
    } else if channel.identifier.is_empty() || channel.identifier.len() > 2_048 {
        issues.refuse("invalid_value", "recipient", "This field is required");
    } else if let Err((field, message)) = rules.check(&mut channel) {
        let field = match field.as_str() {
            "identifier" => "recipient",
            "config.token" => "token",
            field => field,
        };
        issues.refuse("invalid_value", field, message);
    }
    if channel.kind.is_email() {
        // Local parts differ in case only in theory, and duplicates would get every report twice.
        channel.identifier = channel.identifier.to_lowercase();
    }
    let schedule = Schedule {
        frequency: fields.frequency,
        zone: zone.unwrap_or_default(),
        hour: fields.hour,
    };
    issues.finish((schedule, channel))
}
