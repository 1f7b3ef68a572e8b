//! The answer of procedures that have nothing else to say.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Success {
    pub success: bool,
}

impl Success {
    pub(super) const YES: Self = Self { success: true };
}
