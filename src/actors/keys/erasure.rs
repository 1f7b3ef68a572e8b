//! Keys whose owner is gone.

use std::sync::Arc;

use actix::{Context, Handler};

use super::{EraseMaker, EraseOwner, KeyError, Keys, KeysView, RereadKeys, repo};
use crate::{
    actors::kit::{Live, Reply, commit},
    store::{StateDb, StateError, state::Write},
};

impl Handler<EraseOwner> for Live<Keys> {
    type Result = Reply<Keys, u64, KeyError>;

    fn handle(&mut self, message: EraseOwner, _: &mut Context<Self>) -> Self::Result {
        let erased = erased(self.db(), async move |write| {
            repo::erase_owner(&**write, &message.organization).await
        });
        commit(erased, |keys: &mut Keys, (erased, view)| {
            keys.show(view);
            erased
        })
    }
}

impl Handler<EraseMaker> for Live<Keys> {
    type Result = Reply<Keys, u64, KeyError>;

    fn handle(&mut self, message: EraseMaker, _: &mut Context<Self>) -> Self::Result {
        let erased = erased(self.db(), async move |write| {
            repo::erase_maker(&**write, &message.user).await
        });
        commit(erased, |keys: &mut Keys, (erased, view)| {
            keys.show(view);
            erased
        })
    }
}

impl Handler<RereadKeys> for Live<Keys> {
    type Result = Reply<Keys, (), KeyError>;

    fn handle(&mut self, _: RereadKeys, _: &mut Context<Self>) -> Self::Result {
        let db = self.db();
        let read = async move { Ok(Arc::new(repo::load(db.writer()).await?)) };
        commit(read, |keys: &mut Keys, view| keys.show(view))
    }
}

/// Erases, then reads what is left.
async fn erased(
    db: StateDb,
    erase: impl AsyncFnOnce(&Write) -> Result<u64, sea_orm::DbErr>,
) -> Result<(u64, Arc<KeysView>), KeyError> {
    let write = db.begin().await?;
    let erased = erase(&write).await?;
    write.commit().await?;
    let view = repo::load(db.writer()).await;
    Ok((erased, Arc::new(view.map_err(StateError::Unknown)?)))
}
