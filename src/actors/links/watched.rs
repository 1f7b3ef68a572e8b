//! Links whose targets are watched, as whoever watches them needs them.

use sea_orm::{QuerySelect, prelude::*};

use super::{LinkError, LinksView};
use crate::{
    entities::link,
    ids::{LinkId, OrganizationId},
};

/// A link whose target is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    pub id: LinkId,
    pub organization: OrganizationId,
    /// What people call it.
    pub name: String,
    /// Where it leads.
    pub target: String,
}

impl LinksView {
    /// Every link whose target is watched, whoever owns it.
    pub async fn watched(&self) -> Result<Vec<Watched>, LinkError> {
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
        let watched =
            |(id, organization, name, target): (String, String, String, String)| Watched {
                id: id.into(),
                organization: organization.into(),
                name,
                target,
            };
        Ok(rows.into_iter().map(watched).collect())
    }
}
