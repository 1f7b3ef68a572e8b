//! New accounts.

use std::sync::Arc;

use actix::{AsyncContext, Context, Handler, ResponseFuture};

use crate::{
    actors::{
        kit::{Live, Reply, commit, refuse},
        organizations::{
            OrganizationError, Organizations, SignUp, SignedIn,
            actor::came_back,
            messages::Joined,
            repo::{self, write},
            rules, sessions,
        },
    },
    entities::user,
    ids::UserId,
    store::StateError,
};

/// Hashes the password beside the mailbox, then comes back with `Joined`.
impl Handler<SignUp> for Live<Organizations> {
    type Result = ResponseFuture<Result<SignedIn, OrganizationError>>;

    fn handle(&mut self, message: SignUp, context: &mut Context<Self>) -> Self::Result {
        let account = match self.admit_account(&message) {
            Ok(account) => account,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        let (hasher, actor) = (self.hasher.clone(), context.address());
        Box::pin(async move {
            let joined = Joined {
                account,
                password_hash: hasher.hash(message.password).await?,
                user_agent: message.user_agent,
            };
            came_back(actor.send(joined).await)
        })
    }
}

impl Handler<Joined> for Live<Organizations> {
    type Result = Reply<Organizations, SignedIn, OrganizationError>;

    fn handle(&mut self, message: Joined, _: &mut Context<Self>) -> Self::Result {
        let now = self.clock.now();
        let row = user::Model {
            id: UserId::new().into(),
            email: message.account.email,
            name: message.account.name,
            password_hash: message.password_hash,
            email_verified: false,
            password_changed_at: None,
            created_at: now,
            updated_at: now,
        };
        let person = Arc::new(repo::people::person(row.clone(), Vec::new()));
        let drafted = sessions::open(person, message.user_agent, now.timestamp_millis());
        let signed_in = match drafted {
            Ok(signed_in) => signed_in,
            Err(error) => return refuse(error),
        };
        let session = repo::sessions::row(&signed_in.session);
        let io = write(self.db.clone(), async move |write| {
            repo::people::insert(&**write, row).await.map_err(taken)?;
            Ok(repo::sessions::insert(&**write, session).await?)
        });
        commit(io, |domain: &mut Organizations, ()| {
            let view = Arc::make_mut(&mut domain.view);
            view.insert_person(Arc::clone(&signed_in.person));
            view.insert_session(Arc::clone(&signed_in.session));
            signed_in
        })
    }
}

impl Organizations {
    fn admit_account(&self, message: &SignUp) -> Result<rules::Account, OrganizationError> {
        if !self.open {
            return Err(OrganizationError::SignUpClosed);
        }
        let account = rules::new_account(&message.name, &message.email)?;
        rules::new_password(&message.password, "password")?;
        if self.view.person_by_email(&account.email).is_some() {
            return Err(OrganizationError::EmailTaken);
        }
        Ok(account)
    }
}

/// The address is unique, whoever was faster.
fn taken(error: sea_orm::DbErr) -> OrganizationError {
    match StateError::from(error) {
        error if error.is_taken() => OrganizationError::EmailTaken,
        error => error.into(),
    }
}
