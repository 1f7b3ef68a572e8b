//! Statements on the row with one id, for every table whose primary key is one text.

use sea_orm::prelude::*;

pub async fn find<E>(db: &impl ConnectionTrait, id: &str) -> Result<Option<E::Model>, DbErr>
where
    E: EntityTrait<PrimaryKey: PrimaryKeyTrait<ValueType = String>>,
{
    E::find_by_id(id.to_owned()).one(db).await
}

/// Deletes the row with this id, if there is one.
pub async fn delete<E>(db: &impl ConnectionTrait, id: &str) -> Result<bool, DbErr>
where
    E: EntityTrait<PrimaryKey: PrimaryKeyTrait<ValueType = String>>,
{
    let deleted = E::delete_by_id(id.to_owned()).exec(db).await?;
    Ok(deleted.rows_affected > 0)
}
