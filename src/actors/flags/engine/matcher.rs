//! A compiled rule.

use std::{borrow::Cow, cmp::Ordering, collections::HashSet, net::IpAddr, sync::Arc};

use ipnet::IpNet;
use regex::Regex;
use semver::Version;
use serde_json::Value;

use super::{
    Context,
    buckets::Buckets,
    text::{number, same, text, time},
    version::version,
};
use crate::actors::flags::fields::RolloutBy;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    User,
    Email,
    Property(Box<str>),
    Country,
    Device,
}

#[derive(Debug, Clone)]
pub(super) enum Matcher {
    Value(Subject, Test),
    /// The address of the request is in one of these networks.
    Network(Box<[IpNet]>),
    /// A property, or now, is before (`true`) or after a moment.
    Moment(Option<Box<str>>, bool, i64),
    /// A percentage of users, or of users with the same property.
    Share(Option<Box<str>>, Buckets, f64),
    All(Box<[Matcher]>),
    Any(Box<[Matcher]>),
    Not(Box<[Matcher]>),
    /// A rule that upstream accepts and never matches.
    Never,
}

#[derive(Debug, Clone)]
pub(super) enum Test {
    Same(Value),
    Text(TextTest, Box<[Box<str>]>),
    /// Is one of these texts (`true`) or none of them, stringified.
    Batch(bool, Arc<HashSet<Box<str>>>),
    /// Is one of these values (`true`) or none of them.
    OneOf(bool, Box<[Value]>),
    Exists(bool),
    Number(Side, f64),
    Version(Side, Version),
    Pattern(Regex),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextTest {
    Equals,
    Contains,
    Starts,
    Ends,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Below,
    AtMost,
    At,
    AtLeast,
    Above,
}

impl Side {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Below => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::At => order.is_eq(),
            Self::AtLeast => order.is_ge(),
            Self::Above => order.is_gt(),
        }
    }
}

impl TextTest {
    fn holds(self, value: &str, wanted: &str) -> bool {
        match self {
            Self::Equals => value == wanted,
            Self::Contains => value.contains(wanted),
            Self::Starts => value.starts_with(wanted),
            Self::Ends => value.ends_with(wanted),
        }
    }
}

impl Matcher {
    pub(super) fn holds(&self, context: &Context<'_>) -> bool {
        match self {
            Self::Value(subject, test) => subject.with(context, |value| test.holds(value)),
            Self::Network(networks) => context.address.is_some_and(|address| {
                let address: IpAddr = address.to_canonical();
                networks.iter().any(|network| network.contains(&address))
            }),
            Self::Moment(field, before, moment) => {
                let at = match field {
                    None => Some(context.now_ms),
                    Some(field) => context.property(field).and_then(time),
                };
                at.is_some_and(|at| (at < *moment) == *before)
            }
            Self::Share(field, buckets, below) => {
                let who = match field {
                    None => buckets.identify(RolloutBy::User, context),
                    Some(field) => {
                        let who: Option<Cow<'_, str>> = context.property(field).map(text);
                        // In Unleash an empty text is no value.
                        who.filter(|who| !who.is_empty() || matches!(buckets, Buckets::Pharos(_)))
                    }
                };
                who.is_some_and(|who| buckets.is_among(&who, *below))
            }
            Self::All(all) => all.iter().all(|one| one.holds(context)),
            Self::Any(any) => any.iter().any(|one| one.holds(context)),
            Self::Not(none) => !none.iter().any(|one| one.holds(context)),
            Self::Never => false,
        }
    }

    /// Whether the result depends on the request itself and must not be shared with other requests.
    pub(super) fn asks_request(&self) -> bool {
        match self {
            Self::Value(Subject::Country | Subject::Device, _) | Self::Network(_) => true,
            Self::All(some) | Self::Any(some) | Self::Not(some) => {
                some.iter().any(Self::asks_request)
            }
            _ => false,
        }
    }

    /// The moments at which its result may change by itself.
    pub(super) fn moments(&self, into: &mut Vec<i64>) {
        match self {
            Self::Moment(None, _, moment) => into.push(*moment),
            Self::All(some) | Self::Any(some) | Self::Not(some) => {
                some.iter().for_each(|one| one.moments(into));
            }
            _ => {}
        }
    }
}

impl Subject {
    fn with(&self, context: &Context<'_>, holds: impl FnOnce(Option<&Value>) -> bool) -> bool {
        let string = |text: Option<&str>| text.map(|text| Value::String(text.to_owned()));
        match self {
            Self::Property(field) => holds(context.property(field)),
            Self::User => holds(string(context.user()).as_ref()),
            Self::Email => holds(string(context.email()).as_ref()),
            Self::Country => holds(string(context.request().country.as_deref()).as_ref()),
            Self::Device => holds(string(context.request().device.as_deref()).as_ref()),
        }
    }
}

impl Test {
    /// A missing value exists in no list.
    fn holds(&self, value: Option<&Value>) -> bool {
        let Some(value) = value else {
            return matches!(
                self,
                Self::Exists(false) | Self::Batch(false, _) | Self::OneOf(false, _)
            );
        };
        match self {
            Self::Same(wanted) => same(value, wanted),
            Self::Text(test, wanted) => {
                let value = text(value);
                wanted.iter().any(|wanted| test.holds(&value, wanted))
            }
            Self::Batch(wanted, texts) => texts.contains(&*text(value)) == *wanted,
            Self::OneOf(wanted, values) => values.iter().any(|one| same(value, one)) == *wanted,
            Self::Exists(wanted) => *wanted,
            Self::Number(side, wanted) => number(value)
                .and_then(|number| number.partial_cmp(wanted))
                .is_some_and(|order| side.holds(order)),
            Self::Version(side, wanted) => version(&text(value))
                .is_some_and(|version| side.holds(version.cmp_precedence(wanted))),
            Self::Pattern(pattern) => pattern.is_match(&text(value)),
        }
    }
}
