//! `/preferences/*`: how people like to read times.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Group, bodies::EmptyBody, require_session};
use crate::{
    actors::{
        organizations::SetLanguage,
        preferences::{Preferences, PreferencesChange},
    },
    clock::iso_ms,
    fault::{Fault, Issue},
    locale::Language,
};

/// What stands for no choice of one's own.
const AUTO: &str = "auto";

const GROUP: Group = Group::new("preferences", "Preferences");

procedures! { GROUP;
    GET_USER_PREFERENCES = "getUserPreferences", acts(Session), get(EmptyBody) -> PreferencesOut:
        "Get your date and time preferences";
    UPDATE_USER_PREFERENCES = "updateUserPreferences", acts(Session), update(UpdateBody) -> PreferencesOut:
        "Change your date and time preferences";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PreferencesUpdate")]
pub struct UpdateBody {
    /// `auto` (the browser's), or an IANA time zone.
    pub timezone: Option<String>,
    /// How dates are written, such as `MMM D, YYYY`; 1 to 40 characters.
    pub date_format: Option<String>,
    /// How times of day are written, such as `h:mm a`; 1 to 40 characters.
    pub time_format: Option<String>,
    /// The language of emails to the person: `auto`, or the tag of a language, such as `de`.
    pub language: Option<String>,
}

/// How a person likes to read times.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UserPreferences")]
pub struct PreferencesOut {
    pub id: String,
    pub user_id: String,
    pub timezone: String,
    pub date_format: String,
    pub time_format: String,
    /// `auto`, or the tag of a language.
    pub language: String,
    pub created_at: String,
    pub updated_at: String,
}

impl PreferencesOut {
    fn new(preferences: Preferences, language: Option<Language>) -> Self {
        Self {
            id: preferences.id,
            user_id: preferences.user.to_string(),
            timezone: preferences.timezone,
            date_format: preferences.date_format,
            time_format: preferences.time_format,
            language: language.map_or(AUTO, Language::code).to_owned(),
            created_at: iso_ms(preferences.created_ms),
            updated_at: iso_ms(preferences.updated_ms),
        }
    }
}

async fn get(call: Call, _: EmptyBody) -> Result<PreferencesOut, Fault> {
    let nothing = UpdateBody {
        timezone: None,
        date_format: None,
        time_format: None,
        language: None,
    };
    update(call, nothing).await
}

async fn update(call: Call, body: UpdateBody) -> Result<PreferencesOut, Fault> {
    let user = require_session(&call)?.user.clone();
    let wanted = body.language.as_deref().map(read_language).transpose()?;
    let change = PreferencesChange {
        user: user.clone(),
        timezone: body.timezone,
        date_format: body.date_format,
        time_format: body.time_format,
    };
    let preferences = call.shared.preferences.update(change).await?;
    let organizations = &call.shared.organizations;
    let language = if let Some(language) = wanted {
        let message = SetLanguage { user, language };
        organizations.ask(message).await?.language
    } else {
        let view = organizations.view();
        view.person(&user).and_then(|person| person.language)
    };
    Ok(PreferencesOut::new(preferences, language))
}

/// The language with this tag; `None` for `auto`.
fn read_language(tag: &str) -> Result<Option<Language>, Fault> {
    if tag == AUTO {
        return Ok(None);
    }
    let language = Language::parse(tag);
    language.map(Some).ok_or_else(|| {
        let tags = Language::ALL.map(Language::code).join("`, `");
        let message = format!("`language` is `auto`, `{tags}`");
        let issue = Issue::new("invalid_value", "language", message);
        Fault::issues("Input validation failed", vec![issue])
    })
}
