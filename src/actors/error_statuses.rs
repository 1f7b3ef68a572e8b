//! Which JavaScript errors of a website are resolved or ignored.
//!
//! Owns the table `error_statuses`. It holds hashes of messages: messages themselves are among the events alone, and go with
//! them. There is no actor: nothing is kept in memory, and [`StateDb::begin`] lets one write at a time in.

use schemars::JsonSchema;
use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{error::CommonError, hex, text_enum::text_enums};
use crate::{
    clock::{Clock, from_ms},
    entities::{self, error_status},
    fault::Issue,
    ids::WebsiteId,
    store::StateDb,
};

/// Errors of a website that have a status. Beyond, the oldest ones are unresolved again.
const MAX: u64 = 2_000;
/// Bytes of the hash that are an error's id.
const ID_BYTES: usize = 16;

/// What a team thinks of an error. A resolved error that occurs later is unresolved again; an ignored one is not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ErrorStatusName")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Status {
    #[default]
    Unresolved,
    Resolved,
    Ignored,
}

text_enums!(Status);

/// An error with a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorStatus {
    /// [`error_id`] of its message.
    pub id: String,
    pub status: Status,
    /// Unix milliseconds.
    pub changed_ms: i64,
    /// The person, unless a program did it.
    pub changed_by: Option<String>,
}

/// The id of the errors with a message: the first half of the message's SHA-256, in hexadecimal.
pub fn error_id(message: &str) -> String {
    hex::encode(&Sha256::digest(message.as_bytes())[..ID_BYTES])
}

/// The statuses of all errors; cheap to clone.
#[derive(Debug, Clone)]
pub struct ErrorStatusesStore {
    db: StateDb,
    clock: Clock,
}

impl ErrorStatusesStore {
    pub fn new(db: &StateDb, clock: Clock) -> Self {
        Self {
            db: db.for_domain("error_statuses"),
            clock,
        }
    }

    /// The errors of a website that are resolved or ignored, the latest change first.
    pub async fn list(&self, website: &WebsiteId) -> Result<Vec<ErrorStatus>, CommonError> {
        let rows = error_status::Entity::within(website)
            .order_by_desc(error_status::COLUMN.changed_at)
            .order_by_asc(error_status::COLUMN.error_id)
            .limit(MAX)
            .all(self.db.reader())
            .await?;
        rows.into_iter().map(from_row).collect()
    }

    /// Gives an error a status; it need not have occurred.
    pub async fn set(
        &self,
        website: &WebsiteId,
        id: String,
        status: Status,
        changed_by: Option<String>,
    ) -> Result<ErrorStatus, CommonError> {
        if !is_id(&id) {
            let message = "errorId must be the first 32 hexadecimal digits of the SHA-256 of an error's message";
            return Err(vec![Issue::new("invalid_value", "errorId", message)].into());
        }
        let changed_ms = self.clock.now_ms();
        let key = (website.to_string(), id.clone());
        let write = self.db.begin().await?;
        error_status::Entity::delete_by_id(key)
            .exec(&*write)
            .await?;
        if status != Status::Unresolved {
            let row = error_status::ActiveModel {
                website_id: Set(website.to_string()),
                error_id: Set(id.clone()),
                status: Set(status.as_str().to_owned()),
                changed_by: Set(changed_by.clone()),
                changed_at: Set(from_ms(changed_ms)),
            };
            entities::insert(&*write, row).await?;
            forget_oldest(&*write, website).await?;
        }
        write.commit().await?;
        Ok(ErrorStatus {
            id,
            status,
            changed_ms,
            changed_by,
        })
    }
}

/// Deletes what is beyond [`MAX`].
async fn forget_oldest(db: &impl ConnectionTrait, website: &WebsiteId) -> Result<(), DbErr> {
    let beyond = error_status::Entity::within(website)
        .order_by_desc(error_status::COLUMN.changed_at)
        .order_by_asc(error_status::COLUMN.error_id)
        .offset(MAX)
        .limit(MAX)
        .all(db)
        .await?;
    for row in beyond {
        error_status::Entity::delete_by_id((row.website_id, row.error_id))
            .exec(db)
            .await?;
    }
    Ok(())
}

fn is_id(id: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    id.len() == 2 * ID_BYTES && id.bytes().all(is_digit)
}

fn from_row(row: error_status::Model) -> Result<ErrorStatus, CommonError> {
    let status = Status::parse(&row.status);
    let unknown = || CommonError::damaged("error status", &row.error_id, "an unknown status");
    Ok(ErrorStatus {
        status: status.ok_or_else(unknown)?,
        id: row.error_id,
        changed_ms: row.changed_at.timestamp_millis(),
        changed_by: row.changed_by,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_half_a_hash_in_small_letters() {
        let id = error_id("x is undefined");
        assert!(is_id(&id), "{id}");
        assert!(!is_id(&id.to_uppercase()) && !is_id(&id[1..]) && !is_id(""));
        assert_eq!(error_id(""), "e3b0c44298fc1c149afbf4c8996fb924");
    }
}
