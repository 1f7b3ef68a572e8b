//! The table of open challenges, which every process answers.

use std::collections::HashMap;

use sea_orm::{ActiveValue::Set, prelude::*};

use super::CertificateError;
use crate::{
    acme::{Challenge, ChallengeKind},
    clock::{Clock, from_ms},
    entities::{self, acme_challenge},
    store::StateDb,
};

/// A challenge is answered for so long, unless it ends before. Milliseconds.
const LIFETIME_MS: i64 = 60 * 60 * 1_000;
/// Longest token that is looked for. Authorities use 43 characters.
const MAX_TOKEN: usize = 128;

pub(super) struct Challenges {
    db: StateDb,
    clock: Clock,
}

impl Challenges {
    pub(super) fn new(db: StateDb, clock: Clock) -> Self {
        Self { db, clock }
    }

    pub(super) async fn insert(&self, challenge: &Challenge) -> Result<(), CertificateError> {
        let row = acme_challenge::ActiveModel {
            id: Set(make_id(&challenge.host, &challenge.token)),
            kind: Set(kind_name(challenge.kind).to_owned()),
            host: Set(challenge.host.clone()),
            token: Set(challenge.token.clone()),
            key_authorization: Set(challenge.key_authorization.clone()),
            expires_at: Set(from_ms(self.clock.now_ms() + LIFETIME_MS)),
        };
        let write = self.db.begin().await?;
        let id = make_id(&challenge.host, &challenge.token);
        entities::delete::<acme_challenge::Entity>(&*write, &id).await?;
        entities::insert(&*write, row).await?;
        Ok(write.commit_quietly().await?)
    }

    pub(super) async fn delete(&self, challenge: &Challenge) -> Result<(), CertificateError> {
        let write = self.db.begin().await?;
        let id = make_id(&challenge.host, &challenge.token);
        entities::delete::<acme_challenge::Entity>(&*write, &id).await?;
        Ok(write.commit_quietly().await?)
    }

    /// What is answered over HTTP for this token.
    pub(super) async fn find_http(
        &self,
        host: &str,
        token: &str,
    ) -> Result<Option<String>, CertificateError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if token.is_empty() || token.len() > MAX_TOKEN || !token.bytes().all(plain) {
            return Ok(None);
        }
        let id = make_id(host, token);
        let row = entities::find::<acme_challenge::Entity>(self.db.reader(), &id).await?;
        let row = row.filter(|row| row.kind == kind_name(ChallengeKind::Http));
        let row = row.filter(|row| row.expires_at.timestamp_millis() > self.clock.now_ms());
        Ok(row.map(|row| row.key_authorization))
    }

    /// Key authorizations of open TLS-ALPN challenges, by host.
    pub(super) async fn load_tls(&self) -> Result<HashMap<String, String>, CertificateError> {
        let rows = acme_challenge::Entity::find()
            .filter(
                acme_challenge::COLUMN
                    .kind
                    .eq(kind_name(ChallengeKind::TlsAlpn)),
            )
            .all(self.db.reader())
            .await?;
        let now_ms = self.clock.now_ms();
        let open = rows
            .into_iter()
            .filter(|row| row.expires_at.timestamp_millis() > now_ms);
        Ok(open.map(|row| (row.host, row.key_authorization)).collect())
    }

    /// Deletes what a process has left behind that ended in the middle.
    pub(super) async fn purge(&self) -> Result<(), CertificateError> {
        let write = self.db.begin_as_leader().await?;
        let now = from_ms(self.clock.now_ms());
        acme_challenge::Entity::delete_many()
            .filter(acme_challenge::COLUMN.expires_at.lt(now))
            .exec(&*write)
            .await?;
        Ok(write.commit_quietly().await?)
    }
}

fn make_id(host: &str, token: &str) -> String {
    format!("{host}/{token}")
}

fn kind_name(kind: ChallengeKind) -> &'static str {
    match kind {
        ChallengeKind::Http => "http",
        ChallengeKind::TlsAlpn => "tls_alpn",
    }
}
