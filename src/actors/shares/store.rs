//! The table of this domain, and the passwords of its links.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};
use secrecy::SecretString;
use serde_json::{Map, Value, json};

use super::{NewShare, Share, ShareError, ShareFields, rules};
use crate::{
    actors::{
        audit::{self, Action, Actor, Entry},
        dashboard::Dashboard,
        error::CommonError,
        random,
        seal::opaque_debug,
        unlocking::{Pass, Unlocker},
    },
    clock::{Clock, from_ms},
    entities::{self, share},
    ids::{OrganizationId, ShareId, UserId},
    store::{InstanceSecret, StateDb},
};

/// The purpose of the key that signs passes.
const PURPOSE: &str = "pharos 2026-11-25 passes of share links";

/// All share links; cheap to clone.
#[derive(Clone)]
pub struct SharesStore {
    db: StateDb,
    clock: Clock,
    unlocker: Unlocker,
}

opaque_debug!(SharesStore);

impl SharesStore {
    pub fn new(db: &StateDb, clock: Clock, secret: &InstanceSecret) -> Self {
        Self {
            db: db.for_domain("shares"),
            clock,
            unlocker: Unlocker::new(secret, PURPOSE),
        }
    }

    /// The share links of a dashboard, newest first.
    pub async fn list(&self, dashboard: &Dashboard) -> Result<Vec<Share>, ShareError> {
        let rows = within(dashboard)
            .order_by_desc(share::COLUMN.created_at)
            .order_by_desc(share::COLUMN.id)
            .limit(rules::MAX)
            .all(self.db.reader())
            .await?;
        rows.into_iter().map(from_row).collect()
    }

    /// The share link with this id, of any owner.
    pub async fn get(&self, id: &str) -> Result<Option<Share>, ShareError> {
        find(self.db.reader(), &ShareId::from(id)).await
    }

    /// The share link with this slug, also when it has expired.
    pub async fn find_by_slug(&self, slug: &str) -> Result<Option<Share>, ShareError> {
        let row = share::Entity::find()
            .filter(share::COLUMN.slug.eq(slug))
            .one(self.db.reader())
            .await?;
        row.map(from_row).transpose()
    }

    pub async fn create(&self, new: NewShare) -> Result<Share, ShareError> {
        let mut fields = rules::checked(new.fields)?;
        let password = fields.password.take();
        let password_hash = self
            .unlocker
            .hash_new::<ShareError>(password, String::new());
        let (password_hash, now_ms) = (password_hash.await?, self.clock.now_ms());
        let share = Share {
            id: ShareId::new(),
            dashboard: new.dashboard,
            slug: random::base62(rules::SLUG_LENGTH)?,
            fields,
            password_hash,
            created_by: new.created_by,
            created_ms: now_ms,
            updated_ms: now_ms,
        };
        let row = share::ActiveModel {
            id: Set(share.id.to_string()),
            website_id: Set(share.dashboard.website().map(ToString::to_string)),
            board_id: Set(share.dashboard.board().map(ToString::to_string)),
            slug: Set(share.slug.clone()),
            fields: Set(to_json(&share)?),
            password_hash: Set(share.password_hash.clone()),
            created_by: Set(share.created_by.clone().map(String::from)),
            created_at: Set(from_ms(now_ms)),
            updated_at: Set(from_ms(now_ms)),
        };
        let write = self.db.begin().await?;
        let known = within(&share.dashboard).count(&*write).await?;
        if known >= rules::MAX {
            return Err(ShareError::TooMany);
        }
        entities::insert(&*write, row).await?;
        let by = (&new.organization, new.by);
        let entry = entry(by, Action::ShareCreate, &share);
        audit::record(&write, now_ms, entry).await?;
        write.commit().await?;
        Ok(share)
    }

    /// Changes the fields that the patch names; `password: null` removes the password.
    pub async fn update(
        &self,
        id: &ShareId,
        by: (&OrganizationId, Actor),
        mut patch: Map<String, Value>,
    ) -> Result<Share, ShareError> {
        let password = self
            .unlocker
            .hash_patched::<ShareError>(&mut patch, String::new());
        let (password, now_ms) = (password.await?, self.clock.now_ms());
        let write = self.db.begin().await?;
        let before = find(&*write, id).await?;
        let before = before.ok_or_else(|| ShareError::NotFound(id.clone()))?;
        let share = Share {
            fields: rules::changed(&before.fields, &patch)?,
            password_hash: password.apply(before.password_hash.as_ref()),
            updated_ms: now_ms,
            ..before
        };
        let row = share::ActiveModel {
            fields: Set(to_json(&share)?),
            password_hash: Set(share.password_hash.clone()),
            updated_at: Set(from_ms(now_ms)),
            ..Default::default()
        };
        entities::update(&*write, id.as_str(), row).await?;
        let entry = entry(by, Action::ShareUpdate, &share);
        audit::record(&write, now_ms, entry).await?;
        write.commit().await?;
        Ok(share)
    }

    /// Revokes a share link: it stops at once.
    pub async fn delete(
        &self,
        id: &ShareId,
        by: (&OrganizationId, Actor),
    ) -> Result<(), ShareError> {
        let write = self.db.begin().await?;
        let share = find(&*write, id).await?;
        let share = share.ok_or_else(|| ShareError::NotFound(id.clone()))?;
        entities::delete::<share::Entity>(&*write, id.as_str()).await?;
        let entry = entry(by, Action::ShareDelete, &share);
        audit::record(&write, self.clock.now_ms(), entry).await?;
        Ok(write.commit().await?)
    }

    /// A pass, if this is the password of the share link.
    pub async fn issue_pass(
        &self,
        share: &Share,
        password: SecretString,
    ) -> Result<Option<Pass>, ShareError> {
        let Some(locked) = share.locked() else {
            return Ok(None);
        };
        let (stored, now_ms) = (share.password_hash.clone(), self.clock.now_ms());
        let issued = self.unlocker.issue(locked, password, stored, now_ms);
        Ok(issued.await?)
    }

    /// Whether a pass opens a share link.
    pub fn accepts_pass(&self, share: &Share, pass: &str) -> bool {
        let now_ms = self.clock.now_ms();
        let locked = share.locked();
        locked.is_some_and(|locked| self.unlocker.accepts(locked, pass, now_ms))
    }
}

/// What the audit log keeps: settings, and neither the slug nor the password, which are secrets.
fn entry((organization, by): (&OrganizationId, Actor), action: Action, share: &Share) -> Entry {
    let details = json!({
        share.dashboard.kind(): share.dashboard.id(),
        "hasPassword": share.access().has_password,
        "membersOnly": share.fields.members_only,
        "allowedIps": share.fields.allowed_ips,
        "expiresAt": share.fields.expires_at,
        "embedOrigins": share.fields.embed_origins,
    });
    Entry::within(organization, by, action, share.id.as_str()).with(details)
}

/// The rows of a dashboard.
fn within(dashboard: &Dashboard) -> Select<share::Entity> {
    match dashboard {
        Dashboard::Website(id) => share::Entity::within(id),
        Dashboard::Board(id) => share::Entity::within_board(id),
    }
}

async fn find(db: &impl ConnectionTrait, id: &ShareId) -> Result<Option<Share>, ShareError> {
    let row = share::Entity::find_by_id(id.to_string()).one(db).await?;
    row.map(from_row).transpose()
}

fn to_json(share: &Share) -> Result<String, ShareError> {
    let text = serde_json::to_string(&share.fields);
    Ok(text.map_err(|error| CommonError::damaged("share link", &share.id, error))?)
}

fn from_row(row: share::Model) -> Result<Share, ShareError> {
    let fields: Result<ShareFields, _> = serde_json::from_str(&row.fields);
    let fields = fields.map_err(|error| CommonError::damaged("share link", &row.id, error))?;
    let dashboard = Dashboard::from_columns(row.website_id, row.board_id);
    let nothing = || CommonError::damaged("share link", &row.id, "it shows nothing");
    Ok(Share {
        dashboard: dashboard.ok_or_else(nothing)?,
        id: row.id.into(),
        slug: row.slug,
        fields,
        password_hash: row.password_hash,
        created_by: row.created_by.map(UserId::from),
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}
