//! Certificates that were got elsewhere.

use super::{CertificateError, Certificates};
use crate::acme::IssuedCertificate;

impl Certificates {
    /// Stores certificates of new hosts, sealed as those of an order are. For measurements only: nothing else brings keys.
    ///
    /// # Errors
    /// The database is away, or knows one of the hosts.
    #[doc(hidden)]
    pub async fn import(
        &self,
        certificates: &[(String, IssuedCertificate)],
    ) -> Result<(), CertificateError> {
        self.0.store.import(certificates).await
    }
}
