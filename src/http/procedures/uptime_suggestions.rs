//! Suggestions of monitors for an address.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Call;
use crate::{
    access::Permission,
    actors::monitors::Suggestions,
    fault::Fault,
    store::limits::{Bucket, Identity, Rate},
};

/// Suggestions for an organization in a minute: each requests an address.
const SUGGESTIONS: Rate = Rate {
    bucket: Bucket::Check,
    max: 5,
    window_ms: 60_000,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "MonitorSuggest")]
#[serde(rename_all = "camelCase")]
pub struct SuggestBody {
    /// The organization; by default the key's, or the session's active one.
    pub organization_id: Option<String>,
    /// A URL or host; `https://` is put before one without a scheme.
    pub address: String,
}

pub(super) async fn suggest(call: Call, body: SuggestBody) -> Result<Suggestions, Fault> {
    let proof = call.authorize(Permission::MonitorWrite, body.organization_id.as_deref())?;
    let owner = proof.organization();
    let identity = Identity::from_name("suggestions", owner.as_str());
    call.limit(identity, SUGGESTIONS).await?;
    let now_ms = call.shared.clock.now_ms();
    let view = call.shared.monitors.view();
    Ok(view.suggest(owner, &body.address, now_ms).await?)
}
