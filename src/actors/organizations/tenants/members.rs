//! Members who go, by themselves or not.

use std::sync::Arc;

use actix::{Context, Handler};
use serde_json::json;

use crate::{
    access::{Permission, Role},
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::{Live, Reply, commit, refuse},
        organizations::{
            OrganizationError, Organizations, Person, RemoveMember,
            repo::{self, write},
        },
    },
    ids::UserId,
};

impl Handler<RemoveMember> for Live<Organizations> {
    type Result = Reply<Organizations, UserId, OrganizationError>;

    fn handle(&mut self, message: RemoveMember, _: &mut Context<Self>) -> Self::Result {
        let (person, role) = match self.removable(&message) {
            Ok(member) => member,
            Err(error) => return refuse(error),
        };
        let RemoveMember {
            by, organization, ..
        } = message;
        let (user, now_ms) = (person.id.clone(), self.clock.now_ms());
        let io = write(self.db.clone(), async move |write| {
            repo::members::delete(&**write, &organization, &user).await?;
            let action = if user == by {
                Action::MemberLeave
            } else {
                Action::MemberRemove
            };
            let (chain, actor) = (Some(organization.clone()), Actor::User(by));
            let entry = Entry::new(chain, actor, action, user.as_str());
            audit::record(write, now_ms, entry.with(json!({ "role": role }))).await?;
            Ok((organization, user))
        });
        commit(io, |domain: &mut Organizations, (organization, user)| {
            Arc::make_mut(&mut domain.view).leave(&user, &organization);
            user
        })
    }
}

impl Organizations {
    /// The member, if they may be taken out.
    fn removable(&self, wanted: &RemoveMember) -> Result<(Arc<Person>, Role), OrganizationError> {
        let own = self.role_in(&wanted.by, &wanted.organization)?;
        let leaves = self.member(&wanted.organization, &wanted.member);
        let leaves = leaves.is_ok_and(|(person, _)| person.id == wanted.by);
        if !leaves && !own.may(Permission::MembersManage) {
            return Err(OrganizationError::Missing(Permission::MembersManage));
        }
        let (person, role) = self.member(&wanted.organization, &wanted.member)?;
        if !leaves && !own.may_assign(role) {
            return Err(OrganizationError::Missing(Permission::OwnersManage));
        }
        self.spare_last_owner(&wanted.organization, role)?;
        Ok((person, role))
    }
}
