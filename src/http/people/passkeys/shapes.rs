//! How passkeys are written.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{actors::organizations::Passkey, clock::iso_ms};

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PasskeyOut {
    id: String,
    name: String,
    user_id: String,
    /// The authenticator's ID of it, base64url.
    #[serde(rename = "credentialID")]
    credential_id: String,
    /// Number of uses, as its authenticator counts. Synced passkeys stay at 0.
    counter: u32,
    /// `singleDevice`, or `multiDevice` where it can be synced.
    device_type: &'static str,
    /// Whether it was synced or backed up, as of its last use.
    backed_up: bool,
    created_at: String,
    /// When it last opened a session.
    last_used_at: Option<String>,
}

impl From<Passkey> for PasskeyOut {
    fn from(passkey: Passkey) -> Self {
        Self {
            id: passkey.id,
            name: passkey.name,
            user_id: passkey.user.to_string(),
            credential_id: passkey.credential_id,
            counter: passkey.counter,
            device_type: if passkey.can_be_synced {
                "multiDevice"
            } else {
                "singleDevice"
            },
            backed_up: passkey.is_backed_up,
            created_at: iso_ms(passkey.created_ms),
            last_used_at: passkey.last_used_ms.map(iso_ms),
        }
    }
}

/// A passkey that was added.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AddedOut {
    #[serde(flatten)]
    pub(super) passkey: PasskeyOut,
    /// With the first second factor of an account: ten backup codes, shown this once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub(super) backup_codes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RenamedOut {
    pub(super) passkey: PasskeyOut,
}
