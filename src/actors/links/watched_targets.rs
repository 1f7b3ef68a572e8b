//! Links whose targets a monitor checks.

use sea_orm::{QuerySelect, prelude::*};

use super::{LinkError, LinksView};
use crate::{
    entities::link,
    ids::{LinkId, OrganizationId},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedTarget {
    pub id: LinkId,
    pub organization: OrganizationId,
    pub name: String,
    pub target: String,
}

impl LinksView {
    /// Every link with `watchTarget`, of all organizations.
    pub async fn watched_targets(&self) -> Result<Vec<WatchedTarget>, LinkError> {
        let rows: Vec<(String, String, String, String)> = link::Entity::find()
            .select_only()
            .columns([
                link::Column::Id,
                link::Column::OrganizationId,
                link::Column::Name,
                link::Column::TargetUrl,
            ])
            .filter(link::COLUMN.watches_target.eq(true))
            .into_tuple()
            .all(self.db.reader())
            .await?;
        let targets = rows
            .into_iter()
            .map(|(id, organization, name, target)| WatchedTarget {
                id: id.into(),
                organization: organization.into(),
                name,
                target,
            });
        Ok(targets.collect())
    }
}
