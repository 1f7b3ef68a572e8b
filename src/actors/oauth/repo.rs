//! The tables of this domain.

use std::collections::HashMap;

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect as _, QueryTrait as _, prelude::*};

use super::{App, Grant, GrantsOf, ListedGrant, Resource};
use crate::{
    access::Scope,
    actors::{digest::Digest, error::CommonError, organizations::SignInMethod},
    clock::from_ms,
    entities::{self, oauth_app, oauth_grant, oauth_token},
    ids::{GrantId, UserId},
};

/// Characters that an ID has at most; it may be an address.
const MAX_ID: usize = 500;

/// What a stored secret is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Code,
    Access,
    Refresh,
}

impl Kind {
    /// As it is stored.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Access => "access",
            Self::Refresh => "refresh",
        }
    }

    /// The text that secrets of this kind begin with.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Code => "oac_",
            Self::Access => "oat_",
            Self::Refresh => "ort_",
        }
    }
}

/// What an app says of itself, as it is kept.
fn said(app: &App) -> Result<oauth_app::ActiveModel, CommonError> {
    let uris = serde_json::to_string(&app.redirect_uris);
    Ok(oauth_app::ActiveModel {
        name: Set(app.name.clone()),
        redirect_uris: Set(uris.map_err(|error| damaged_app(&app.id, error))?),
        ..Default::default()
    })
}

pub(super) async fn insert_app(db: &impl ConnectionTrait, app: &App) -> Result<(), CommonError> {
    let row = oauth_app::ActiveModel {
        id: Set(app.id.to_string()),
        created_at: Set(from_ms(app.created_ms)),
        used_at: Set(None),
        ..said(app)?
    };
    Ok(entities::insert(db, row).await?)
}

/// Keeps what an app says of itself now.
pub(super) async fn update_app(db: &impl ConnectionTrait, app: &App) -> Result<(), CommonError> {
    entities::update(db, app.id.as_str(), said(app)?).await?;
    Ok(())
}

pub(super) async fn find_app(
    db: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<App>, CommonError> {
    // A caller may write anything for an ID.
    let is_id = id.len() <= MAX_ID && id.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_id {
        return Ok(None);
    }
    let row = entities::find::<oauth_app::Entity>(db, id).await?;
    row.map(app_from_row).transpose()
}

pub(super) async fn mark_app_used(
    db: &impl ConnectionTrait,
    id: &str,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = oauth_app::ActiveModel {
        used_at: Set(Some(from_ms(now_ms))),
        ..Default::default()
    };
    entities::update(db, id, row).await.map(drop)
}

pub(super) async fn count_unused_apps(db: &impl ConnectionTrait) -> Result<u64, DbErr> {
    let unused = oauth_app::Entity::find().filter(oauth_app::COLUMN.used_at.is_null());
    unused.count(db).await
}

/// Forgets apps that registered by that time and never got access.
pub(super) async fn delete_unused_apps(
    db: &impl ConnectionTrait,
    until_ms: i64,
) -> Result<(), DbErr> {
    oauth_app::Entity::delete_many()
        .filter(oauth_app::COLUMN.used_at.is_null())
        .filter(oauth_app::COLUMN.created_at.lte(from_ms(until_ms)))
        .exec(db)
        .await
        .map(drop)
}

/// Forgets apps that have no grant and were last used at that time.
pub(super) async fn delete_abandoned_apps(
    db: &impl ConnectionTrait,
    until_ms: i64,
) -> Result<(), DbErr> {
    let granted = oauth_grant::Entity::find()
        .select_only()
        .column(oauth_grant::Column::AppId)
        .into_query();
    oauth_app::Entity::delete_many()
        .filter(oauth_app::COLUMN.used_at.lte(from_ms(until_ms)))
        .filter(oauth_app::Column::Id.not_in_subquery(granted))
        .exec(db)
        .await
        .map(drop)
}

pub(super) async fn delete_expired_grants(
    db: &impl ConnectionTrait,
    now_ms: i64,
) -> Result<(), DbErr> {
    oauth_grant::Entity::delete_many()
        .filter(oauth_grant::COLUMN.expires_at.lte(from_ms(now_ms)))
        .exec(db)
        .await
        .map(drop)
}

pub(super) async fn insert_grant(
    db: &impl ConnectionTrait,
    grant: &Grant,
) -> Result<(), CommonError> {
    let scopes = serde_json::to_string(&grant.scopes);
    let row = oauth_grant::ActiveModel {
        id: Set(grant.id.to_string()),
        app_id: Set(grant.app.to_string()),
        organization_id: Set(grant.organization.to_string()),
        user_id: Set(grant.user.to_string()),
        method: Set(grant.method.to_text()),
        scopes: Set(scopes.map_err(|error| damaged_grant(&grant.id, error))?),
        resource: Set(grant.resource.as_str().to_owned()),
        created_at: Set(from_ms(grant.created_ms)),
        last_used_at: Set(None),
        expires_at: Set(from_ms(grant.expires_ms)),
    };
    Ok(entities::insert(db, row).await?)
}

pub(super) async fn find_grant(
    db: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<Grant>, CommonError> {
    let row = entities::find::<oauth_grant::Entity>(db, id).await?;
    row.map(grant_from_row).transpose()
}

/// Grants with their apps, newest first.
pub(super) async fn list_grants(
    db: &impl ConnectionTrait,
    of: GrantsOf<'_>,
) -> Result<Vec<ListedGrant>, CommonError> {
    let of = match of {
        GrantsOf::User(user) => oauth_grant::COLUMN.user_id.eq(user.as_str()),
        GrantsOf::Organization(id) => oauth_grant::COLUMN.organization_id.eq(id.as_str()),
    };
    let rows = oauth_grant::Entity::find()
        .filter(of)
        .order_by_desc(oauth_grant::COLUMN.created_at)
        .order_by_desc(oauth_grant::COLUMN.id)
        .all(db)
        .await?;
    let ids = rows.iter().map(|grant| grant.app_id.as_str());
    let apps = oauth_app::Entity::find().filter(oauth_app::COLUMN.id.is_in(ids));
    let mut by_id = HashMap::new();
    for row in apps.all(db).await? {
        let app = app_from_row(row)?;
        by_id.insert(app.id.to_string(), app);
    }
    let listed = rows.into_iter().filter_map(|row| {
        let app = by_id.get(&row.app_id)?.clone();
        Some(grant_from_row(row).map(|grant| ListedGrant { grant, app }))
    });
    listed.collect()
}

pub(super) async fn count_grants(db: &impl ConnectionTrait, user: &UserId) -> Result<u64, DbErr> {
    let own = oauth_grant::Entity::find().filter(oauth_grant::COLUMN.user_id.eq(user.as_str()));
    own.count(db).await
}

/// Deletes a grant with its code and tokens. Whether it was there.
pub(super) async fn delete_grant(db: &impl ConnectionTrait, id: &GrantId) -> Result<bool, DbErr> {
    entities::delete::<oauth_grant::Entity>(db, id.as_str()).await
}

pub(super) async fn extend_grant(
    db: &impl ConnectionTrait,
    id: &GrantId,
    expires_ms: i64,
) -> Result<(), DbErr> {
    let row = oauth_grant::ActiveModel {
        expires_at: Set(from_ms(expires_ms)),
        ..Default::default()
    };
    entities::update(db, id.as_str(), row).await.map(drop)
}

pub(super) async fn mark_grant_used(
    db: &impl ConnectionTrait,
    id: &GrantId,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = oauth_grant::ActiveModel {
        last_used_at: Set(Some(from_ms(now_ms))),
        ..Default::default()
    };
    entities::update(db, id.as_str(), row).await.map(drop)
}

/// A secret to store.
pub(super) struct NewToken<'a> {
    pub(super) digest: Digest,
    pub(super) grant: &'a GrantId,
    pub(super) kind: Kind,
    /// Of a code: where it is sent, and its challenge.
    pub(super) bound_to: Option<(String, String)>,
    pub(super) expires_ms: i64,
}

pub(super) async fn insert_token(
    db: &impl ConnectionTrait,
    token: NewToken<'_>,
) -> Result<(), DbErr> {
    let (redirect_uri, challenge) = token.bound_to.unzip();
    let row = oauth_token::ActiveModel {
        digest: Set(token.digest.to_hex()),
        grant_id: Set(token.grant.to_string()),
        kind: Set(token.kind.as_str().to_owned()),
        redirect_uri: Set(redirect_uri),
        challenge: Set(challenge),
        expires_at: Set(from_ms(token.expires_ms)),
        used_at: Set(None),
    };
    entities::insert(db, row).await
}

pub(super) async fn find_token(
    db: &impl ConnectionTrait,
    digest: &Digest,
) -> Result<Option<oauth_token::Model>, DbErr> {
    entities::find::<oauth_token::Entity>(db, &digest.to_hex()).await
}

/// Uses a code or refresh token. Whether it was not used before.
pub(super) async fn use_token(
    db: &impl ConnectionTrait,
    digest: &str,
    now_ms: i64,
) -> Result<bool, DbErr> {
    let used = oauth_token::Entity::update_many()
        .col_expr(oauth_token::Column::UsedAt, Expr::value(from_ms(now_ms)))
        .filter(oauth_token::COLUMN.digest.eq(digest))
        .filter(oauth_token::COLUMN.used_at.is_null())
        .exec(db)
        .await?;
    Ok(used.rows_affected > 0)
}

/// Forgets tokens of a grant that are over. Its code is kept, so that a second use is noticed.
pub(super) async fn delete_expired_tokens(
    db: &impl ConnectionTrait,
    grant: &GrantId,
    now_ms: i64,
) -> Result<(), DbErr> {
    oauth_token::Entity::delete_many()
        .filter(oauth_token::COLUMN.grant_id.eq(grant.as_str()))
        .filter(oauth_token::COLUMN.kind.ne(Kind::Code.as_str()))
        .filter(oauth_token::COLUMN.expires_at.lte(from_ms(now_ms)))
        .exec(db)
        .await
        .map(drop)
}

fn damaged_app(id: impl std::fmt::Display, why: impl std::fmt::Display) -> CommonError {
    CommonError::damaged("registered app", id, why)
}

fn damaged_grant(id: impl std::fmt::Display, why: impl std::fmt::Display) -> CommonError {
    CommonError::damaged("grant of an app", id, why)
}

fn app_from_row(row: oauth_app::Model) -> Result<App, CommonError> {
    let uris: Result<Vec<String>, _> = serde_json::from_str(&row.redirect_uris);
    Ok(App {
        redirect_uris: uris.map_err(|error| damaged_app(&row.id, error))?,
        id: row.id.into(),
        name: row.name,
        created_ms: row.created_at.timestamp_millis(),
    })
}

fn grant_from_row(row: oauth_grant::Model) -> Result<Grant, CommonError> {
    let scopes: Result<Vec<Scope>, _> = serde_json::from_str(&row.scopes);
    let method = SignInMethod::parse(&row.method);
    let resource = Resource::parse(&row.resource);
    Ok(Grant {
        scopes: scopes.map_err(|error| damaged_grant(&row.id, error))?,
        method: method.ok_or_else(|| damaged_grant(&row.id, "unknown sign-in"))?,
        resource: resource.ok_or_else(|| damaged_grant(&row.id, "unknown resource"))?,
        id: row.id.into(),
        app: row.app_id.into(),
        organization: row.organization_id.into(),
        user: row.user_id.into(),
        created_ms: row.created_at.timestamp_millis(),
        last_used_ms: row.last_used_at.map(|at| at.timestamp_millis()),
        expires_ms: row.expires_at.timestamp_millis(),
    })
}
