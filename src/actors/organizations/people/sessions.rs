//! Ending sessions.

use std::sync::Arc;

use crate::actors::{
    kit::{commit, handlers},
    organizations::{
        Decision, EndSessions, OrganizationError, Organizations, SessionChoice, SignOut,
        repo::{self, write},
    },
};

handlers! { Organizations:
    decide SignOut => Organizations::sign_out;
    decide EndSessions => Organizations::end_sessions;
}

impl Organizations {
    fn sign_out(&mut self, message: SignOut) -> Decision<()> {
        let session = message.session.clone();
        let io = write(self.env.db.clone(), async move |write| {
            Ok(repo::sessions::delete(&**write, &session).await?)
        });
        Ok(commit(io, move |domain: &mut Self, ()| {
            Arc::make_mut(&mut domain.view).remove_session(&message.session);
        }))
    }

    fn end_sessions(&mut self, message: EndSessions) -> Decision<()> {
        let EndSessions { user, which } = message;
        if let SessionChoice::One(id) = &which {
            let session = self.view.session_by_id(id);
            if session.is_none_or(|session| session.grant.user != user) {
                return Err(OrganizationError::NoSuchSession(id.clone()));
            }
        }
        let (owner, chosen) = (user.clone(), which.clone());
        let io = write(self.env.db.clone(), async move |write| {
            match &chosen {
                SessionChoice::One(id) => repo::sessions::delete(&**write, id).await?,
                SessionChoice::Others(own) => {
                    repo::sessions::delete_all(&**write, &owner, Some(own)).await?;
                }
                SessionChoice::All => repo::sessions::delete_all(&**write, &owner, None).await?,
            }
            Ok(())
        });
        Ok(commit(io, move |domain: &mut Self, ()| {
            let view = Arc::make_mut(&mut domain.view);
            view.end_sessions(&user, |session| match &which {
                SessionChoice::One(id) => session.grant.id == *id,
                SessionChoice::Others(own) => session.grant.id != *own,
                SessionChoice::All => true,
            });
        }))
    }
}
