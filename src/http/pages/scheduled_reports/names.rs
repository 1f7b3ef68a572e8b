//! Frequencies and channels of reports by their names.

use crate::actors::{delivery::ChannelKind, scheduled_reports::Frequency};

/// Frequencies with their names.
pub(super) const FREQUENCIES: &[(&str, &str)] = &[
    ("weekly", "Weekly"),
    ("daily", "Daily"),
    ("monthly", "Monthly"),
];

/// Kinds of channels with their names.
pub(super) const CHANNELS: &[(&str, &str)] = &[
    ("email", "Email"),
    ("slack", "Slack"),
    ("discord", "Discord"),
    ("teams", "Microsoft Teams"),
    ("telegram", "Telegram"),
];

fn name_in(names: &[(&'static str, &'static str)], own: &str) -> &'static str {
    let mut names = names.iter().filter(|(value, _)| *value == own);
    names.next().map_or("", |(_, name)| name)
}

pub(super) fn name_frequency(frequency: Frequency) -> &'static str {
    name_in(FREQUENCIES, frequency.as_str())
}

pub(super) fn name_channel(kind: &ChannelKind) -> &'static str {
    name_in(CHANNELS, kind.as_str())
}
