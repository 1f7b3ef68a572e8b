//! `/preferences/*`: how people like to read times.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Group, bodies::EmptyBody, require_session};
use crate::{
    actors::preferences::{Preferences, PreferencesChange},
    clock::iso_ms,
    fault::Fault,
};

const GROUP: Group = Group::new("preferences", "Preferences");

procedures! { GROUP;
    GET_USER_PREFERENCES = "getUserPreferences", acts(Session), get(EmptyBody) -> PreferencesOut:
        "Get how the person likes to read times";
    UPDATE_USER_PREFERENCES = "updateUserPreferences", acts(Session), update(UpdateBody) -> PreferencesOut:
        "Change how the person likes to read times";
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
    pub created_at: String,
    pub updated_at: String,
}

impl From<Preferences> for PreferencesOut {
    fn from(preferences: Preferences) -> Self {
        Self {
            id: preferences.id,
            user_id: preferences.user.to_string(),
            timezone: preferences.timezone,
            date_format: preferences.date_format,
            time_format: preferences.time_format,
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
    };
    update(call, nothing).await
}

async fn update(call: Call, body: UpdateBody) -> Result<PreferencesOut, Fault> {
    let change = PreferencesChange {
        user: require_session(&call)?.user.clone(),
        timezone: body.timezone,
        date_format: body.date_format,
        time_format: body.time_format,
    };
    Ok(call.shared.preferences.update(change).await?.into())
}
