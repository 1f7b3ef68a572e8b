//! Changing and removing one's account.

use std::sync::Arc;

use actix::Addr;
use serde_json::json;

use super::confirm;
use crate::{
    access::Role,
    actors::{
        audit::{self, Action, Actor, Entry},
        keys::LostRights,
        kit::{Live, commit, handlers, send},
        organizations::{
            Decision, DeleteAccount, LostAccess, OrganizationError, Organizations, Person, Rename,
            messages::RemoveAccount,
            repo::{self, write, write_with_keys},
            rules,
            state::came_back,
            tenants::lost_rights::end_lost_access,
        },
    },
    ids::UserId,
};

handlers! { Organizations:
    decide Rename => Organizations::rename_person;
    beside DeleteAccount => Organizations::delete_account;
    decide RemoveAccount => Organizations::remove_account;
}

impl Organizations {
    fn rename_person(&mut self, message: Rename) -> Decision<Arc<Person>> {
        let name = rules::name(&message.name)?;
        let Some(person) = self.view.person(&message.user) else {
            return Err(OrganizationError::SessionOver);
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
        Ok(commit(io, move |domain: &mut Self, ()| {
            Arc::make_mut(&mut domain.view).insert_person(Arc::clone(&person));
            person
        }))
    }

    /// Checks the password beside the mailbox, then comes back with `RemoveAccount`.
    fn delete_account(
        &mut self,
        message: DeleteAccount,
        actor: Addr<Live<Self>>,
    ) -> impl Future<Output = Result<LostAccess, OrganizationError>> + use<> {
        let (db, hasher) = (self.db.clone(), self.hasher.clone());
        let attempts = self.attempts.clone();
        async move {
            let (user, password) = (&message.user, message.password);
            let known = confirm((&db, &hasher, &attempts), user, password, "password").await?;
            came_back(send(&actor, RemoveAccount { known }).await)
        }
    }

    fn remove_account(&mut self, message: RemoveAccount) -> Decision<LostAccess> {
        let known = message.known;
        let Some(person) = self.view.person(&known.user) else {
            return Err(OrganizationError::SessionOver);
        };
        if person.password_set_ms > known.set_ms {
            return Err(OrganizationError::WrongPassword("password"));
        }
        let orphans = self.owned_alone(&known.user);
        if !orphans.is_empty() {
            return Err(OrganizationError::OnlyOwner(orphans));
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
        Ok(commit(io, move |domain: &mut Self, lost| {
            Arc::make_mut(&mut domain.view).remove_person(&known.user);
            lost
        }))
    }

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
