//! Inviting people, and taking invitations back.

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use super::members_allowed;
use crate::{
    access::{Permission, plans::Allowance},
    actors::{
        audit::{self, Action, Actor, Entry},
        delivery::{Delivery, Outbox},
        digest::Digest,
        kit::{commit, handlers},
        organizations::{
            CancelInvitation, ClearExpired, Decision, Invitation, Invite, NewInvitation,
            OrganizationError, Organizations, OrganizationsEnv, OrganizationsView,
            emails::Inviting,
            invitation::{LASTS_MS, Status},
            repo::{self, write},
            rules, sessions,
        },
    },
    ids::InvitationId,
    store::state::Write,
};

/// Open invitations of an organization, against sending emails by the thousand.
const MAX_OPEN: usize = 200;

handlers! { Organizations:
    decide Invite => Organizations::invite;
    decide CancelInvitation => Organizations::cancel_invitation;
    commit ClearExpired => clear_expired;
}

impl Organizations {
    fn invite(&mut self, message: Invite) -> Decision<NewInvitation> {
        let invitation = self.invitation(&message)?;
        let (again, now_ms) = (message.again, self.env.clock.now_ms());
        let bell = self.env.mail.clone();
        let plans = self.env.options.plans.load();
        let allowance = members_allowed(&self.view, &plans, &invitation.organization);
        let draft = Draft::new(&self.view, bell.as_ref(), invitation, &message.base_url)?;
        let (by, known) = (Actor::User(message.by), draft.clone());
        let io = write(self.env.db.clone(), async move |write| {
            draft.store(write, by, again, allowance, now_ms).await
        });
        Ok(commit(io, move |_, ()| {
            if let Some(bell) = bell {
                bell.ring();
            }
            NewInvitation {
                mailed: known.is_mailed(),
                invitation: known.invitation,
                token: known.token,
            }
        }))
    }

    fn cancel_invitation(&mut self, message: CancelInvitation) -> Decision<Invitation> {
        let CancelInvitation { by, session, id } = message;
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let io = write(self.env.db.clone(), async move |write| {
            let found = repo::invitations::by_id(&**write, id.as_str()).await?;
            let found = found.ok_or(OrganizationError::NoSuchInvitation)?;
            let session = view.session_by_id(&session);
            let role = session.and_then(|session| session.grant.role_in(&found.organization));
            let role = role.ok_or(OrganizationError::NoSuchInvitation)?;
            if !role.may(Permission::MembersManage) {
                return Err(OrganizationError::Missing(Permission::MembersManage));
            }
            if !role.may_assign(found.role) {
                return Err(OrganizationError::Missing(Permission::OwnersManage));
            }
            let closed = repo::invitations::close(&**write, &found.id, Status::Canceled, now_ms);
            if !closed.await? {
                let why = found.closed(now_ms);
                let why = why.unwrap_or("The invitation was answered already");
                return Err(OrganizationError::InvitationClosed(why));
            }
            let entry = entry(&found, Actor::User(by), Action::InvitationCancel);
            audit::record(write, now_ms, entry).await?;
            Ok(Invitation {
                status: Status::Canceled,
                ..found
            })
        });
        Ok(commit(io, |_, invitation| invitation))
    }
}

async fn clear_expired(env: OrganizationsEnv, it: ClearExpired) -> Result<u64, OrganizationError> {
    let now_ms = env.clock.now_ms();
    write(env.db, async |write| {
        Ok(repo::invitations::clear_expired(&**write, &it.organization, now_ms).await?)
    })
    .await
}

/// Makes room for an invitation: one that is open for the same address gives way if it shall, and the plan has to have
/// a place.
async fn make_room(
    write: &Write,
    invitation: &Invitation,
    again: bool,
    allowance: Option<Allowance>,
    now_ms: i64,
) -> Result<(), OrganizationError> {
    let organization = &invitation.organization;
    let members = repo::members::count_alone(&**write, organization).await?;
    let mut open = repo::invitations::list(&**write, organization).await?;
    open.retain(|one| one.is_open(now_ms));
    if open.len() >= MAX_OPEN {
        return Err(OrganizationError::TooMany(
            "200 invitations are open: take some back first",
        ));
    }
    let mut places = members + open.len() as u64;
    for earlier in open.iter().filter(|one| one.email == invitation.email) {
        if !again {
            return Err(OrganizationError::AlreadyInvited);
        }
        repo::invitations::close(&**write, &earlier.id, Status::Canceled, now_ms).await?;
        places -= 1;
    }
    if let Some(allowance) = allowance {
        // Open invitations are counted as members.
        allowance.admit(places, 1)?;
    }
    Ok(())
}

/// The audit entry of an invitation, without the address.
pub(crate) fn entry(invitation: &Invitation, by: Actor, action: Action) -> Entry {
    let (organization, id) = (&invitation.organization, invitation.id.as_str());
    Entry::within(organization, by, action, id).with(json!({ "role": invitation.role }))
}

/// An invitation that is not stored yet, with its token and its email.
#[derive(Clone)]
pub(crate) struct Draft {
    invitation: Invitation,
    token: SecretString,
    digest: Digest,
    email: Option<(Outbox, Delivery)>,
}

impl Draft {
    pub(crate) fn new(
        view: &OrganizationsView,
        outbox: Option<&Outbox>,
        invitation: Invitation,
        base_url: &str,
    ) -> Result<Self, OrganizationError> {
        let (token, digest) = sessions::token()?;
        let email = outbox.and_then(|outbox| {
            let email = compose(view, &invitation, token.expose_secret(), base_url)?;
            Some((outbox.clone(), email))
        });
        Ok(Self {
            invitation,
            token,
            digest,
            email,
        })
    }

    pub(crate) fn is_mailed(&self) -> bool {
        self.email.is_some()
    }

    pub(crate) async fn store(
        self,
        write: &Write,
        by: Actor,
        again: bool,
        allowance: Option<Allowance>,
        now_ms: i64,
    ) -> Result<(), OrganizationError> {
        make_room(write, &self.invitation, again, allowance, now_ms).await?;
        repo::invitations::insert(&**write, &self.invitation, self.digest).await?;
        let entry = entry(&self.invitation, by, Action::InvitationCreate);
        audit::record(write, now_ms, entry).await?;
        if let Some((outbox, delivery)) = self.email {
            outbox.put(write, delivery, now_ms).await?;
        }
        Ok(())
    }
}

/// The email with its link.
fn compose(
    view: &OrganizationsView,
    invitation: &Invitation,
    token: &str,
    base_url: &str,
) -> Option<Delivery> {
    let organization = view.organization(invitation.organization.as_str())?;
    let inviter = view.person(invitation.inviter.as_ref()?)?;
    // People without an account are likely to read what their inviter reads.
    let known = view.person_by_email(&invitation.email);
    let language = known.and_then(|known| known.language).or(inviter.language);
    let inviting = Inviting {
        texts: language.unwrap_or_default().texts(),
        organization,
        inviter,
        base_url,
    };
    let email = inviting.email(invitation, token);
    let owner = Some(invitation.organization.clone());
    Some(email.delivery(format!("invitation {}", invitation.id), owner))
}

impl Organizations {
    /// The invitation that was asked for, not stored yet.
    fn invitation(&self, wanted: &Invite) -> Result<Invitation, OrganizationError> {
        let (by, organization) = (&wanted.by, &wanted.organization);
        let own = self.require_permission(Permission::MembersManage, by, organization)?;
        if !own.may_assign(wanted.role) {
            return Err(OrganizationError::Missing(Permission::OwnersManage));
        }
        let email = rules::address(&wanted.email)?;
        let member = self.view.person_by_email(&email);
        if member.is_some_and(|person| person.role_in(organization.as_str()).is_some()) {
            return Err(OrganizationError::AlreadyMember);
        }
        let created_ms = self.env.clock.now_ms();
        Ok(Invitation {
            id: InvitationId::new(),
            organization: organization.clone(),
            email,
            role: wanted.role,
            status: Status::Pending,
            inviter: Some(by.clone()),
            created_ms,
            expires_ms: created_ms + LASTS_MS,
        })
    }
}
