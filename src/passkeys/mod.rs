//! Passkeys: what this site asks of an authenticator, and whether its answer is right.
//!
//! Invariants:
//! - A passkey belongs to the host of the public address, and an answer counts from that address alone.
//! - The authenticator checks the person (a fingerprint, a face or a PIN) and remembers whose passkey it is. So a passkey counts as
//!   both factors, and nobody has to be named before it is used.
//! - Where a passkey is stored is not asked: what an authenticator says of itself is not checked.

mod relying_party;
#[cfg(test)]
mod tests;

pub use relying_party::{
    Authentication, NewCredential, PasskeyUse, Refusal, Registrant, Registration, RelyingParty,
    credential_id,
};
pub use webauthn_rs::prelude::{PublicKeyCredential, RegisterPublicKeyCredential};
