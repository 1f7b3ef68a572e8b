//! What the operator has decided about the authority.

use std::path::PathBuf;

/// Who gives certificates, and who asks for them.
#[derive(Debug, Clone, Default)]
pub struct AuthorityOptions {
    /// The authority's directory.
    pub directory_url: String,
    /// Where the authority writes to; empty = nowhere.
    pub email: String,
    /// A file of authorities to trust in place of the machine's.
    pub root_certificate: Option<PathBuf>,
    pub external_account: Option<ExternalAccount>,
}

/// A customer's account at the authority, to which the ACME account is bound.
#[derive(Clone)]
pub struct ExternalAccount {
    pub key_id: String,
    pub hmac_key: Vec<u8>,
}

impl std::fmt::Debug for ExternalAccount {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("ExternalAccount")
            .field(&self.key_id)
            .finish()
    }
}
