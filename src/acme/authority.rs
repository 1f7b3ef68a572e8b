//! An authority, and an account there.

use instant_acme::{Account, Error, ExternalAccountKey, NewAccount, RevocationRequest};
use rustls::pki_types::CertificateDer;

use super::{
    AuthorityOptions, Failure,
    certificate::renewal_id,
    client::{self, Client},
};
use crate::clock::Clock;

/// Largest directory, bytes.
const MAX_DIRECTORY: usize = 64 << 10;

/// When an authority would like a certificate to be renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenewalWindow {
    pub start_ms: i64,
    pub end_ms: i64,
    /// When to ask again.
    pub check_at_ms: i64,
}

/// An authority; cheap to clone.
#[derive(Debug, Clone)]
pub struct Authority {
    options: AuthorityOptions,
    http: reqwest::Client,
    clock: Clock,
}

impl Authority {
    /// Nothing is asked of it yet.
    ///
    /// # Errors
    /// The file of the root certificate can't be used.
    pub fn new(options: AuthorityOptions, clock: Clock) -> Result<Self, String> {
        let http = client::connect(&options)?;
        Ok(Self {
            options,
            http,
            clock,
        })
    }

    /// What tells its accounts from those at others.
    pub fn account_id(&self) -> String {
        let url = &self.options.directory_url;
        match &self.options.external_account {
            Some(external) => format!("{url}#{}", external.key_id),
            None => url.clone(),
        }
    }

    /// Whether the authority answers, and speaks ACME.
    ///
    /// # Errors
    /// It doesn't.
    pub async fn check_directory(&self) -> Result<(), Failure> {
        let fail = |error: reqwest::Error| Failure::new(client::describe(error).to_string());
        let answer = self.http.get(&self.options.directory_url).send().await;
        let mut answer = answer.map_err(fail)?;
        let status = answer.status();
        let mut text = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(fail)? {
            text.extend_from_slice(&chunk);
            if text.len() > MAX_DIRECTORY {
                break;
            }
        }
        let directory = serde_json::from_slice::<serde_json::Value>(&text).unwrap_or_default();
        if status.is_success() && directory["newOrder"].is_string() {
            return Ok(());
        }
        Err(Failure::new(format!(
            "something else than an ACME directory answers, with status {status}"
        )))
    }

    /// Creates an account; with it come its credentials, which are secret.
    ///
    /// # Errors
    /// The authority's reason.
    pub async fn create_account(&self) -> Result<(Session, Vec<u8>), Failure> {
        let client = Client::new(self.http.clone(), self.clock.clone());
        let contact = format!("mailto:{}", self.options.email);
        let contacts = [contact.as_str()];
        let account = NewAccount {
            contact: if self.options.email.is_empty() {
                &[]
            } else {
                &contacts
            },
            terms_of_service_agreed: true,
            only_return_existing: false,
        };
        let external = self.options.external_account.as_ref();
        let external = external
            .map(|external| ExternalAccountKey::new(external.key_id.clone(), &external.hmac_key));
        let url = self.options.directory_url.clone();
        let created = Account::builder_with_http(Box::new(client.clone()))
            .create(&account, url, external.as_ref())
            .await;
        let session = |account| Session {
            account,
            client: client.clone(),
        };
        let (account, credentials) =
            created.map_err(|error| Failure::from_error(&error, client.retry_at_ms()))?;
        let credentials = serde_json::to_vec(&credentials);
        let credentials = credentials.map_err(|error| Failure::new(error.to_string()))?;
        Ok((session(account), credentials))
    }

    /// Uses an account that there is.
    ///
    /// # Errors
    /// The credentials can't be read, or the authority can't be reached.
    pub async fn open_account(&self, credentials: &[u8]) -> Result<Session, Failure> {
        let client = Client::new(self.http.clone(), self.clock.clone());
        let credentials = serde_json::from_slice(credentials)
            .map_err(|_| Failure::new("the stored account is damaged"))?;
        let account = Account::builder_with_http(Box::new(client.clone()))
            .from_credentials(credentials)
            .await;
        match account {
            Ok(account) => Ok(Session { account, client }),
            Err(error) => Err(Failure::from_error(&error, client.retry_at_ms())),
        }
    }
}

/// An account in use, for one order or question.
pub struct Session {
    pub(super) account: Account,
    client: Client,
}

impl Session {
    pub(super) fn fail(&self, error: &Error) -> Failure {
        Failure::from_error(error, self.client.retry_at_ms())
    }

    /// When the authority would like this certificate to be renewed; `None` if it doesn't say such things.
    ///
    /// # Errors
    /// The authority's reason.
    pub async fn ask_renewal_window(
        &self,
        certificate: &[u8],
    ) -> Result<Option<RenewalWindow>, Failure> {
        let Some(id) = renewal_id(certificate) else {
            return Ok(None);
        };
        let (info, again) = match self.account.renewal_info(&id).await {
            Ok(found) => found,
            Err(Error::Unsupported(_)) => return Ok(None),
            Err(error) => return Err(self.fail(&error)),
        };
        let window = info.suggested_window;
        let again_ms = i64::try_from(again.as_millis()).unwrap_or(i64::MAX);
        Ok(Some(RenewalWindow {
            start_ms: window.start.unix_timestamp() * 1_000,
            end_ms: window.end.unix_timestamp() * 1_000,
            check_at_ms: self.client.now_ms().saturating_add(again_ms),
        }))
    }

    /// Revokes a certificate that this account has got.
    ///
    /// # Errors
    /// The authority's reason.
    pub async fn revoke(&self, certificate: &[u8]) -> Result<(), Failure> {
        let certificate = CertificateDer::from_slice(certificate);
        let request = RevocationRequest {
            certificate: &certificate,
            reason: None,
        };
        let revoked = self.account.revoke(&request).await;
        revoked.map_err(|error| self.fail(&error))
    }
}
