//! TLS trusts the authorities of this machine.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto::ring};

use super::{Address, NotAnAddress};

/// What the client needs to know of encryption, also where there is none.
pub(super) fn config(address: &Address) -> Result<ClientConfig, NotAnAddress> {
    let mut roots = RootCertStore::empty();
    if address.is_encrypted() {
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            return Err(NotAnAddress(
                "https:// needs certificate authorities, and this machine has none: install `ca-certificates`, or name a file \
                 of them in SSL_CERT_FILE"
                    .to_owned(),
            ));
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| NotAnAddress(error.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
