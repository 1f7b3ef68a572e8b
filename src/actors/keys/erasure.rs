//! Keys whose owner is gone.

use std::sync::Arc;

use super::{EraseMaker, EraseOwner, KeyError, Keys, KeysView, RereadKeys, repo};
use crate::{
    actors::{kit::handlers, state_env::StateEnv},
    store::{StateDb, StateError, state::Write},
};

handlers! { Keys:
    commit EraseOwner => erase_owner, Keys::replace_view_after;
    commit EraseMaker => erase_maker, Keys::replace_view_after;
    commit RereadKeys => reread, Keys::replace_view;
}

async fn erase_owner(env: StateEnv, message: EraseOwner) -> Result<(u64, Arc<KeysView>), KeyError> {
    erase(env.db, async |write| {
        repo::erase_owner(&**write, &message.organization).await
    })
    .await
}

async fn erase_maker(env: StateEnv, message: EraseMaker) -> Result<(u64, Arc<KeysView>), KeyError> {
    erase(env.db, async |write| {
        repo::erase_maker(&**write, &message.user).await
    })
    .await
}

async fn reread(env: StateEnv, _: RereadKeys) -> Result<Arc<KeysView>, KeyError> {
    Ok(Arc::new(repo::load(env.db.writer()).await?))
}

/// Erases, then reads what is left.
async fn erase(
    db: StateDb,
    erase_rows: impl AsyncFnOnce(&Write) -> Result<u64, sea_orm::DbErr>,
) -> Result<(u64, Arc<KeysView>), KeyError> {
    let write = db.begin().await?;
    let erased = erase_rows(&write).await?;
    write.commit().await?;
    let view = repo::load(db.writer()).await;
    Ok((erased, Arc::new(view.map_err(StateError::Unknown)?)))
}
