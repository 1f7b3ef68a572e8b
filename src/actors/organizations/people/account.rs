//! Changing and removing one's account.

use std::sync::Arc;

use serde_json::json;

use crate::{
    access::Role,
    actors::{
        audit::{self, Action, Actor, Entry},
        keys::LostRights,
        kit::{commit, handlers},
        organizations::{
            Decision, DeleteAccount, LostAccess, OrganizationError, Organizations, Person, Rename,
            SetLanguage, Work,
            messages::RemoveAccount,
            repo::{self, write},
            rules,
            tenants::lost_rights::end_lost_access,
        },
    },
    ids::UserId,
};

handlers! { Organizations:
    decide Rename => Organizations::rename_person;
    decide SetLanguage => Organizations::set_language;
    prepare DeleteAccount => Organizations::delete_account;
    decide RemoveAccount => Organizations::remove_account;
}

impl Organizations {
    fn rename_person(&mut self, message: Rename) -> Decision<Arc<Person>> {
        let name = rules::name(&message.name)?;
        let now_ms = self.env.clock.now_ms();
        let person = Arc::new(Person {
            name,
            updated_ms: now_ms,
            ..Person::clone(self.signed_in(&message.user)?)
        });
        let renamed = Arc::clone(&person);
        let io = write(self.env.db.clone(), async move |write| {
            Ok(repo::people::rename(&**write, &renamed.id, &renamed.name, now_ms).await?)
        });
        Ok(commit(io, move |domain: &mut Self, ()| {
            Arc::make_mut(&mut domain.view).insert_person(Arc::clone(&person));
            person
        }))
    }

    fn set_language(&mut self, message: SetLanguage) -> Decision<Arc<Person>> {
        let SetLanguage { user, language } = message;
        let now_ms = self.env.clock.now_ms();
        let person = Arc::new(Person {
            language,
            updated_ms: now_ms,
            ..Person::clone(self.signed_in(&user)?)
        });
        let io = write(self.env.db.clone(), async move |write| {
            Ok(repo::people::set_language(&**write, &user, language, now_ms).await?)
        });
        Ok(commit(io, move |domain: &mut Self, ()| {
            Arc::make_mut(&mut domain.view).insert_person(Arc::clone(&person));
            person
        }))
    }

    fn delete_account(&mut self, message: DeleteAccount) -> Work<RemoveAccount> {
        let passwords = self.passwords.clone();
        Box::pin(async move {
            let (user, password) = (&message.user, message.password);
            let known = passwords.confirm(user, password, "password").await?;
            Ok(RemoveAccount { known })
        })
    }

    fn remove_account(&mut self, message: RemoveAccount) -> Decision<LostAccess> {
        let known = message.known;
        self.confirmed(&known, "password")?;
        let orphans = self.sole_ownerships(&known.user);
        if !orphans.is_empty() {
            return Err(OrganizationError::OnlyOwner(orphans));
        }
        let user = known.user.clone();
        let now_ms = self.env.clock.now_ms();
        let io = self.env.clone().write_with_keys(async move |write, keys| {
            let (mut all, actor) = (LostAccess::default(), Actor::User(user.clone()));
            for (organization, role) in repo::members::list_of_person(&**write, &user).await? {
                let rights = LostRights {
                    organization: &organization,
                    user: &user,
                    role: None,
                    keep_keys: false,
                };
                let lost = end_lost_access(write, keys, &actor, rights, now_ms).await?;
                let details = lost.details(json!({ "role": role }));
                all.extend(lost);
                let (actor, action) = (actor.clone(), Action::MemberLeave);
                let entry = Entry::within(&organization, actor, action, user.as_str());
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
    fn sole_ownerships(&self, user: &UserId) -> Vec<String> {
        let Some(person) = self.view.person(user) else {
            return Vec::new();
        };
        let owned = person.memberships.iter();
        let owned = owned.filter(|member| member.role == Role::Owner);
        let alone = owned.filter(|member| {
            let owners = self.view.owners(&member.organization);
            owners.iter().all(|owner| owner.id == *user)
        });
        let organizations = alone.filter_map(|member| {
            let organization = self.view.organization(member.organization.as_str())?;
            Some(organization.name.clone())
        });
        organizations.collect()
    }
}
