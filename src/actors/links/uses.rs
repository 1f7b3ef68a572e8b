//! Clicks of links that end after some of them (`maxClicks`): one number in the state database, so that all processes count
//! together and a restart forgets nothing. No process keeps it in memory.

use sea_orm::{
    ActiveValue::Set,
    prelude::*,
    sea_query::{ExprTrait as _, OnConflict},
};

use super::{LinkError, LinksView};
use crate::{entities::link_use, ids::WebsiteKey};

impl LinksView {
    /// Clicks that count against a link's cap; `None` while the count has not begun.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn clicks_taken(&self, link: WebsiteKey) -> Result<Option<u64>, LinkError> {
        let row = link_use::Entity::find_by_id(link.0);
        let row = row.one(self.db.reader()).await?;
        Ok(row.map(|row| u64::try_from(row.clicks).unwrap_or(0)))
    }

    /// Begins a link's count with the clicks that it has, unless it has begun; gives the count.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn begin_count(&self, link: WebsiteKey, clicks: u64) -> Result<u64, LinkError> {
        let row = link_use::ActiveModel {
            link_key: Set(link.0),
            clicks: Set(i64::try_from(clicks).unwrap_or(i64::MAX)),
        };
        let first = OnConflict::column(link_use::Column::LinkKey)
            .do_nothing()
            .to_owned();
        link_use::Entity::insert(row)
            .on_conflict(first)
            .exec_without_returning(self.db.writer())
            .await?;
        Ok(self.clicks_taken(link).await?.unwrap_or(clicks))
    }

    /// Takes one of the clicks that a link has left. Whether there was one: of many at a time as many succeed as are left.
    ///
    /// # Errors
    /// Storage failed.
    pub async fn take_click(&self, link: WebsiteKey, most: u64) -> Result<bool, LinkError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let taken = link_use::Entity::update_many()
            .col_expr(
                link_use::Column::Clicks,
                Expr::col(link_use::Column::Clicks).add(1),
            )
            .filter(link_use::COLUMN.link_key.eq(link.0))
            .filter(link_use::COLUMN.clicks.lt(most))
            .exec(self.db.writer())
            .await?;
        Ok(taken.rows_affected == 1)
    }
}

/// Forgets a link's count: it got a cap, or lost it, and clicks between are counted elsewhere.
pub(super) async fn forget(db: &impl ConnectionTrait, link: WebsiteKey) -> Result<(), DbErr> {
    link_use::Entity::delete_by_id(link.0).exec(db).await?;
    Ok(())
}
