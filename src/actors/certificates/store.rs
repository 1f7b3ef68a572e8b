//! The tables of certificates and of orders.

use sea_orm::{ActiveValue::Set, DatabaseTransaction, QueryOrder, QuerySelect, prelude::*};

use super::{
    CertificateError,
    orders::RecentOrders,
    packed,
    rules::{self, Plan},
};
use crate::{
    acme::IssuedCertificate,
    actors::seal::Sealer,
    clock::{Clock, from_ms},
    entities::{self, acme_certificate, acme_order},
    ids::OrganizationId,
    store::{InstanceSecret, StateDb},
};

/// The purpose of the key under which certificates are sealed.
const PURPOSE: &str = "pharos 2026-11-28 keys of certificates";
/// Rows that are read at once.
const PAGE: u64 = 500;
/// A removed host is forgotten after this long: every process has read by then that it is removed. Milliseconds.
const REMOVED_MS: i64 = 24 * 60 * 60 * 1_000;

type Row = acme_certificate::ActiveModel;

/// When a certificate is renewed, and when the authority is asked again about that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renewal {
    pub(super) renew_ms: i64,
    pub(super) check_ms: Option<i64>,
}

pub(super) struct CertificateStore {
    db: StateDb,
    clock: Clock,
    sealer: Sealer,
}

impl CertificateStore {
    pub(super) fn new(db: StateDb, clock: Clock, secret: &InstanceSecret) -> Self {
        Self {
            db,
            clock,
            sealer: Sealer::new(secret, PURPOSE),
        }
    }

    /// Rows behind a version, in their order; a page of them.
    pub(super) async fn load_after(
        &self,
        version: i64,
    ) -> Result<Vec<acme_certificate::Model>, CertificateError> {
        let rows = acme_certificate::Entity::find()
            .filter(acme_certificate::COLUMN.version.gt(version))
            .order_by_asc(acme_certificate::COLUMN.version)
            .limit(PAGE)
            .all(self.db.reader())
            .await?;
        Ok(rows)
    }

    /// What is sealed of a host; `None` also if another installation has sealed it.
    pub(super) fn open(&self, row: &acme_certificate::Model) -> Option<Vec<u8>> {
        self.sealer.open(&row.id, row.sealed.as_ref()?)
    }

    /// Orders that count against the limits.
    pub(super) async fn load_recent_orders(&self) -> Result<RecentOrders, CertificateError> {
        load_orders(self.db.reader(), self.clock.now_ms()).await
    }

    /// Notes an order of a host before the authority hears of it, as a failure for now. Whether it may be made.
    pub(super) async fn begin_order(
        &self,
        (host, owner): (&str, Option<&OrganizationId>),
        failures: u32,
        next_try_ms: i64,
    ) -> Result<bool, CertificateError> {
        let now_ms = self.clock.now_ms();
        let write = self.db.begin_as_leader().await?;
        if !insert_order(&write, (host, owner), now_ms).await? {
            return Ok(false);
        }
        let known = entities::find::<acme_certificate::Entity>(&*write, host).await?;
        let row = Row {
            version: Set(next_version(&write, now_ms).await?),
            failures: Set(i32::try_from(failures).unwrap_or(i32::MAX)),
            next_try_at: Set(Some(from_ms(next_try_ms))),
            removed_at: Set(None),
            updated_at: Set(from_ms(now_ms)),
            ..Default::default()
        };
        if known.is_some() {
            entities::update(&*write, host, row).await?;
        } else {
            let row = Row {
                id: Set(host.to_owned()),
                created_at: Set(from_ms(now_ms)),
                ..row
            };
            entities::insert(&*write, row).await?;
        }
        write.commit_quietly().await?;
        Ok(true)
    }

    /// Notes a further order of the same attempt. Whether it may be made.
    pub(super) async fn count_order(
        &self,
        host: &str,
        owner: Option<&OrganizationId>,
    ) -> Result<bool, CertificateError> {
        let write = self.db.begin_as_leader().await?;
        let counted = insert_order(&write, (host, owner), self.clock.now_ms()).await?;
        write.commit_quietly().await?;
        Ok(counted)
    }

    /// Stores a certificate. No further order follows before `next_try_ms`.
    pub(super) async fn save(
        &self,
        host: &str,
        issued: &IssuedCertificate,
        authority: &str,
        (renewal, next_try_ms): (Renewal, i64),
    ) -> Result<(), CertificateError> {
        let sealed = self.sealer.close(host, &packed::pack(issued))?;
        let row = Row {
            sealed: Set(Some(sealed)),
            authority: Set(Some(authority.to_owned())),
            begins_at: Set(Some(from_ms(issued.begins_ms))),
            ends_at: Set(Some(from_ms(issued.ends_ms))),
            renew_at: Set(Some(from_ms(renewal.renew_ms))),
            check_at: Set(renewal.check_ms.map(from_ms)),
            failures: Set(0),
            next_try_at: Set(Some(from_ms(next_try_ms))),
            error: Set(None),
            ..Default::default()
        };
        self.update(host, row).await
    }

    /// Stores certificates of hosts without a row, which are renewed after two thirds of their lifetime.
    pub(super) async fn import(
        &self,
        certificates: &[(String, IssuedCertificate)],
    ) -> Result<(), CertificateError> {
        let now_ms = self.clock.now_ms();
        let write = self.db.begin().await?;
        let mut version = next_version(&write, now_ms).await?;
        for (host, issued) in certificates {
            let renew_ms = rules::renew_after(issued.begins_ms, issued.ends_ms);
            let row = Row {
                id: Set(host.clone()),
                version: Set(version),
                sealed: Set(Some(self.sealer.close(host, &packed::pack(issued))?)),
                begins_at: Set(Some(from_ms(issued.begins_ms))),
                ends_at: Set(Some(from_ms(issued.ends_ms))),
                renew_at: Set(Some(from_ms(renew_ms))),
                failures: Set(0),
                created_at: Set(from_ms(now_ms)),
                updated_at: Set(from_ms(now_ms)),
                ..Default::default()
            };
            entities::insert(&*write, row).await?;
            version += 1;
        }
        Ok(write.commit_quietly().await?)
    }

    pub(super) async fn plan_renewal(
        &self,
        host: &str,
        renewal: Renewal,
    ) -> Result<(), CertificateError> {
        let row = Row {
            renew_at: Set(Some(from_ms(renewal.renew_ms))),
            check_at: Set(renewal.check_ms.map(from_ms)),
            ..Default::default()
        };
        self.update(host, row).await
    }

    pub(super) async fn fail(
        &self,
        host: &str,
        error: &str,
        (failures, next_try_ms): (u32, i64),
    ) -> Result<(), CertificateError> {
        let row = Row {
            failures: Set(i32::try_from(failures).unwrap_or(i32::MAX)),
            next_try_at: Set(Some(from_ms(next_try_ms))),
            error: Set(Some(error.to_owned())),
            ..Default::default()
        };
        self.update(host, row).await
    }

    /// The host is served no more. Its certificate stays until it is revoked.
    pub(super) async fn remove(&self, host: &str) -> Result<(), CertificateError> {
        let row = Row {
            removed_at: Set(Some(from_ms(self.clock.now_ms()))),
            failures: Set(0),
            next_try_at: Set(None),
            error: Set(None),
            ..Default::default()
        };
        self.update(host, row).await
    }

    /// Deletes certificate and key of a removed host.
    pub(super) async fn clear(&self, host: &str) -> Result<(), CertificateError> {
        let row = Row {
            sealed: Set(None),
            authority: Set(None),
            begins_at: Set(None),
            ends_at: Set(None),
            renew_at: Set(None),
            check_at: Set(None),
            failures: Set(0),
            next_try_at: Set(None),
            error: Set(None),
            ..Default::default()
        };
        self.update(host, row).await
    }

    async fn update(&self, host: &str, row: Row) -> Result<(), CertificateError> {
        let now_ms = self.clock.now_ms();
        let write = self.db.begin().await?;
        let row = Row {
            version: Set(next_version(&write, now_ms).await?),
            updated_at: Set(from_ms(now_ms)),
            ..row
        };
        entities::update(&*write, host, row).await?;
        Ok(write.commit_quietly().await?)
    }

    /// Deletes orders that count no more, and hosts that were removed long ago.
    pub(super) async fn purge(&self) -> Result<(), CertificateError> {
        let now_ms = self.clock.now_ms();
        let write = self.db.begin_as_leader().await?;
        acme_order::Entity::delete_many()
            .filter(
                acme_order::COLUMN
                    .created_at
                    .lt(from_ms(now_ms - rules::WINDOW_MS)),
            )
            .exec(&*write)
            .await?;
        acme_certificate::Entity::delete_many()
            .filter(acme_certificate::COLUMN.sealed.is_null())
            .filter(acme_certificate::COLUMN.removed_at.is_not_null())
            .filter(
                acme_certificate::COLUMN
                    .updated_at
                    .lt(from_ms(now_ms - REMOVED_MS)),
            )
            .exec(&*write)
            .await?;
        Ok(write.commit_quietly().await?)
    }
}

/// What a row says about when something is done.
pub(super) fn read_plan(
    row: &acme_certificate::Model,
    has_certificate: bool,
    authority: Option<&str>,
) -> Plan {
    let ms = |time: Option<DateTimeUtc>| time.map(|time| time.timestamp_millis());
    Plan {
        has_certificate,
        ends_ms: ms(row.ends_at),
        renew_ms: ms(row.renew_at),
        check_ms: ms(row.check_at),
        failures: u32::try_from(row.failures).unwrap_or_default(),
        has_failed: row.error.is_some(),
        next_try_ms: ms(row.next_try_at),
        is_removed: row.removed_at.is_some(),
        is_foreign: has_certificate && authority.is_some() && row.authority.as_deref() != authority,
    }
}

/// A version above all others. It follows the clock, so that it also is above those of rows that are deleted by now.
async fn next_version(write: &DatabaseTransaction, now_ms: i64) -> Result<i64, DbErr> {
    let highest = acme_certificate::Entity::find()
        .select_only()
        .column(acme_certificate::Column::Version)
        .order_by_desc(acme_certificate::COLUMN.version)
        .limit(1)
        .into_tuple::<i64>()
        .one(write)
        .await?;
    Ok(now_ms.max(highest.unwrap_or_default() + 1))
}

/// Whether a further order fits below the limits, and is counted now.
async fn insert_order(
    write: &DatabaseTransaction,
    (host, owner): (&str, Option<&OrganizationId>),
    now_ms: i64,
) -> Result<bool, CertificateError> {
    if !load_orders(write, now_ms).await?.fits(owner) {
        return Ok(false);
    }
    let row = acme_order::ActiveModel {
        id: Set(Uuid::now_v7().simple().to_string()),
        host: Set(host.to_owned()),
        organization_id: Set(owner.map(ToString::to_string)),
        created_at: Set(from_ms(now_ms)),
    };
    entities::insert(write, row).await?;
    Ok(true)
}

/// Orders of the last hours. Those that a clock ahead of this one has written count as far.
async fn load_orders(
    db: &impl ConnectionTrait,
    now_ms: i64,
) -> Result<RecentOrders, CertificateError> {
    let (from, to) = (now_ms - rules::WINDOW_MS, now_ms + rules::WINDOW_MS);
    let counts = acme_order::Entity::find()
        .filter(acme_order::COLUMN.created_at.gt(from_ms(from)))
        .filter(acme_order::COLUMN.created_at.lte(from_ms(to)))
        .select_only()
        .column(acme_order::Column::OrganizationId)
        .column_as(acme_order::COLUMN.id.count(), "orders")
        .group_by(acme_order::COLUMN.organization_id)
        .into_tuple::<(Option<String>, i64)>()
        .all(db)
        .await?;
    let counts = counts.into_iter();
    Ok(RecentOrders::new(counts.map(|(owner, count)| {
        (owner, u64::try_from(count).unwrap_or_default())
    })))
}
