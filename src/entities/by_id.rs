//! Statements on the row with one id, for every table whose primary key is one text.

use sea_orm::{Iterable, PrimaryKeyToColumn, prelude::*};

pub async fn find<E>(db: &impl ConnectionTrait, id: &str) -> Result<Option<E::Model>, DbErr>
where
    E: EntityTrait<PrimaryKey: PrimaryKeyTrait<ValueType = String>>,
{
    E::find_by_id(id.to_owned()).one(db).await
}

/// Writes the columns that are set in `row`. Whether there is a row with this id.
pub async fn update<A>(db: &impl ConnectionTrait, id: &str, row: A) -> Result<bool, DbErr>
where
    A: ActiveModelTrait<Entity: EntityTrait<PrimaryKey: PrimaryKeyTrait<ValueType = String>>>,
{
    let mut update = A::Entity::update_many().set(row);
    for key in <A::Entity as EntityTrait>::PrimaryKey::iter() {
        update = update.filter(key.into_column().eq(id));
    }
    Ok(update.exec(db).await?.rows_affected > 0)
}

/// Deletes the row with this id, if there is one.
pub async fn delete<E>(db: &impl ConnectionTrait, id: &str) -> Result<bool, DbErr>
where
    E: EntityTrait<PrimaryKey: PrimaryKeyTrait<ValueType = String>>,
{
    let deleted = E::delete_by_id(id.to_owned()).exec(db).await?;
    Ok(deleted.rows_affected > 0)
}
