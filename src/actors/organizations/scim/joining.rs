//! How a provider's user becomes a member, and ceases to be one.

use serde_json::json;

use super::change::{Change, details};
use crate::{
    access::{Member, Role},
    actors::{
        audit::{self, Action, Entry},
        keys::LostRights,
        organizations::{
            Invitation, LostAccess, OrganizationError, Person, ScimUser,
            identities::insert_account,
            invitation::{LASTS_MS, Status},
            repo,
            tenants::{invitations, lost_rights::end_membership, members_allowed},
        },
    },
    ids::InvitationId,
};

/// The role of a new member whose groups give none.
pub(super) const USUAL_ROLE: Role = Role::Viewer;

impl Change<'_> {
    /// Makes a user a member, or invites them.
    pub(super) async fn enable(
        &mut self,
        user: &mut ScimUser,
        is_vouched_for: bool,
        base_url: &str,
    ) -> Result<(), OrganizationError> {
        let (person, role) = self.premises.account(user);
        if role.is_some() {
            user.left_role = None;
            return Ok(());
        }
        let given = user.group_role.or(user.left_role).unwrap_or(USUAL_ROLE);
        self.require_authority(given)?;
        let person = match person {
            // An address that its account's owner never proved says nothing about who that is.
            Some(person) => (user.left_role.is_some() || is_vouched_for && person.email_verified)
                .then(|| Person::clone(person)),
            None if is_vouched_for => Some(self.create_account(user).await?),
            None => None,
        };
        user.left_role = None;
        match person {
            Some(person) => self.join(user, person, given).await,
            None => self.invite(user, given, base_url).await,
        }
    }

    async fn create_account(&self, user: &ScimUser) -> Result<Person, OrganizationError> {
        let name = user.attributes.full_name();
        let name = name.map(|name| {
            name.chars()
                .filter(|one| !one.is_control())
                .take(100)
                .collect()
        });
        insert_account(self.write, &user.account, name, self.premises.now_ms).await
    }

    async fn join(
        &mut self,
        user: &ScimUser,
        mut person: Person,
        role: Role,
    ) -> Result<(), OrganizationError> {
        let premises = self.premises;
        let organization = &premises.organization;
        if let Some(allowance) = members_allowed(&premises.view, &premises.plans, organization) {
            let members = repo::members::count_alone(&**self.write, organization).await?;
            allowance.admit(members, 1)?;
        }
        repo::members::insert(
            &**self.write,
            organization,
            &person.id,
            role,
            premises.now_ms,
        )
        .await?;
        self.cancel_invitations(user).await?;
        let action = Action::MemberAdd;
        let entry = Entry::within(organization, premises.actor(), action, person.id.as_str());
        let told = details(user, json!({ "role": role }), &LostAccess::default());
        audit::record(self.write, premises.now_ms, entry.with(told)).await?;
        self.owners += usize::from(role == Role::Owner);
        person.memberships.push(Member {
            organization: organization.clone(),
            role,
        });
        self.take_in(person, false);
        Ok(())
    }

    /// Invites a user, unless an invitation is open, or they declined one.
    async fn invite(
        &mut self,
        user: &ScimUser,
        role: Role,
        base_url: &str,
    ) -> Result<(), OrganizationError> {
        let (premises, write) = (self.premises, self.write);
        let known = repo::invitations::list(&**write, &premises.organization).await?;
        let latest = known.iter().find(|one| one.email == user.account);
        let is_answered =
            |one: &Invitation| one.is_open(premises.now_ms) || one.status == Status::Rejected;
        if latest.is_some_and(is_answered) {
            return Ok(());
        }
        let invitation = Invitation {
            id: InvitationId::new(),
            organization: premises.organization.clone(),
            email: user.account.clone(),
            role,
            status: Status::Pending,
            inviter: Some(premises.by.clone()),
            created_ms: premises.now_ms,
            expires_ms: premises.now_ms + LASTS_MS,
        };
        let allowance = members_allowed(&premises.view, &premises.plans, &premises.organization);
        let outbox = premises.outbox.as_ref();
        let drafted = invitations::Draft::new(&premises.view, outbox, invitation, base_url)?;
        self.done.has_mailed |= drafted.is_mailed();
        drafted
            .store(write, premises.actor(), false, allowance, premises.now_ms)
            .await
    }

    /// Takes the membership, which comes back as it was.
    pub(super) async fn disable(&mut self, user: &mut ScimUser) -> Result<(), OrganizationError> {
        self.cancel_invitations(user).await?;
        let premises = self.premises;
        let (Some(person), Some(role)) = premises.account(user) else {
            return Ok(());
        };
        self.require_authority(role)?;
        if role == Role::Owner {
            self.lose_owner()?;
        }
        let (organization, id, now_ms) = (&premises.organization, &person.id, premises.now_ms);
        let actor = premises.actor();
        let rights = LostRights {
            organization,
            user: id,
            role: None,
            keep_keys: false,
        };
        let lost = end_membership(self.write, self.keys, &actor, rights, now_ms).await?;
        let entry = Entry::within(organization, actor, Action::MemberRemove, id.as_str());
        let told = details(user, json!({ "role": role }), &lost);
        audit::record(self.write, now_ms, entry.with(told)).await?;
        let mut changed = Person::clone(person);
        changed.leave(organization);
        self.take_in(changed, false);
        user.left_role = Some(role);
        Ok(())
    }

    /// Takes back what is open for the address.
    async fn cancel_invitations(&self, user: &ScimUser) -> Result<(), OrganizationError> {
        let (premises, write) = (self.premises, self.write);
        for invitation in self.open_invitations(user).await? {
            let (id, status) = (&invitation.id, Status::Canceled);
            if repo::invitations::close(&**write, id, status, premises.now_ms).await? {
                let action = Action::InvitationCancel;
                let entry = invitations::entry(&invitation, premises.actor(), action);
                audit::record(write, premises.now_ms, entry).await?;
            }
        }
        Ok(())
    }

    /// The invitations of a user's address to this organization.
    pub(super) async fn open_invitations(
        &self,
        user: &ScimUser,
    ) -> Result<Vec<Invitation>, OrganizationError> {
        let now_ms = self.premises.now_ms;
        let mut open = repo::invitations::open_for(&**self.write, &user.account, now_ms).await?;
        open.retain(|one| one.organization == self.premises.organization);
        Ok(open)
    }
}
