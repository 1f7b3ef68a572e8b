//! Changing what members are.
//!
//! Whoever becomes something else signs in anew: their sessions end. The session in which somebody changes their own role
//! goes on under another token (threat T33).

use std::sync::Arc;

use actix::{Context, Handler};
use serde_json::json;

use crate::{
    access::{Permission, Role},
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::{Live, Reply, commit, refuse},
        organizations::{
            OrganizationError, Organizations, OrganizationsView, Person, SetRole, SignedIn,
            Transfer,
            repo::{self, write},
            sessions,
        },
    },
    ids::{OrganizationId, SessionId},
    store::state::Write,
};

/// A new role of a member, and the session of theirs that goes on.
struct Change {
    organization: OrganizationId,
    person: Arc<Person>,
    from: Role,
    to: Role,
    kept: Option<SignedIn>,
}

impl Handler<SetRole> for Live<Organizations> {
    type Result = Reply<Organizations, Option<SignedIn>, OrganizationError>;

    fn handle(&mut self, message: SetRole, _: &mut Context<Self>) -> Self::Result {
        let change = match self.role_change(&message) {
            Ok(change) => change,
            Err(error) => return refuse(error),
        };
        let (by, now_ms) = (Actor::User(message.by), self.clock.now_ms());
        let io = write(self.db.clone(), async move |write| {
            if let Some(change) = &change {
                change.store(write).await?;
                audit::record(write, now_ms, change.entry(by)).await?;
            }
            Ok(change)
        });
        commit(io, |domain: &mut Organizations, change| {
            change.and_then(|change| change.adopt(Arc::make_mut(&mut domain.view)))
        })
    }
}

impl Handler<Transfer> for Live<Organizations> {
    type Result = Reply<Organizations, Option<SignedIn>, OrganizationError>;

    fn handle(&mut self, message: Transfer, _: &mut Context<Self>) -> Self::Result {
        let (up, down) = match self.transfer(&message) {
            Ok(changes) => changes,
            Err(error) => return refuse(error),
        };
        let (by, now_ms) = (Actor::User(message.by), self.clock.now_ms());
        let io = write(self.db.clone(), async move |write| {
            up.store(write).await?;
            down.store(write).await?;
            let organization = &up.organization;
            let transferred = Entry::new(
                Some(organization.clone()),
                by.clone(),
                Action::OrganizationTransfer,
                organization.as_str(),
            );
            let transferred = transferred.with(json!({ "to": up.person.id }));
            for entry in [up.entry(by.clone()), down.entry(by), transferred] {
                audit::record(write, now_ms, entry).await?;
            }
            Ok((up, down))
        });
        commit(io, |domain: &mut Organizations, (up, down)| {
            let view = Arc::make_mut(&mut domain.view);
            up.adopt(view);
            down.adopt(view)
        })
    }
}

impl Change {
    async fn store(&self, write: &Write) -> Result<(), OrganizationError> {
        let user = &self.person.id;
        repo::members::set_role(&**write, &self.organization, user, self.to).await?;
        let session = self.kept.as_ref().map(|kept| &kept.session);
        let kept = session.map(|session| &session.grant.id);
        repo::sessions::delete_of(&**write, user, kept).await?;
        if let Some(session) = session {
            let (id, digest) = (&session.grant.id, session.digest);
            repo::sessions::set_token(&**write, id, digest).await?;
        }
        Ok(())
    }

    fn entry(&self, by: Actor) -> Entry {
        let organization = Some(self.organization.clone());
        let entry = Entry::new(
            organization,
            by,
            Action::MemberRole,
            self.person.id.as_str(),
        );
        entry.with(json!({ "from": self.from, "to": self.to }))
    }

    fn adopt(self, view: &mut OrganizationsView) -> Option<SignedIn> {
        view.end_sessions(&self.person.id, |_| true);
        view.insert_person(Arc::clone(&self.person));
        if let Some(kept) = &self.kept {
            view.insert_session(Arc::clone(&kept.session));
        }
        self.kept
    }
}

impl Organizations {
    /// What a new role changes; `None` when the member has it already.
    fn role_change(&self, wanted: &SetRole) -> Result<Option<Change>, OrganizationError> {
        let organization = &wanted.organization;
        let own = self.role_in(&wanted.by, organization)?;
        let steps_down = wanted.by.as_str() == wanted.member && wanted.role < own;
        if !own.may(Permission::MembersManage) && !steps_down {
            return Err(OrganizationError::Missing(Permission::MembersManage));
        }
        let (person, from) = self.member(organization, &wanted.member)?;
        let may = own.may_assign(from) && own.may_assign(wanted.role);
        if !may && !steps_down {
            return Err(OrganizationError::Missing(Permission::OwnersManage));
        }
        if from == wanted.role {
            return Ok(None);
        }
        self.spare_last_owner(organization, from)?;
        let own_session = (person.id == wanted.by).then_some(&wanted.session);
        self.change(organization, &person, from, wanted.role, own_session)
            .map(Some)
    }

    /// What handing an organization over changes: the heir first.
    fn transfer(&self, wanted: &Transfer) -> Result<(Change, Change), OrganizationError> {
        let (by, organization) = (&wanted.by, &wanted.organization);
        let own = self.role_that_may(Permission::OrganizationDelete, by, organization)?;
        let (heir, from) = self.member(organization, &wanted.member)?;
        if heir.id == *by {
            return Err(OrganizationError::NoSuchMember(wanted.member.clone()));
        }
        let person = self.view.person(by).cloned();
        let person = person.ok_or(OrganizationError::SessionOver)?;
        let up = self.change(organization, &heir, from, Role::Owner, None)?;
        let session = Some(&wanted.session);
        let down = self.change(organization, &person, own, Role::Admin, session)?;
        Ok((up, down))
    }

    fn change(
        &self,
        organization: &OrganizationId,
        person: &Person,
        from: Role,
        to: Role,
        own_session: Option<&SessionId>,
    ) -> Result<Change, OrganizationError> {
        let mut changed = person.clone();
        for member in &mut changed.memberships {
            if member.organization == *organization {
                member.role = to;
            }
        }
        let person = Arc::new(changed);
        let kept = own_session.and_then(|id| self.view.session_by_id(id));
        let renewed = kept.map(|session| sessions::renewed(session, Arc::clone(&person)));
        Ok(Change {
            organization: organization.clone(),
            person,
            from,
            to,
            kept: renewed.transpose()?,
        })
    }
}
