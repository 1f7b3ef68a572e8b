//! Keys whose owner is gone.

use std::sync::Arc;

use sea_orm::{ExprTrait as _, prelude::*, sea_query::IntoCondition};

use super::{EraseMaker, EraseOwner, KeyError, Keys, KeysView, RereadKeys, repo};
use crate::{
    actors::{kit::handlers, state_env::StateEnv},
    entities::api_key::{COLUMN, Entity},
    store::{StateDb, StateError},
};

handlers! { Keys:
    commit EraseOwner => erase_owner, Keys::replace_view_after;
    commit EraseMaker => erase_maker, Keys::replace_view_after;
    commit RereadKeys => reread, Keys::replace_view;
}

async fn erase_owner(env: StateEnv, message: EraseOwner) -> Result<(u64, Arc<KeysView>), KeyError> {
    let owner = message.organization.as_str();
    erase(env.db, COLUMN.organization_id.eq(owner)).await
}

async fn erase_maker(env: StateEnv, message: EraseMaker) -> Result<(u64, Arc<KeysView>), KeyError> {
    let made = COLUMN.created_by.eq(message.user.as_str());
    erase(env.db, COLUMN.organization_id.is_null().and(made)).await
}

async fn reread(env: StateEnv, _: RereadKeys) -> Result<Arc<KeysView>, KeyError> {
    Ok(Arc::new(repo::load(env.db.writer()).await?))
}

/// Erases, then reads what is left.
async fn erase(db: StateDb, keys: impl IntoCondition) -> Result<(u64, Arc<KeysView>), KeyError> {
    let write = db.begin().await?;
    let erased = Entity::delete_many().filter(keys).exec(&*write).await?;
    write.commit().await?;
    let view = repo::load(db.writer()).await;
    Ok((
        erased.rows_affected,
        Arc::new(view.map_err(StateError::Unknown)?),
    ))
}
