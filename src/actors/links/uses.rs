//! Click counts of links with `maxClicks`. Each is one number in the state database and in no memory, which all processes share
//! and restarts keep.

use sea_orm::{ActiveValue::Set, prelude::*, sea_query::ExprTrait as _};

use super::{LinkError, LinksView};
use crate::{
    entities::{self, link_use},
    ids::WebsiteKey,
};

impl LinksView {
    /// Clicks that count against a link's limit; `None` while the count has not begun.
    pub async fn counted_clicks(&self, link: WebsiteKey) -> Result<Option<u64>, LinkError> {
        let row = link_use::Entity::find_by_id(link.0);
        let row = row.one(self.db.reader()).await?;
        Ok(row.map(|row| u64::try_from(row.clicks).unwrap_or(0)))
    }

    /// Begins a link's count with its present clicks, unless it has begun. Returns the count.
    pub async fn begin_count(&self, link: WebsiteKey, clicks: u64) -> Result<u64, LinkError> {
        let row = link_use::ActiveModel {
            link_key: Set(link.0),
            clicks: Set(i64::try_from(clicks).unwrap_or(i64::MAX)),
        };
        let unique = [link_use::Column::LinkKey];
        entities::insert_if_absent(self.db.writer(), row, unique).await?;
        Ok(self.counted_clicks(link).await?.unwrap_or(clicks))
    }

    /// Takes one of the remaining clicks of a link. Whether there was one: concurrent calls never take more than remain.
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

/// Deletes a link's count when it gets or loses its limit, because clicks in between are counted elsewhere.
pub(super) async fn delete_count(db: &impl ConnectionTrait, link: WebsiteKey) -> Result<(), DbErr> {
    link_use::Entity::delete_by_id(link.0).exec(db).await?;
    Ok(())
}
