use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::DeepLinkApp;
use crate::actors::unlocking::Password;

/// Everything about a link that can be set. In a new link, `null` means the same as an absent field. In a change,
/// `null` clears and an absent field stays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LinkFields {
    /// What people call it, 1 to 255 characters.
    pub name: Option<String>,
    /// Where it leads: `http` or `https`, at most 2,048 characters.
    pub target_url: Option<String>,
    /// The domain that it is on: a verified one of the organization's, for short links. By default it is on the installation's.
    pub domain: Option<String>,
    /// Its path on its host, 3 to 50 of `A-Z a-z 0-9 _ -`; by default 8 random letters and digits. Imported ones may be
    /// wider.
    pub slug: Option<String>,
    /// The folder it is in.
    pub folder_id: Option<String>,
    /// When it ends, ISO 8601.
    pub expires_at: Option<String>,
    /// Where it leads from then on.
    pub expired_redirect_url: Option<String>,
    /// Title of its preview, at most 200 characters.
    pub og_title: Option<String>,
    /// Text of its preview, at most 500 characters.
    pub og_description: Option<String>,
    /// Image of its preview.
    pub og_image_url: Option<String>,
    /// Video of its preview.
    pub og_video_url: Option<String>,
    /// Where it leads on iPhones and iPads.
    pub ios_url: Option<String>,
    /// Where it leads on Android.
    pub android_url: Option<String>,
    /// Your id for it, at most 255 characters.
    pub external_id: Option<String>,
    /// Kind of what it was made for, at most 64 characters.
    pub source_type: Option<String>,
    /// Id of what it was made for, at most 255 characters.
    pub source_id: Option<String>,
    /// Owner of what it was made for, at most 255 characters.
    pub source_owner_id: Option<String>,
    /// Host of the target unless said otherwise, at most 255 characters.
    pub target_domain: Option<String>,
    /// The app that it opens.
    pub deep_link_app: Option<DeepLinkApp>,
    /// Clicks after which it ends.
    pub max_clicks: Option<u64>,
    /// Where it leads in some countries, by ISO 3166-1 alpha-2 code; at most 50.
    pub countries: Option<BTreeMap<String, String>>,
    /// Where it leads for readers of some languages, by the first part of their tag (`de`); at most 50.
    pub languages: Option<BTreeMap<String, String>>,
    /// Whether it is taken down: it answers 410 until that is taken back, whatever else it says. Only who may change the
    /// organization's settings may say so.
    pub taken_down: Option<bool>,
    /// Weighted targets, 2 to 4, which replace the target. A visitor always gets the same one.
    pub variants: Option<Vec<Variant>>,
    /// Whether its target is watched: a monitor checks it every hour (docs/monitors.md).
    pub watch_target: Option<bool>,
    /// Status of its redirect: 301, 302, 307 or 308; by default 302.
    pub redirect_status: Option<u16>,
    /// Whether the query of the short URL is added to the target; by default it isn't.
    pub query_forwarding: Option<QueryForwarding>,
    /// Words to find it by; at most 20 of 50 characters.
    pub tags: Option<Vec<String>>,
    /// What visitors have to know to be led on, 4 to 128 characters. It is never shown again.
    #[serde(skip_serializing)]
    pub password: Option<Password>,
}

/// What becomes of the query that a visitor adds to a short URL. `ref` is never passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueryForwarding {
    /// It is added to the target's.
    Append,
    /// It is added, and replaces what has the same name in the target's.
    Merge,
}

/// One of several targets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LinkVariant")]
pub struct Variant {
    /// Where it leads.
    pub url: String,
    /// Its share against the others, 1 to 100.
    pub weight: u32,
}
