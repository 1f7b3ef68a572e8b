//! Answering invitations.
//!
//! Who shows the token of the link may answer, if the invitation is for their address. Who only knows the id may when the
//! address is known to be theirs: anybody can make an account with anybody's address.

use std::sync::Arc;

use sea_orm::ConnectionTrait;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use super::{invitations::entry, members_allowed};
use crate::{
    access::{Member, plans::Plans},
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::{commit, handlers},
        organizations::{
            Accept, Decision, Invitation, OrganizationError, Organizations, OrganizationsView,
            Person, Reject,
            invitation::Status,
            repo::{self, write},
        },
    },
    ids::UserId,
    store::state::Write,
};

handlers! { Organizations:
    decide Accept => Organizations::accept_invitation;
    decide Reject => Organizations::reject_invitation;
}

impl Organizations {
    fn accept_invitation(&mut self, message: Accept) -> Decision<Invitation> {
        let (by, session) = (message.by, message.session);
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let (own, plans) = (session.clone(), self.env.options.plans.load_full());
        let io = write(self.env.db.clone(), async move |write| {
            let found = open_for(write, &view, &by, &message.invitation, now_ms).await?;
            let found = join(write, (&view, &plans), found, &by, now_ms).await?;
            repo::sessions::set_active(&**write, &own, Some(&found.organization)).await?;
            Ok((found, by))
        });
        Ok(commit(io, move |domain: &mut Self, (found, by)| {
            let view = Arc::make_mut(&mut domain.view);
            view.join(&by, found.membership());
            view.set_active(&session, Some(found.organization.clone()));
            found
        }))
    }

    fn reject_invitation(&mut self, message: Reject) -> Decision<Invitation> {
        let Reject { by, invitation } = message;
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let io = write(self.env.db.clone(), async move |write| {
            let found = open_for(write, &view, &by, &invitation, now_ms).await?;
            if !repo::invitations::close(&**write, &found.id, Status::Rejected, now_ms).await? {
                return Err(ANSWERED);
            }
            let entry = entry(&found, Actor::User(by), Action::InvitationReject);
            audit::record(write, now_ms, entry).await?;
            Ok(Invitation {
                status: Status::Rejected,
                ..found
            })
        });
        Ok(commit(io, |_, invitation| invitation))
    }
}

const ANSWERED: OrganizationError =
    OrganizationError::InvitationClosed("The invitation was answered already");

impl Invitation {
    pub(crate) fn membership(&self) -> Member {
        Member {
            organization: self.organization.clone(),
            role: self.role,
        }
    }
}

/// The open invitation of a signed-in person.
async fn open_for(
    write: &Write,
    view: &OrganizationsView,
    by: &UserId,
    named: &SecretString,
    now_ms: i64,
) -> Result<Invitation, OrganizationError> {
    let person = view.person(by).ok_or(OrganizationError::SessionOver)?;
    let named = named.expose_secret();
    let found = match repo::invitations::by_token(&**write, named).await? {
        Some(found) if found.email != person.email => return Err(OrganizationError::OtherAddress),
        Some(found) => Some(found),
        None => {
            let known = repo::invitations::by_id(&**write, named).await?;
            known.filter(|known| person.email_verified && known.email == person.email)
        }
    };
    usable(view, found, now_ms)
}

/// The open invitation of a token, for a person who is about to make its account.
pub(crate) async fn open_for_stranger(
    db: &impl ConnectionTrait,
    view: &OrganizationsView,
    token: &str,
    email: &str,
    now_ms: i64,
) -> Result<Invitation, OrganizationError> {
    let found = repo::invitations::by_token(db, token).await?;
    let found = usable(view, found, now_ms)?;
    if found.email != email {
        return Err(OrganizationError::OtherAddress);
    }
    Ok(found)
}

/// An invitation that may be answered, into an organization that is there, by a person who may still give its role.
fn usable(
    view: &OrganizationsView,
    found: Option<Invitation>,
    now_ms: i64,
) -> Result<Invitation, OrganizationError> {
    let found = found.filter(|found| view.organization(found.organization.as_str()).is_some());
    let found = found.ok_or(OrganizationError::NoSuchInvitation)?;
    if let Some(why) = found.closed(now_ms) {
        return Err(OrganizationError::InvitationClosed(why));
    }
    if !view.may_still_grant(&found) {
        return Err(OrganizationError::InvitationClosed(
            "The person who invited you may no longer give this role: ask for another invitation",
        ));
    }
    Ok(found)
}

/// Makes the invited person a member, in the caller's transaction.
pub(crate) async fn join(
    write: &Write,
    (view, plans): (&OrganizationsView, &Plans),
    found: Invitation,
    user: &UserId,
    now_ms: i64,
) -> Result<Invitation, OrganizationError> {
    let organization = &found.organization;
    let person: Option<&Arc<Person>> = view.person(user);
    if person.is_some_and(|person| person.role_in(organization.as_str()).is_some()) {
        return Err(OrganizationError::AlreadyMember);
    }
    if !repo::invitations::close(&**write, &found.id, Status::Accepted, now_ms).await? {
        return Err(ANSWERED);
    }
    if let Some(allowance) = members_allowed(view, plans, organization) {
        // There was room for everybody who is invited; the plan may have become a smaller one since.
        let members = repo::members::count_alone(&**write, organization).await?;
        allowance.admit(members, 1)?;
    }
    repo::members::insert(&**write, organization, user, found.role, now_ms).await?;
    let actor = Actor::User(user.clone());
    let entry = Entry::within(organization, actor, Action::MemberAdd, user.as_str());
    let entry = entry.with(json!({ "role": found.role, "invitation": found.id }));
    audit::record(write, now_ms, entry).await?;
    Ok(Invitation {
        status: Status::Accepted,
        ..found
    })
}
