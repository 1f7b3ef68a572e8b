//! A notification channel as data: what is asked for, the request that is sent, and how its answer is read.

use std::collections::BTreeMap;

use regex::Regex;
use serde::Deserialize;

use super::template;

/// Names that a field can't have: they mean something else in templates or in what is stored.
const TAKEN: [&str; 22] = [
    "base",
    "body",
    "chat",
    "data",
    "event",
    "headers",
    "id",
    "identifier",
    "key",
    "kind",
    "link",
    "method",
    "recipient",
    "resolved",
    "secret",
    "secrets",
    "seconds",
    "text",
    "thread",
    "timestamp",
    "title",
    "url",
];

/// What a channel is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Category {
    Chat,
    Push,
    /// Services that keep a list of what is open.
    Incidents,
    /// Text messages.
    Sms,
    Email,
    Tickets,
    /// Programs.
    Automation,
}

/// A file of a channel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The name of the service.
    pub title: String,
    pub category: Category,
    /// The page of the service's documentation that the request follows.
    pub source: String,
    /// When that page was read, `YYYY-MM-DD`.
    pub read_on: String,
    /// Whether it gets a message for each subject, because it keeps a list of what is open.
    #[serde(default)]
    pub one_by_one: bool,
    pub recipient: Recipient,
    #[serde(default)]
    pub fields: Vec<Field>,
    /// Nothing for what isn't sent over HTTP.
    pub(super) request: Option<Request>,
    /// What is different when something is over.
    pub(super) resolve: Option<Resolve>,
    #[serde(default)]
    pub(super) answer: Answer,
}

/// What `identifier` is.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipient {
    pub label: String,
    pub hint: String,
    /// Whether it is an address over HTTP.
    pub url: bool,
    /// Addresses that it begins with.
    pub below: Vec<String>,
    /// What it has to match as a whole.
    pub pattern: Option<Pattern>,
    /// Whether it is an email address.
    pub email: bool,
}

impl Recipient {
    pub(super) fn is_url(&self) -> bool {
        self.url || !self.below.is_empty()
    }
}

/// A further setting of a destination, `config.<name>`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    pub name: String,
    pub label: String,
    #[serde(default)]
    pub hint: String,
    /// Whether it is masked.
    #[serde(default)]
    pub secret: bool,
    #[serde(default)]
    pub optional: bool,
    /// The only values, the default first.
    #[serde(default)]
    pub choices: Vec<String>,
    pub pattern: Option<Pattern>,
}

/// A regular expression for a whole text.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = regex::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Regex::new(&format!("^(?:{text})$")).map(Self)
    }
}

impl Pattern {
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// How a request is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Signing {
    /// By Standard Webhooks; people can set a secret, a method and headers.
    StandardWebhooks,
    /// By version 4 of AWS's signatures, with `access_key`, `secret_key` and `region`.
    Aws4,
}

/// Templates of a request. One of `json`, `form` and `text` is its body.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Request {
    /// Where the service is. `alarms.base_urls` of the configuration replaces it.
    pub(super) base: String,
    pub(super) method: Option<String>,
    pub(super) url: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) json: Option<toml::Value>,
    pub(super) form: Option<BTreeMap<String, String>>,
    pub(super) text: Option<String>,
    pub(super) sign: Option<Signing>,
}

/// Parts of the request that replace those of the message that something began.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Resolve {
    /// Whether nothing is sent.
    pub(super) skip: bool,
    pub(super) method: Option<String>,
    pub(super) url: Option<String>,
    pub(super) json: Option<toml::Value>,
    pub(super) form: Option<BTreeMap<String, String>>,
    pub(super) text: Option<String>,
}

/// Expressions about an answer: `status`, `text`, and `body` if it is JSON.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Answer {
    /// Whether an answer with 2xx means success.
    pub(super) success: Option<String>,
    /// Whether the receiver wants nothing any more, beside 410.
    pub(super) gone: Option<String>,
    /// Whether trying again is of no use.
    pub(super) forever: Option<String>,
    /// What went wrong, in the service's words.
    pub(super) error: Option<String>,
}

/// What is wrong with a file, and in which line if that is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
pub struct DefinitionError {
    pub line: Option<usize>,
    pub message: String,
}

impl Definition {
    /// Reads a file and tries its templates.
    pub fn parse(file: &str) -> Result<Self, DefinitionError> {
        let read: Result<Self, _> = toml::from_str(file);
        let definition = read.map_err(|error| DefinitionError {
            line: error
                .span()
                .map(|span| file[..span.start].matches('\n').count() + 1),
            message: error.message().to_owned(),
        })?;
        let at = |text: &str| {
            let mut lines = file.lines();
            lines.position(|line| line.contains(text)).map(|at| at + 1)
        };
        if let Some((wrong, message)) = definition.fault() {
            return Err(DefinitionError {
                line: at(&wrong),
                message,
            });
        }
        Ok(definition)
    }

    /// A text of the file that can't be, and why.
    fn fault(&self) -> Option<(String, String)> {
        for field in &self.fields {
            let name = &field.name;
            let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !is_name || TAKEN.contains(&name.as_str()) {
                let message = format!("a field can't be named `{name}`");
                return Some((name.clone(), message));
            }
        }
        if self.request.is_none() && !self.recipient.email {
            return Some(("[request]".to_owned(), "`request` is missing".to_owned()));
        }
        let (texts, expressions) = self.templates();
        let fields = self.fields.iter().map(|field| field.name.as_str());
        let names = template::sample(fields);
        let texts = texts.into_iter();
        let texts = texts.map(|text| (text, template::check(text, &names)));
        let expressions = expressions.into_iter();
        let expressions = expressions.map(|text| (text, template::check_expression(text, &names)));
        let mut all = texts.chain(expressions);
        all.find_map(|(text, checked)| {
            let first = text.lines().find(|line| !line.trim().is_empty());
            Some((first.unwrap_or(text).to_owned(), checked.err()?))
        })
    }

    /// Every template and every expression.
    fn templates(&self) -> (Vec<&str>, Vec<&str>) {
        let mut texts: Vec<&str> = Vec::new();
        if let Some(request) = &self.request {
            texts.extend([request.base.as_str(), request.url.as_str()]);
            texts.extend(request.headers.values().map(String::as_str));
            texts.extend(request.form.iter().flatten().map(|(_, text)| text.as_str()));
            texts.extend(request.text.as_deref());
            leaves(request.json.as_ref(), &mut texts);
        }
        if let Some(resolve) = &self.resolve {
            texts.extend(resolve.url.as_deref());
            texts.extend(resolve.form.iter().flatten().map(|(_, text)| text.as_str()));
            texts.extend(resolve.text.as_deref());
            leaves(resolve.json.as_ref(), &mut texts);
        }
        let answer = &self.answer;
        let expressions = [
            &answer.success,
            &answer.gone,
            &answer.forever,
            &answer.error,
        ];
        (
            texts,
            expressions
                .into_iter()
                .filter_map(Option::as_deref)
                .collect(),
        )
    }

    pub(super) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Whether the value of a field is masked. Fields that are unknown are.
    pub fn is_secret(&self, name: &str) -> bool {
        self.field(name).is_none_or(|field| field.secret)
    }

    /// Whether people set headers, a method and a secret.
    pub fn is_webhook(&self) -> bool {
        let request = self.request.as_ref();
        request.is_some_and(|request| request.sign == Some(Signing::StandardWebhooks))
    }
}

fn leaves<'a>(value: Option<&'a toml::Value>, texts: &mut Vec<&'a str>) {
    match value {
        Some(toml::Value::String(text)) => texts.push(text),
        Some(toml::Value::Array(all)) => all.iter().for_each(|one| leaves(Some(one), texts)),
        Some(toml::Value::Table(all)) => all.values().for_each(|one| leaves(Some(one), texts)),
        _ => {}
    }
}
