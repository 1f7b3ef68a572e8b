//! Transferred websites, as the event store needs them.

use std::collections::BTreeMap;

use sea_orm::{QuerySelect as _, prelude::*};

use crate::{
    actors::websites::WebsitesEnv,
    entities::{moved_website, organization, website},
    events::transfers::{Transfer, Transfers},
};

/// Gives the event store all transferred websites.
pub(super) async fn tell(env: &WebsitesEnv) -> Result<(), DbErr> {
    env.events.set_transfers(load(env.db.writer()).await?);
    Ok(())
}

async fn load(db: &impl ConnectionTrait) -> Result<Transfers, DbErr> {
    let mut moved: BTreeMap<i64, Transfer> = BTreeMap::new();
    for row in moved_website::Entity::find().all(db).await? {
        let former_owners = &mut moved.entry(row.website).or_default().former_owners;
        former_owners.insert(row.organization);
    }
    let keys: Vec<i64> = moved.keys().copied().collect();
    let mut owned = BTreeMap::new();
    for keys in keys.chunks(500) {
        let rows: Vec<(i64, i64)> = website::Entity::find()
            .select_only()
            .column(website::Column::Key)
            .column(organization::Column::Key)
            .join(
                sea_orm::JoinType::InnerJoin,
                website::Entity::belongs_to(organization::Entity)
                    .from(website::Column::OrganizationId)
                    .to(organization::Column::Id)
                    .into(),
            )
            .filter(website::COLUMN.key.is_in(keys.iter().copied()))
            .into_tuple()
            .all(db)
            .await?;
        owned.extend(rows);
    }
    // Of a website that is gone, nothing is left.
    let owned = |website: &i64| owned.get(website).copied();
    let known = moved.into_iter().filter_map(|(website, moved)| {
        let owner = owned(&website)?;
        Some((website, Transfer { owner, ..moved }))
    });
    Ok(known.collect())
}
