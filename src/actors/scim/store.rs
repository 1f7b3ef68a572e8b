//! Making, listing and revoking tokens, and what one opens.

use secrecy::ExposeSecret as _;
use serde_json::json;

use super::{NewScimToken, ScimToken, ScimTokenError, model::MAX_TOKENS, repo};
use crate::{
    access::Permission,
    actors::{
        audit::{self, Action, Actor, Entry},
        digest::Digest,
        error::CommonError,
        keys::secret,
        kit::Handle,
        organizations::{Organizations, Provisioner},
        seal::opaque_debug,
        validation::ValidationError,
    },
    clock::Clock,
    ids::{OrganizationId, ScimTokenId, UserId},
    store::StateDb,
};

/// The text that every token begins with.
const PREFIX: &str = "sct_";
/// Characters of a name.
const MAX_NAME: usize = 100;
/// The time of the last use is written at most this often, milliseconds.
const USED_EVERY_MS: i64 = 300 * 1000;

/// Tokens of identity providers; cheap to clone.
#[derive(Clone)]
pub struct ScimTokens {
    db: StateDb,
    clock: Clock,
    organizations: Handle<Organizations>,
}

opaque_debug!(ScimTokens);

/// Whether a text can be a token of an identity provider.
pub fn is_scim_token(text: &str) -> bool {
    secret::well_formed_with(PREFIX, text)
}

impl ScimTokens {
    pub fn new(db: &StateDb, clock: Clock, organizations: Handle<Organizations>) -> Self {
        Self {
            db: db.for_domain("scim"),
            clock,
            organizations,
        }
    }

    /// Makes a token for a member who may manage members.
    pub async fn create(
        &self,
        by: &UserId,
        organization: &OrganizationId,
        name: &str,
    ) -> Result<NewScimToken, ScimTokenError> {
        let name = name.trim();
        let is_name =
            (1..=MAX_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control);
        let message = "The name must have 1 to 100 characters";
        ValidationError::require(is_name, "name", message)?;
        let secret = secret::generate_with(PREFIX)?;
        let token = ScimToken {
            id: ScimTokenId::new(),
            organization: organization.clone(),
            maker: by.clone(),
            name: name.to_owned(),
            created_ms: self.clock.now_ms(),
            last_used_ms: None,
        };
        let write = self.db.begin_blind().await?;
        let known = repo::list(&*write, organization).await?;
        if known.len() as u64 >= MAX_TOKENS {
            return Err(ScimTokenError::TooMany);
        }
        let digest = Digest::from_secret(secret.expose_secret());
        match repo::insert(&*write, &token, digest)
            .await
            .map_err(CommonError::from)
        {
            Err(CommonError::State(error)) if error.is_orphan() => {
                return Err(ScimTokenError::NotAMember);
            }
            inserted => inserted?,
        }
        let entry = entry(&token, by, Action::ScimTokenCreate);
        audit::record(&write, token.created_ms, entry).await?;
        write.commit_quietly().await?;
        Ok(NewScimToken { token, secret })
    }

    /// The tokens of an organization, newest first.
    pub async fn list(
        &self,
        organization: &OrganizationId,
    ) -> Result<Vec<ScimToken>, ScimTokenError> {
        Ok(repo::list(self.db.reader(), organization).await?)
    }

    /// The token with this ID, of whichever organization.
    pub async fn find(&self, id: &str) -> Result<Option<ScimToken>, ScimTokenError> {
        Ok(repo::find_by_id(self.db.reader(), id).await?)
    }

    pub async fn revoke(&self, by: &UserId, token: &ScimToken) -> Result<(), ScimTokenError> {
        let write = self.db.begin_blind().await?;
        if !repo::delete(&*write, &token.id).await? {
            return Err(ScimTokenError::NotFound(token.id.clone()));
        }
        let entry = entry(token, by, Action::ScimTokenRevoke);
        audit::record(&write, self.clock.now_ms(), entry).await?;
        Ok(write.commit_quietly().await?)
    }

    /// Whose provider shows a token now; `None` for one that is unknown, or whose maker may not manage members any more.
    pub async fn authenticate(&self, text: &str) -> Result<Option<Provisioner>, ScimTokenError> {
        if !is_scim_token(text) {
            return Ok(None);
        }
        let found = repo::find(self.db.reader(), &Digest::from_secret(text)).await?;
        let Some(token) = found.filter(|token| self.may_provision(token)) else {
            return Ok(None);
        };
        self.note_use(&token).await;
        Ok(Some(Provisioner {
            token: token.id,
            organization: token.organization,
            maker: token.maker,
        }))
    }

    fn may_provision(&self, token: &ScimToken) -> bool {
        let view = self.organizations.view();
        let maker = view.person(&token.maker);
        let role = maker.and_then(|maker| maker.role_in(token.organization.as_str()));
        role.is_some_and(|role| role.may(Permission::MembersManage))
    }

    /// Writes the time of the use, now and then. A failure only makes it older.
    async fn note_use(&self, token: &ScimToken) {
        let now_ms = self.clock.now_ms();
        let last_ms = token.last_used_ms;
        if last_ms.is_some_and(|last_ms| now_ms < last_ms + USED_EVERY_MS) {
            return;
        }
        let noted: Result<(), ScimTokenError> = async {
            let write = self.db.begin_blind().await?;
            repo::mark_used(&*write, &token.id, now_ms).await?;
            Ok(write.commit_quietly().await?)
        }
        .await;
        if let Err(error) = noted {
            tracing::warn!(%error, "the last use of a SCIM token is not stored");
        }
    }
}

fn entry(token: &ScimToken, by: &UserId, action: Action) -> Entry {
    let by = Actor::User(by.clone());
    let entry = Entry::within(&token.organization, by, action, token.id.as_str());
    entry.with(json!({ "name": token.name }))
}
