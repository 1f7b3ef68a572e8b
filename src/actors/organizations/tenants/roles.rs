//! Changing what members are.
//!
//! The sessions of a member with a new role end. A session that changes its own person's role goes on under another
//! token (threat T33).

use std::sync::Arc;

use serde_json::json;

use super::{check_keep_keys, lost_rights::end_lost_access, organization::entry};
use crate::{
    access::{Permission, Role},
    actors::{
        audit::{self, Action, Actor, Entry},
        keys::{LostRights, MakerKeys},
        kit::{commit, handlers},
        organizations::{
            Decision, LostAccess, OrganizationError, Organizations, OrganizationsView, Person,
            RoleOutcome, SetRole, SignedIn, Transfer, repo, sessions,
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
    /// Whether keys beyond the new role keep working.
    keep_keys: bool,
}

handlers! { Organizations:
    decide SetRole => Organizations::set_role;
    decide Transfer => Organizations::transfer_ownership;
}

impl Organizations {
    fn set_role(&mut self, message: SetRole) -> Decision<RoleOutcome> {
        let change = self.role_change(&message)?;
        let (by, now_ms) = (Actor::User(message.by), self.env.clock.now_ms());
        let io = self.env.clone().write_with_keys(async move |write, keys| {
            let mut lost = LostAccess::default();
            if let Some(change) = &change {
                change.store(write).await?;
                lost = change.end_lost_access(write, keys, &by, now_ms).await?;
                audit::record(write, now_ms, change.entry(by, &lost)).await?;
            }
            Ok((change, lost))
        });
        Ok(commit(io, |domain: &mut Self, (change, lost)| {
            let view = Arc::make_mut(&mut domain.view);
            let renewed = change.and_then(|change| change.adopt(view));
            RoleOutcome { renewed, lost }
        }))
    }

    fn transfer_ownership(&mut self, message: Transfer) -> Decision<RoleOutcome> {
        let (up, down) = self.transfer(&message)?;
        let (by, now_ms) = (Actor::User(message.by), self.env.clock.now_ms());
        let io = self.env.clone().write_with_keys(async move |write, keys| {
            up.store(write).await?;
            down.store(write).await?;
            let lost = down.end_lost_access(write, keys, &by, now_ms).await?;
            let transferred = entry(by.clone(), Action::OrganizationTransfer, &up.organization);
            let transferred = transferred.with(json!({ "to": up.person.id }));
            let promoted = up.entry(by.clone(), &LostAccess::default());
            for entry in [promoted, down.entry(by, &lost), transferred] {
                audit::record(write, now_ms, entry).await?;
            }
            Ok((up, down, lost))
        });
        Ok(commit(io, |domain: &mut Self, (up, down, lost)| {
            let view = Arc::make_mut(&mut domain.view);
            up.adopt(view);
            let renewed = down.adopt(view);
            RoleOutcome { renewed, lost }
        }))
    }
}

impl Change {
    async fn store(&self, write: &Write) -> Result<(), OrganizationError> {
        let user = &self.person.id;
        repo::members::set_role(&**write, &self.organization, user, self.to).await?;
        let session = self.kept.as_ref().map(|kept| &kept.session);
        let kept = session.map(|session| &session.grant.id);
        repo::sessions::delete_all(&**write, user, kept).await?;
        if let Some(session) = session {
            let (id, digest) = (&session.grant.id, session.digest);
            repo::sessions::set_token(&**write, id, digest).await?;
        }
        Ok(())
    }

    async fn end_lost_access(
        &self,
        write: &Write,
        keys: &MakerKeys,
        by: &Actor,
        now_ms: i64,
    ) -> Result<LostAccess, OrganizationError> {
        if self.to >= self.from {
            return Ok(LostAccess::default());
        }
        let rights = LostRights {
            organization: &self.organization,
            user: &self.person.id,
            role: Some(self.to),
            keep_keys: self.keep_keys,
        };
        end_lost_access(write, keys, by, rights, now_ms).await
    }

    fn entry(&self, by: Actor, lost: &LostAccess) -> Entry {
        let user = self.person.id.as_str();
        let entry = Entry::within(&self.organization, by, Action::MemberRole, user);
        entry.with(lost.details(json!({ "from": self.from, "to": self.to })))
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
        check_keep_keys(own, wanted.keep_keys)?;
        self.require_other_owner(organization, from)?;
        let own_session = (person.id == wanted.by).then_some(&wanted.session);
        let change = self.change(organization, &person, from, wanted.role, own_session)?;
        Ok(Some(Change {
            keep_keys: wanted.keep_keys,
            ..change
        }))
    }

    /// What handing an organization over changes: the heir first.
    fn transfer(&self, wanted: &Transfer) -> Result<(Change, Change), OrganizationError> {
        let (by, organization) = (&wanted.by, &wanted.organization);
        let own = self.require_permission(Permission::OrganizationDelete, by, organization)?;
        let (heir, from) = self.member(organization, &wanted.member)?;
        if heir.id == *by {
            return Err(OrganizationError::NoSuchMember(wanted.member.clone()));
        }
        let person = self.signed_in(by)?;
        let up = self.change(organization, &heir, from, Role::Owner, None)?;
        let session = Some(&wanted.session);
        let down = self.change(organization, person, own, Role::Admin, session)?;
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
        let renewed =
            kept.map(|session| sessions::renewed(&self.view, session, Arc::clone(&person)));
        Ok(Change {
            organization: organization.clone(),
            person,
            from,
            to,
            kept: renewed.transpose()?,
            keep_keys: false,
        })
    }
}
