//! Ending sessions whose person has signed out at the provider.

use std::sync::Arc;

use crate::actors::{
    kit::{commit, handlers},
    organizations::{
        Decision, EndProviderSessions, LiveSession, Organizations, SignInMethod,
        repo::{self, write},
        sessions,
    },
};

handlers! { Organizations:
    decide EndProviderSessions => Organizations::end_provider_sessions;
}

impl Organizations {
    fn end_provider_sessions(&mut self, message: EndProviderSessions) -> Decision<usize> {
        let view = Arc::clone(&self.view);
        let io = write(self.env.db.clone(), async move |write| {
            let user = match &message.subject {
                None => None,
                Some(subject) => {
                    let named = (&*message.provider, &*message.issuer, subject.as_str());
                    match repo::identities::find_user(&**write, named).await? {
                        None => return Ok(Vec::new()),
                        user => user,
                    }
                }
            };
            let method = SignInMethod::Provider(message.provider);
            let ends = |session: &&Arc<LiveSession>| {
                let named = message.session.as_ref();
                session.method == method
                    && user.as_ref().is_none_or(|user| session.grant.user == *user)
                    && named.is_none_or(|named| session.provider_session.as_ref() == Some(named))
            };
            let ended = view.sessions.values().filter(ends);
            let ended: Vec<_> = ended.map(|session| session.grant.id.clone()).collect();
            sessions::delete(write, &ended).await?;
            Ok(ended)
        });
        Ok(commit(io, |domain: &mut Self, ended| {
            domain.forget_sessions(&ended);
            ended.len()
        }))
    }
}
