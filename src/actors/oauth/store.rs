//! Everything that can be asked of this domain starts here.

use secrecy::{ExposeSecret as _, SecretString};

use super::{PendingConsent, repo::Kind};
use crate::{
    access::Role,
    actors::{
        digest::Digest,
        keys::secret,
        kit::Handle,
        organizations::{Organizations, SignInMethod},
        random::NoRandomness,
        seal::opaque_debug,
        sealed_tokens::SealedTokens,
    },
    clock::Clock,
    egress::Egress,
    ids::{OrganizationId, UserId},
    store::{InstanceSecret, StateDb},
};

const PURPOSE: &str = "pharos 2026-11-27 consents that wait";
/// A consent waits this long for its answer, milliseconds.
const WAITS_MS: i64 = 10 * 60 * 1000;

/// Apps, grants and tokens; cheap to clone.
#[derive(Clone)]
pub struct OAuthStore {
    pub(super) db: StateDb,
    pub(super) clock: Clock,
    organizations: Handle<Organizations>,
    consents: SealedTokens,
    pub(super) egress: Egress,
    /// Whether people may connect apps.
    is_on: bool,
}

opaque_debug!(OAuthStore);

impl OAuthStore {
    pub fn new(
        db: &StateDb,
        clock: Clock,
        organizations: Handle<Organizations>,
        (secret, egress): (&InstanceSecret, Egress),
        is_on: bool,
    ) -> Self {
        Self {
            db: db.for_domain("oauth"),
            clock,
            organizations,
            consents: SealedTokens::new(secret, PURPOSE),
            egress,
            is_on,
        }
    }

    /// Whether people may connect apps. If not, nothing registers, and tokens open nothing.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// The role that a person has in an organization now, as a session counts that began this way.
    pub(super) fn current_role(
        &self,
        user: &UserId,
        organization: &OrganizationId,
        method: &SignInMethod,
    ) -> Option<Role> {
        let view = self.organizations.view();
        view.current_role(user, organization, method)
    }

    /// When a consent that begins now is over.
    pub fn consent_until_ms(&self) -> i64 {
        self.clock.now_ms() + WAITS_MS
    }

    /// What the form of the consent page carries, sealed against forgery and changes.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub fn seal_consent(&self, pending: &PendingConsent) -> Result<SecretString, NoRandomness> {
        self.consents.seal(pending)
    }

    /// What a person answers, unless it has waited for too long.
    pub fn open_consent(&self, sealed: &str) -> Option<PendingConsent> {
        let pending: PendingConsent = self.consents.open(sealed)?;
        (self.clock.now_ms() < pending.until_ms).then_some(pending)
    }
}

/// A fresh secret, and what is kept of it.
pub(super) fn new_secret(kind: Kind) -> Result<(SecretString, Digest), NoRandomness> {
    let secret = secret::generate_with(kind.prefix())?;
    let digest = Digest::from_secret(secret.expose_secret());
    Ok((secret, digest))
}

/// What is kept of a secret of this kind; `None` for a text that can't be one.
pub(super) fn digest_of(kind: Kind, text: &str) -> Option<Digest> {
    secret::well_formed_with(kind.prefix(), text).then(|| Digest::from_secret(text))
}
