//! Changing and removing one's account.

use std::sync::Arc;

use actix::{AsyncContext, Context, Handler, ResponseFuture};
use serde_json::json;

use super::confirm;
use crate::{
    access::Role,
    actors::{
        audit::{self, Action, Actor, Entry},
        keys::LostRights,
        kit::{Live, Reply, commit, refuse, send},
        organizations::{
            DeleteAccount, LostAccess, OrganizationError, Organizations, Person, Rename,
            messages::RemoveAccount,
            repo::{self, write, write_with_keys},
            rules,
            state::came_back,
            tenants::lost_rights::end_lost_access,
        },
    },
    ids::UserId,
};

impl Handler<Rename> for Live<Organizations> {
    type Result = Reply<Organizations, Arc<Person>, OrganizationError>;

    fn handle(&mut self, message: Rename, _: &mut Context<Self>) -> Self::Result {
        let name = match rules::name(&message.name) {
            Ok(name) => name,
            Err(refusal) => return refuse(refusal),
        };
        let Some(person) = self.view.person(&message.user) else {
            return refuse(OrganizationError::SessionOver);
        };
        let now_ms = self.clock.now_ms();
        let person = Arc::new(Person {
            name,
            updated_ms: now_ms,
            ..Person::clone(person)
        });
        let renamed = Arc::clone(&person);
        let io = write(self.db.clone(), async move |write| {
            Ok(repo::people::rename(&**write, &renamed.id, &renamed.name, now_ms).await?)
        });
        commit(io, move |domain: &mut Organizations, ()| {
            Arc::make_mut(&mut domain.view).insert_person(Arc::clone(&person));
            person
        })
    }
}

/// Checks the password beside the mailbox, then comes back with `RemoveAccount`.
impl Handler<DeleteAccount> for Live<Organizations> {
    type Result = ResponseFuture<Result<LostAccess, OrganizationError>>;

    fn handle(&mut self, message: DeleteAccount, context: &mut Context<Self>) -> Self::Result {
        let (db, hasher, actor) = (self.db.clone(), self.hasher.clone(), context.address());
        let attempts = self.attempts.clone();
        Box::pin(async move {
            let (user, password) = (&message.user, message.password);
            let known = confirm((&db, &hasher, &attempts), user, password, "password").await?;
            came_back(send(&actor, RemoveAccount { known }).await)
        })
    }
}

impl Handler<RemoveAccount> for Live<Organizations> {
    type Result = Reply<Organizations, LostAccess, OrganizationError>;

    fn handle(&mut self, message: RemoveAccount, _: &mut Context<Self>) -> Self::Result {
        let known = message.known;
        let Some(person) = self.view.person(&known.user) else {
            return refuse(OrganizationError::SessionOver);
        };
        if person.password_set_ms > known.set_ms {
            return refuse(OrganizationError::WrongPassword("password"));
        }
        let orphans = self.owned_alone(&known.user);
        if !orphans.is_empty() {
            return refuse(OrganizationError::OnlyOwner(orphans));
        }
        let user = known.user.clone();
        let (now_ms, keys) = (self.clock.now_ms(), self.keys.clone());
        let io = write_with_keys(self.db.clone(), self.keys.clone(), async move |write| {
            let (mut all, actor) = (LostAccess::default(), Actor::User(user.clone()));
            for (organization, role) in repo::members::of_person(&**write, &user).await? {
                let rights = LostRights {
                    organization: &organization,
                    user: &user,
                    role: None,
                    keep_keys: false,
                };
                let lost = end_lost_access(write, &keys, &actor, rights, now_ms).await?;
                let details = lost.details(json!({ "role": role }));
                all.extend(lost);
                let (chain, actor) = (Some(organization), actor.clone());
                let entry = Entry::new(chain, actor, Action::MemberLeave, user.as_str());
                audit::record(write, now_ms, entry.with(details)).await?;
            }
            repo::people::delete(&**write, &user).await?;
            Ok(all)
        });
        commit(io, move |domain: &mut Organizations, lost| {
            Arc::make_mut(&mut domain.view).remove_person(&known.user);
            lost
        })
    }
}

impl Organizations {
    /// Names of the organizations that would be without an owner if it were not for this person.
    fn owned_alone(&self, user: &UserId) -> Vec<String> {
        let Some(person) = self.view.person(user) else {
            return Vec::new();
        };
        let owned = person.memberships.iter();
        let owned = owned.filter(|member| member.role == Role::Owner);
        let alone = owned.filter(|member| {
            let owners = self.view.owners_of(&member.organization);
            owners.iter().all(|owner| owner.id == *user)
        });
        let organizations = alone.filter_map(|member| {
            let organization = self.view.organization(member.organization.as_str())?;
            Some(organization.name.clone())
        });
        organizations.collect()
    }
}
