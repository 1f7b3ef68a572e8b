//! What a provider says of a person.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Value};

use super::{ScimError, text};

const MAX_EMAILS: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserAttributes {
    pub user_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emails: Vec<Email>,
    /// Whether the provider wants the person to be a member.
    #[serde(default = "yes", deserialize_with = "read_bool", skip_serializing)]
    pub active: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Name {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formatted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub middle_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub honorific_prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub honorific_suffix: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Email {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(
        deserialize_with = "read_some_bool",
        skip_serializing_if = "Option::is_none"
    )]
    pub primary: Option<bool>,
}

const fn yes() -> bool {
    true
}

/// A boolean, which Entra ID sends as `"True"` and `"False"`.
fn read_bool<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    match Value::deserialize(input)? {
        Value::Bool(value) => Ok(value),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        other => Err(D::Error::custom(format!("{other} must be true or false"))),
    }
}

fn read_some_bool<'de, D: Deserializer<'de>>(input: D) -> Result<Option<bool>, D::Error> {
    read_bool(input).map(Some)
}

impl UserAttributes {
    /// Reads the attributes of a user ([`super::Kind::read`]).
    pub fn read(fields: Map<String, Value>) -> Result<Self, ScimError> {
        if !fields.contains_key("userName") {
            text::require("userName", None)?;
        }
        let read = serde_json::from_value::<Self>(Value::Object(fields));
        let read = read.map_err(|error| ScimError::Value(format!("The user is wrong: {error}")))?;
        read.check().map(|()| read)
    }

    /// As a resource has it, without what the server adds.
    pub fn to_fields(&self) -> Map<String, Value> {
        let mut fields = match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        fields.insert("active".to_owned(), Value::Bool(self.active));
        fields
    }

    fn check(&self) -> Result<(), ScimError> {
        text::require("userName", Some(&self.user_name))?;
        let name = self.name.iter().flat_map(Name::texts);
        let emails = self.emails.iter();
        let emails = emails.flat_map(|one| [&one.value, &one.display, &one.kind]);
        let others = [&self.external_id, &self.display_name];
        let texts = others.into_iter().chain(name).chain(emails).flatten();
        text::check(texts.chain(std::iter::once(&self.user_name)))?;
        if self.emails.len() > MAX_EMAILS {
            let why = format!("`emails` has at most {MAX_EMAILS} entries");
            return Err(ScimError::Value(why));
        }
        Ok(())
    }

    /// The address that decides about the account: the primary one, the one at work, the first, or the user name.
    pub fn address(&self) -> Option<&str> {
        let given = || self.emails.iter().filter(|one| one.value.is_some());
        let at_work = |one: &&Email| one.kind.as_deref() == Some("work");
        let chosen = given().find(|one| one.primary == Some(true));
        let chosen = chosen.or_else(|| given().find(at_work));
        let chosen = chosen.or_else(|| given().next());
        let name = || Some(&*self.user_name).filter(|name| name.contains('@'));
        chosen.and_then(|one| one.value.as_deref()).or_else(name)
    }

    /// What the person is called.
    pub fn full_name(&self) -> Option<String> {
        let name = self.name.as_ref();
        let formatted = name.and_then(|name| name.formatted.clone());
        let joined = name.map(|name| {
            let parts = [&name.given_name, &name.family_name].into_iter().flatten();
            parts.map(String::as_str).collect::<Vec<_>>().join(" ")
        });
        let all = [self.display_name.clone(), formatted, joined];
        all.into_iter()
            .flatten()
            .find(|name| !name.trim().is_empty())
    }
}

impl Name {
    fn texts(&self) -> [&Option<String>; 6] {
        [
            &self.formatted,
            &self.family_name,
            &self.given_name,
            &self.middle_name,
            &self.honorific_prefix,
            &self.honorific_suffix,
        ]
    }
}
