//! Ending sessions.

use std::sync::Arc;

use actix::{Context, Handler};

use crate::actors::{
    kit::{Live, Reply, commit, refuse},
    organizations::{
        EndSessions, OrganizationError, Organizations, SignOut, Which,
        repo::{self, write},
    },
};

impl Handler<SignOut> for Live<Organizations> {
    type Result = Reply<Organizations, (), OrganizationError>;

    fn handle(&mut self, message: SignOut, _: &mut Context<Self>) -> Self::Result {
        let session = message.session.clone();
        let io = write(self.db.clone(), async move |write| {
            Ok(repo::sessions::delete(&**write, &session).await?)
        });
        commit(io, move |domain: &mut Organizations, ()| {
            Arc::make_mut(&mut domain.view).remove_session(&message.session);
        })
    }
}

impl Handler<EndSessions> for Live<Organizations> {
    type Result = Reply<Organizations, (), OrganizationError>;

    fn handle(&mut self, message: EndSessions, _: &mut Context<Self>) -> Self::Result {
        let EndSessions { user, which } = message;
        if let Which::One(id) = &which {
            let session = self.view.session_by_id(id);
            if session.is_none_or(|session| session.grant.user != user) {
                return refuse(OrganizationError::NoSuchSession(id.clone()));
            }
        }
        let (owner, chosen) = (user.clone(), which.clone());
        let io = write(self.db.clone(), async move |write| {
            match &chosen {
                Which::One(id) => repo::sessions::delete(&**write, id).await?,
                Which::Others(own) => {
                    repo::sessions::delete_of(&**write, &owner, Some(own)).await?;
                }
                Which::All => repo::sessions::delete_of(&**write, &owner, None).await?,
            }
            Ok(())
        });
        commit(io, move |domain: &mut Organizations, ()| {
            let view = Arc::make_mut(&mut domain.view);
            view.end_sessions(&user, |session| match &which {
                Which::One(id) => session.grant.id == *id,
                Which::Others(own) => session.grant.id != *own,
                Which::All => true,
            });
        })
    }
}
