//! The two ceremonies: adding a passkey, and using it.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::{Host, Url};
use uuid::Uuid;
use webauthn_rs::prelude::{
    Credential, DiscoverableAuthentication, Passkey, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, Webauthn, WebauthnBuilder, WebauthnError,
};

use crate::ids::UserId;

/// What adding a passkey began with.
pub type Registration = PasskeyRegistration;
/// What using a passkey began with.
pub type Authentication = DiscoverableAuthentication;

/// Why an answer does not count.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Ceremony(#[from] WebauthnError),
    #[error("the passkey is another person's")]
    OtherPerson,
    #[error("what is stored of the passkey cannot be read: {0}")]
    Damaged(#[from] serde_json::Error),
}

/// Who adds a passkey.
#[derive(Debug)]
pub struct Registrant<'a> {
    pub user: &'a UserId,
    pub email: &'a str,
    pub name: &'a str,
    /// The IDs of the credentials that the person has, base64url. An authenticator with one of them makes no other.
    pub credentials: &'a [String],
}

/// A passkey that an authenticator has just made.
#[derive(Debug, Clone)]
pub struct NewCredential {
    /// Base64url.
    pub id: String,
    /// Its public key and what it was made with, as they are stored. The counter is not part of it.
    pub stored: String,
    /// How often it was used, as its authenticator counts; synced ones stay at 0.
    pub counter: u32,
    /// Whether the authenticator may copy it to other devices.
    pub can_be_synced: bool,
    pub is_backed_up: bool,
}

/// A right use of a passkey, but for its counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasskeyUse {
    pub counter: u32,
    pub is_backed_up: bool,
}

/// This site, as authenticators know it.
#[derive(Debug)]
pub struct RelyingParty {
    id: String,
    webauthn: Webauthn,
}

impl RelyingParty {
    /// The site of a public address; `None` where that is no host name. This machine is called `localhost`, because browsers know no
    /// passkeys for IP addresses.
    pub fn new(base_url: &str) -> Option<Self> {
        let mut origin = Url::parse(base_url).ok()?;
        let is_loopback = match origin.host()? {
            Host::Domain(_) => false,
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        if is_loopback {
            origin.set_host(Some("localhost")).ok()?;
        }
        origin.set_path("");
        let id = origin.domain()?.to_owned();
        let builder = WebauthnBuilder::new(&id, &origin).ok()?;
        let webauthn = builder.rp_name("pharos").build().ok()?;
        Some(Self { id, webauthn })
    }

    /// The host that passkeys are for.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What a browser needs to make a passkey.
    pub fn start_registration(
        &self,
        registrant: &Registrant<'_>,
    ) -> Result<(Value, Registration), Refusal> {
        let handle = handle(registrant.user);
        let (email, name) = (registrant.email, registrant.name);
        let started = self
            .webauthn
            .start_passkey_registration(handle, email, name, None)?;
        let mut options = serde_json::to_value(started.0.public_key)?;
        options["authenticatorSelection"]["residentKey"] = json!("required");
        options["authenticatorSelection"]["requireResidentKey"] = json!(true);
        let known = registrant.credentials.iter();
        let known = known.map(|id| json!({ "type": "public-key", "id": id }));
        options["excludeCredentials"] = known.collect();
        Ok((options, started.1))
    }

    pub fn finish_registration(
        &self,
        answer: &RegisterPublicKeyCredential,
        started: &Registration,
    ) -> Result<NewCredential, Refusal> {
        let passkey = self.webauthn.finish_passkey_registration(answer, started)?;
        let mut credential = Credential::from(passkey);
        let counter = std::mem::take(&mut credential.counter);
        Ok(NewCredential {
            id: credential_id(&credential.cred_id),
            counter,
            can_be_synced: credential.backup_eligible,
            is_backed_up: credential.backup_state,
            stored: serde_json::to_string(&Passkey::from(credential))?,
        })
    }

    /// What a browser needs to use a passkey, whoever's.
    pub fn start_authentication(&self) -> Result<(Value, Authentication), Refusal> {
        let started = self.webauthn.start_discoverable_authentication()?;
        Ok((serde_json::to_value(started.0.public_key)?, started.1))
    }

    /// Whether the owner of a stored passkey has used it. Its counter is left to whoever stores it, because two uses may come at
    /// once.
    pub fn finish_authentication(
        &self,
        answer: &PublicKeyCredential,
        started: Authentication,
        (owner, stored): (&UserId, &str),
    ) -> Result<PasskeyUse, Refusal> {
        if answer.get_user_unique_id() != Some(handle(owner).as_bytes()) {
            return Err(Refusal::OtherPerson);
        }
        let passkey: Passkey = serde_json::from_str(stored)?;
        let used = self
            .webauthn
            .finish_discoverable_authentication_v2(answer, started, &passkey)?;
        Ok(PasskeyUse {
            counter: used.counter(),
            is_backed_up: used.backup_state(),
        })
    }
}

/// How the ID of a credential is written.
pub fn credential_id(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// By what authenticators tell a site's people apart. It says nothing of the person.
fn handle(user: &UserId) -> Uuid {
    let digest: [u8; 32] = Sha256::digest(user.as_str()).into();
    let mut handle = [0; 16];
    handle.copy_from_slice(&digest[..16]);
    Uuid::from_bytes(handle)
}
