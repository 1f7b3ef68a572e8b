//! The token endpoint: codes and refresh tokens become tokens, once each.

use secrecy::{ExposeSecret as _, SecretString};

use super::{
    ACCESS_TOKEN_S, Grant, GrantRefusal, OAuthError, OAuthStore, Resource, Tokens,
    grants::app_of,
    repo::{self, Kind, NewToken},
    rules::{self, IDLE_MS},
    store::{digest_of, new_secret},
};
use crate::{access::Scope, actors::digest::Digest, entities::oauth_token, store::state::Write};

const BAD_CODE: GrantRefusal =
    GrantRefusal::Invalid("The code is unknown, used or older than a minute: start again");
const BAD_PROOF: GrantRefusal = GrantRefusal::Invalid(
    "client_id, redirect_uri or code_verifier don't belong to the code: start again",
);
const BAD_REFRESH_TOKEN: GrantRefusal =
    GrantRefusal::Invalid("The refresh token is unknown, used, expired or revoked: start again");

/// A code on its way to tokens.
#[derive(Debug)]
pub struct CodeExchange {
    pub app: String,
    pub code: SecretString,
    pub verifier: SecretString,
    /// Where the code was sent, if the app says it.
    pub redirect_uri: Option<String>,
    pub resource: Option<Resource>,
}

/// A refresh token on its way to new tokens.
#[derive(Debug)]
pub struct Refresh {
    pub app: String,
    pub token: SecretString,
    pub scopes: Option<Vec<Scope>>,
    pub resource: Option<Resource>,
}

/// A token that its app gives back.
#[derive(Debug)]
pub struct Revocation {
    pub app: Option<String>,
    pub token: SecretString,
}

impl OAuthStore {
    /// Tokens for a code. A code is good for one attempt, whatever comes of it.
    pub async fn exchange(&self, exchange: CodeExchange) -> Result<Tokens, OAuthError> {
        self.check_app(&exchange.app).await?;
        let digest = digest_of(Kind::Code, exchange.code.expose_secret()).ok_or(BAD_CODE)?;
        self.check_known(&digest, BAD_CODE).await?;
        let now_ms = self.clock.now_ms();
        let write = self.db.begin_blind().await?;
        let (code, grant) = found(&write, &digest).await?.ok_or(BAD_CODE)?;
        if !repo::use_token(&*write, &code.digest, now_ms).await? {
            let reason = "its code was used twice";
            self.end_reused(&write, &grant, reason).await?;
            write.commit_quietly().await?;
            return Err(BAD_CODE.into());
        }
        let outcome = check_code(&exchange, &code, &grant, now_ms);
        if let Err(refusal) = outcome {
            let reason = "its code was refused";
            self.end_in(&write, &grant, app_of(&grant), reason).await?;
            write.commit_quietly().await?;
            return Err(refusal.into());
        }
        self.issue(write, grant).await
    }

    /// New tokens for a refresh token, which is worthless from then on. One that was used before ends its grant.
    pub async fn refresh(&self, refresh: Refresh) -> Result<Tokens, OAuthError> {
        self.check_app(&refresh.app).await?;
        let digest = digest_of(Kind::Refresh, refresh.token.expose_secret());
        let digest = digest.ok_or(BAD_REFRESH_TOKEN)?;
        self.check_known(&digest, BAD_REFRESH_TOKEN).await?;
        let now_ms = self.clock.now_ms();
        let write = self.db.begin_blind().await?;
        let (token, grant) = found(&write, &digest).await?.ok_or(BAD_REFRESH_TOKEN)?;
        if grant.app.as_str() != refresh.app {
            return Err(BAD_REFRESH_TOKEN.into());
        }
        if token.used_at.is_some() {
            let reason = "its refresh token was used twice";
            self.end_reused(&write, &grant, reason).await?;
            write.commit_quietly().await?;
            return Err(BAD_REFRESH_TOKEN.into());
        }
        if now_ms >= token.expires_at.timestamp_millis() {
            return Err(BAD_REFRESH_TOKEN.into());
        }
        check_resource(&grant, refresh.resource)?;
        let mut asked = refresh.scopes.iter().flatten();
        if !asked.all(|scope| grant.scopes.contains(scope)) {
            return Err(GrantRefusal::BeyondScope.into());
        }
        let role = self.current_role(&grant.user, &grant.organization, &grant.method);
        if role.is_none() {
            return Err(BAD_REFRESH_TOKEN.into());
        }
        repo::use_token(&*write, &token.digest, now_ms).await?;
        self.issue(write, grant).await
    }

    /// Ends the grant of a token (RFC 7009). An unknown token is none already.
    pub async fn revoke(&self, revocation: Revocation) -> Result<(), OAuthError> {
        let token = revocation.token.expose_secret();
        let kinds = [Kind::Refresh, Kind::Access];
        let Some(digest) = kinds.into_iter().find_map(|kind| digest_of(kind, token)) else {
            return Ok(());
        };
        if repo::find_token(self.db.reader(), &digest).await?.is_none() {
            return Ok(());
        }
        let write = self.db.begin_blind().await?;
        let Some((_, grant)) = found(&write, &digest).await? else {
            return Ok(());
        };
        if revocation.app.is_some_and(|app| app != grant.app.as_str()) {
            let why = "The token belongs to another app: send its client_id";
            return Err(GrantRefusal::Invalid(why).into());
        }
        let reason = "its app gave the token back";
        self.end_in(&write, &grant, app_of(&grant), reason).await?;
        Ok(write.commit_quietly().await?)
    }

    async fn check_app(&self, id: &str) -> Result<(), OAuthError> {
        let app = self.find_app(id).await?;
        app.map(drop).ok_or(GrantRefusal::UnknownApp.into())
    }

    /// Refuses what is no token at all, before anything waits for the turn to write.
    async fn check_known(&self, digest: &Digest, refusal: GrantRefusal) -> Result<(), OAuthError> {
        let known = repo::find_token(self.db.reader(), digest).await?;
        known.map(drop).ok_or(refusal.into())
    }

    /// Stores fresh tokens of a grant, and gives them.
    async fn issue(&self, write: Write, grant: Grant) -> Result<Tokens, OAuthError> {
        let now_ms = self.clock.now_ms();
        let (access, access_digest) = new_secret(Kind::Access)?;
        let (refresh, refresh_digest) = new_secret(Kind::Refresh)?;
        for (kind, digest, lasts_ms) in [
            (Kind::Access, access_digest, ACCESS_TOKEN_S * 1000),
            (Kind::Refresh, refresh_digest, IDLE_MS),
        ] {
            let token = NewToken {
                digest,
                grant: &grant.id,
                kind,
                bound_to: None,
                expires_ms: now_ms + lasts_ms,
            };
            repo::insert_token(&*write, token).await?;
        }
        repo::delete_expired_tokens(&*write, &grant.id, now_ms).await?;
        repo::extend_grant(&*write, &grant.id, now_ms + IDLE_MS).await?;
        repo::mark_app_used(&*write, grant.app.as_str(), now_ms).await?;
        write.commit_quietly().await?;
        Ok(Tokens {
            access,
            refresh,
            scopes: grant.scopes,
        })
    }
}

/// A token with its grant, which has not ended.
async fn found(
    write: &Write,
    digest: &Digest,
) -> Result<Option<(oauth_token::Model, Grant)>, OAuthError> {
    let Some(token) = repo::find_token(&**write, digest).await? else {
        return Ok(None);
    };
    let grant = repo::find_grant(&**write, &token.grant_id).await?;
    Ok(grant.map(|grant| (token, grant)))
}

/// Whether a code that is used for the first time is good, and in the hands of who asked for it.
fn check_code(
    exchange: &CodeExchange,
    code: &oauth_token::Model,
    grant: &Grant,
    now_ms: i64,
) -> Result<(), GrantRefusal> {
    if now_ms >= code.expires_at.timestamp_millis() {
        return Err(BAD_CODE);
    }
    let sent_to = code.redirect_uri.as_deref();
    let is_elsewhere = |uri: &str| sent_to != Some(uri);
    let verifier = exchange.verifier.expose_secret();
    let challenge = code.challenge.as_deref().unwrap_or_default();
    if grant.app.as_str() != exchange.app
        || exchange.redirect_uri.as_deref().is_some_and(is_elsewhere)
        || !rules::verifies(verifier, challenge)
    {
        return Err(BAD_PROOF);
    }
    check_resource(grant, exchange.resource)
}

/// An app may name the resource again, and no other.
fn check_resource(grant: &Grant, asked: Option<Resource>) -> Result<(), GrantRefusal> {
    match asked {
        Some(other) if other != grant.resource => Err(GrantRefusal::OtherResource),
        _ => Ok(()),
    }
}
