//! What an access token opens, at every request.

use std::sync::Arc;

use super::{
    Grant, OAuthError, OAuthStore, Resource,
    repo::{self, Kind},
    rules,
    store::digest_of,
};
use crate::{
    access::{KeyGrant, Represented},
    actors::keys::secret,
};

/// The time of the last use is written at most this often per grant, milliseconds.
const USED_EVERY_MS: i64 = 300 * 1000;

/// Whether a text can be an access token, and is therefore no API key.
pub fn is_access_token(text: &str) -> bool {
    secret::well_formed_with(Kind::Access.prefix(), text)
}

impl OAuthStore {
    /// What an access token opens now where it is used; `None` for one that is unknown, over, for something else, or of a
    /// person who has left.
    pub async fn authenticate(
        &self,
        token: &str,
        used_at: Resource,
    ) -> Result<Option<Arc<KeyGrant>>, OAuthError> {
        let Some(digest) = digest_of(Kind::Access, token).filter(|_| self.is_on()) else {
            return Ok(None);
        };
        let (db, now_ms) = (self.db.reader(), self.clock.now_ms());
        let Some(token) = repo::find_token(db, &digest).await? else {
            return Ok(None);
        };
        let is_good =
            token.kind == Kind::Access.as_str() && now_ms < token.expires_at.timestamp_millis();
        let grant = repo::find_grant(db, &token.grant_id).await?;
        let Some(grant) = grant.filter(|grant| is_good && grant.resource.covers(used_at)) else {
            return Ok(None);
        };
        let role = self.current_role(&grant.user, &grant.organization, &grant.method);
        let Some(role) = role else {
            return Ok(None);
        };
        self.note_use(&grant, now_ms).await;
        Ok(Some(Arc::new(KeyGrant {
            id: grant.id.as_str().into(),
            global: rules::usable(&grant.scopes, role),
            organization: Some(grant.organization),
            websites: Vec::new(),
            person: Some(Represented {
                user: grant.user,
                role,
            }),
        })))
    }

    /// Writes the time of the use, now and then. A failure only makes it older.
    async fn note_use(&self, grant: &Grant, now_ms: i64) {
        let last_ms = grant.last_used_ms;
        if last_ms.is_some_and(|last_ms| now_ms < last_ms + USED_EVERY_MS) {
            return;
        }
        let noted: Result<(), OAuthError> = async {
            let write = self.db.begin_blind().await?;
            repo::mark_grant_used(&*write, &grant.id, now_ms).await?;
            Ok(write.commit_quietly().await?)
        }
        .await;
        if let Err(error) = noted {
            tracing::warn!(%error, "the last use of a connected app is not stored");
        }
    }
}
