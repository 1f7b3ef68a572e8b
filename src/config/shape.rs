//! Which keys exist and what kind of value each takes, read off the defaults.

use std::collections::BTreeMap;

use toml::{
    Value,
    de::{DeInteger, DeValue},
};

/// The plan of the defaults that is the template of every `[plans.<name>]`.
const TEMPLATE: &str = "plans.free";
/// The setting that is a list of tables.
const TABLES: &str = "auth.oidc";

/// What kind of value a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Truth,
    Texts,
    Numbers,
    Tables,
}

/// The known keys, dotted.
pub(super) struct Shape(BTreeMap<String, Kind>);

impl Kind {
    fn from_default(key: &str, default: &Value) -> Option<Self> {
        match default {
            _ if key == TABLES => Some(Self::Tables),
            Value::String(_) => Some(Self::Text),
            Value::Integer(_) => Some(Self::Number),
            Value::Boolean(_) => Some(Self::Truth),
            Value::Array(items) if matches!(items.first(), Some(Value::Integer(_))) => {
                Some(Self::Numbers)
            }
            Value::Array(_) => Some(Self::Texts),
            Value::Float(_) | Value::Datetime(_) | Value::Table(_) => None,
        }
    }

    /// What a value must be, for people.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Text => "must be text in quotes",
            Self::Number => "must be a whole number",
            Self::Truth => "must be true or false",
            Self::Texts => "must be a list of texts, such as [\"a\", \"b\"]",
            Self::Numbers => "must be a list of whole numbers, such as [22, 25]",
            Self::Tables => "must be a list of tables, such as [[auth.oidc]]",
        }
    }

    /// What the value of a variable must be, for people.
    pub(super) fn expected_of_variable(self) -> &'static str {
        match self {
            Self::Text => "must be UTF-8 text",
            Self::Number | Self::Truth => self.expected(),
            Self::Texts => "must be comma-separated texts (a,b) or a list ([\"a\", \"b\"])",
            Self::Numbers => "must be comma-separated whole numbers (22,25) or a list ([22, 25])",
            Self::Tables => "must be a list of tables, such as [{ name = \"a\", issuer = \"…\" }]",
        }
    }

    /// The value as written in a file, when it is of this kind.
    pub(super) fn read(self, written: &DeValue<'_>) -> Option<Value> {
        match (self, written) {
            (Self::Text, DeValue::String(text)) => Some(Value::String(text.to_string())),
            (Self::Number, DeValue::Integer(number)) => integer(number),
            (Self::Truth, DeValue::Boolean(truth)) => Some(Value::Boolean(*truth)),
            (Self::Texts, DeValue::Array(items)) => {
                list(items.iter().map(|item| Self::Text.read(item.get_ref())))
            }
            (Self::Numbers, DeValue::Array(items)) => {
                list(items.iter().map(|item| Self::Number.read(item.get_ref())))
            }
            (Self::Tables, DeValue::Array(items)) => list(items.iter().map(|item| {
                let is_table = matches!(item.get_ref(), DeValue::Table(_));
                is_table.then(|| any(item.get_ref())).flatten()
            })),
            _ => None,
        }
    }

    /// The value of an environment variable, when it can be read as this kind. A list is comma-separated, or written as in a file.
    pub(super) fn read_variable(self, text: &str) -> Option<Value> {
        let is_list = matches!(self, Self::Texts | Self::Numbers | Self::Tables);
        if is_list && text.trim_start().starts_with('[') {
            let value = DeValue::parse(text.trim()).ok()?;
            return self.read(value.get_ref());
        }
        let items = || {
            text.split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
        };
        match self {
            Self::Text => Some(Value::String(text.to_owned())),
            Self::Number => text.trim().parse().ok().map(Value::Integer),
            Self::Truth => text.trim().parse().ok().map(Value::Boolean),
            Self::Texts => list(items().map(|item| Self::Text.read_variable(item))),
            Self::Numbers => list(items().map(|item| Self::Number.read_variable(item))),
            Self::Tables => text.trim().is_empty().then(|| Value::Array(Vec::new())),
        }
    }
}

impl Shape {
    /// The shape of these defaults.
    pub(super) fn new<'a>(defaults: impl Iterator<Item = (&'a String, &'a Value)>) -> Self {
        let kinds = defaults
            .filter_map(|(key, value)| Some((key.clone(), Kind::from_default(key, value)?)));
        Self(kinds.collect())
    }

    /// What `key` takes; `None` when there is no such setting.
    pub(super) fn kind(&self, key: &str) -> Option<Kind> {
        match plan_setting(key) {
            Some((_, setting)) => self.0.get(&format!("{TEMPLATE}.{setting}")).copied(),
            None => self.0.get(key).copied(),
        }
    }

    /// Whether `key` names a section rather than a setting.
    pub(super) fn is_section(&self, key: &str) -> bool {
        let is_plan = key.strip_prefix("plans.").is_some_and(is_plan_name);
        !self.0.contains_key(key) && (is_plan || self.sections().any(|section| section == key))
    }

    /// The known key most like `key`, if any is like it at all.
    pub(super) fn nearest(&self, key: &str) -> Option<String> {
        if let Some((plan, setting)) = plan_setting(key) {
            let prefix = format!("{TEMPLATE}.");
            let settings = self
                .0
                .keys()
                .filter_map(|known| known.strip_prefix(&prefix));
            return closest(
                settings,
                |known| strsim::damerau_levenshtein(known, setting),
                setting,
            )
            .map(|known| format!("plans.{plan}.{known}"));
        }
        let known = self.0.keys().map(String::as_str).chain(self.sections());
        closest(known, |known| distance(known, key), key).map(str::to_owned)
    }

    fn sections(&self) -> impl Iterator<Item = &str> {
        self.0
            .keys()
            .filter_map(|key| key.split_once('.'))
            .map(|(section, _)| section)
    }
}

/// Splits `plans.<name>.<setting>`.
fn plan_setting(key: &str) -> Option<(&str, &str)> {
    let (name, setting) = key.strip_prefix("plans.")?.split_once('.')?;
    is_plan_name(name).then_some((name, setting))
}

fn is_plan_name(name: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    !name.is_empty() && name.bytes().all(allowed)
}

/// How far apart two keys are. The right name in the wrong section is nearly right.
fn distance(known: &str, key: &str) -> usize {
    let name = |key: &str| key.rsplit_once('.').map(|(_, name)| name.to_owned());
    let whole = strsim::damerau_levenshtein(known, key);
    match name(known) {
        Some(known) if known == name(key).as_deref().unwrap_or(key) => whole.min(1),
        _ => whole,
    }
}

fn closest<'a>(
    known: impl Iterator<Item = &'a str>,
    distance: impl Fn(&str) -> usize,
    wanted: &str,
) -> Option<&'a str> {
    let far = (wanted.chars().count() / 3).max(2);
    let scored = known.map(|known| (distance(known), known));
    scored
        .min()
        .filter(|(distance, _)| *distance <= far)
        .map(|(_, known)| known)
}

/// A value in a table; its type follows from the setting's own.
fn any(written: &DeValue<'_>) -> Option<Value> {
    match written {
        DeValue::Array(items) => list(items.iter().map(|item| any(item.get_ref()))),
        DeValue::Table(table) => {
            let pairs = table
                .iter()
                .map(|(name, value)| Some((name.get_ref().to_string(), any(value.get_ref())?)));
            pairs.collect::<Option<_>>().map(Value::Table)
        }
        plain => [Kind::Text, Kind::Number, Kind::Truth]
            .into_iter()
            .find_map(|kind| kind.read(plain)),
    }
}

fn list(items: impl Iterator<Item = Option<Value>>) -> Option<Value> {
    items.collect::<Option<_>>().map(Value::Array)
}

fn integer(number: &DeInteger<'_>) -> Option<Value> {
    i64::from_str_radix(number.as_str(), number.radix())
        .ok()
        .map(Value::Integer)
}
