//! Which clients of other products can evaluate a flag by themselves.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{Call, bodies::IdBody},
    GROUP, compile, find,
};
use crate::{access::Permission, events::accept::protocols::Protocol, fault::Fault};

procedures! { GROUP;
    COMPATIBILITY = "compatibility", reads(FlagRead), show(IdBody) -> Vec<CompatibilityOut>:
        "Show whether other products' clients with local evaluation get a flag";
}

/// Whether clients of a product evaluate a flag as the server does.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FlagCompatibility")]
#[serde(rename_all = "camelCase")]
pub struct CompatibilityOut {
    pub protocol: Protocol,
    /// If not, clients that evaluate by themselves don't get it. Clients that ask the server get it either way.
    pub evaluated_by_clients: bool,
    /// Why not.
    pub reason: Option<String>,
}

async fn show(call: Call, body: IdBody) -> Result<Vec<CompatibilityOut>, Fault> {
    let flag = find(&call, &body.id, Permission::FlagRead).await?;
    let compiled = compile(&call, &flag).await?;
    let reason = compiled.unleash_strategies().err().map(ToString::to_string);
    Ok(vec![CompatibilityOut {
        protocol: Protocol::Unleash,
        evaluated_by_clients: reason.is_none(),
        reason,
    }])
}
