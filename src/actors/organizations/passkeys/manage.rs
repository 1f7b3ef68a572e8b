//! Naming and removing passkeys.

use crate::{
    actors::{
        audit::Action,
        kit::{commit, handlers},
        organizations::{
            Decision, OrganizationError, Organizations, Passkey, RemovePasskey, RenamePasskey,
            Work,
            messages::DropPasskey,
            repo::{self, write},
            rules, sessions, trail,
        },
    },
    ids::UserId,
    store::state::Write,
};

handlers! { Organizations:
    decide RenamePasskey => Organizations::rename_passkey;
    prepare RemovePasskey => Organizations::remove_passkey;
    decide DropPasskey => Organizations::drop_passkey;
}

impl Organizations {
    fn rename_passkey(&mut self, message: RenamePasskey) -> Decision<Passkey> {
        let RenamePasskey {
            user,
            passkey,
            name,
        } = message;
        self.signed_in(&user)?;
        let (name, now_ms) = (rules::name(&name)?, self.env.clock.now_ms());
        let io = write(self.env.db.clone(), async move |write| {
            let known = find(write, &user, &passkey).await?;
            repo::passkeys::rename(&**write, &passkey, &name).await?;
            let action = Action::PasskeyUpdate;
            trail::record(write, &user, (action, &passkey), None, now_ms).await?;
            Ok(Passkey { name, ..known })
        });
        Ok(commit(io, |_, passkey| passkey))
    }

    fn remove_passkey(&mut self, message: RemovePasskey) -> Work<DropPasskey> {
        let proven = self.prove_presence(&message.session, message.password);
        Box::pin(async move {
            Ok(DropPasskey {
                user: proven.await?,
                session: message.session,
                passkey: message.passkey,
            })
        })
    }

    fn drop_passkey(&mut self, message: DropPasskey) -> Decision<()> {
        let DropPasskey {
            user,
            session: own,
            passkey,
        } = message;
        self.live_session(&own)?;
        let now_ms = self.env.clock.now_ms();
        let opened = self.view.sessions_of(&user, |session| {
            session.provider_session.as_ref() == Some(&passkey) && session.grant.id != own
        });
        let (ended, owner) = (opened.clone(), user.clone());
        let io = write(self.env.db.clone(), async move |write| {
            find(write, &owner, &passkey).await?;
            repo::passkeys::delete(&**write, &passkey).await?;
            if !repo::people::has_way_in(&**write, &owner).await? {
                return Err(OrganizationError::LastWayIn);
            }
            let left = repo::factors::settle(&**write, &owner).await?;
            sessions::delete(write, &ended).await?;
            let action = Action::PasskeyDelete;
            trail::record(write, &owner, (action, &passkey), None, now_ms).await?;
            Ok(left)
        });
        Ok(commit(io, move |domain: &mut Self, left| {
            domain.forget_sessions(&opened);
            domain.set_second_factors(&user, left);
        }))
    }
}

async fn find(write: &Write, user: &UserId, passkey: &str) -> Result<Passkey, OrganizationError> {
    let found = repo::passkeys::find(&**write, user, passkey).await?;
    found.ok_or(OrganizationError::NoSuchPasskey)
}
