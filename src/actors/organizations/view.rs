//! What everyone may read without asking the actor.

use std::{collections::HashMap, sync::Arc};

use super::{Invitation, LiveSession, Organization, Person, SignInMethod};
use crate::{
    access::{Member, Role, SessionGrant, authorize::Tenant},
    actors::{digest::Digest, error::CommonError},
    ids::{OrganizationId, SessionId, UserId},
    locale::Language,
};

#[derive(Debug, Clone, Default)]
pub struct OrganizationsView {
    pub(super) installed: bool,
    pub(super) organizations: HashMap<OrganizationId, Arc<Organization>>,
    pub(super) people: HashMap<UserId, Arc<Person>>,
    pub(super) sessions: HashMap<Digest, Arc<LiveSession>>,
    pub(super) session_digests: HashMap<SessionId, Digest>,
}

impl OrganizationsView {
    /// Whether anything was installed: an organization, deleted ones included, or a person.
    pub fn any(&self) -> bool {
        self.installed
    }

    /// The only organization and the only person, if there was no sign-in yet: what an installation leaves behind.
    pub fn founder(&self) -> Option<(Arc<Organization>, Arc<Person>)> {
        let mut organizations = self.organizations.values();
        let mut people = self.people.values();
        let only = (organizations.next()?, people.next()?);
        let alone =
            organizations.next().is_none() && people.next().is_none() && self.sessions.is_empty();
        alone.then(|| (Arc::clone(only.0), Arc::clone(only.1)))
    }

    pub fn first(&self) -> Option<OrganizationId> {
        // Ids are made in the order of time.
        self.organizations.keys().min().cloned()
    }

    /// Every live organization, in the order of their ids.
    pub fn all(&self) -> Vec<Arc<Organization>> {
        let mut all: Vec<_> = self.organizations.values().cloned().collect();
        all.sort_by(|a, b| a.tenant.id.cmp(&b.tenant.id));
        all
    }

    /// Whether there are several live organizations.
    pub fn has_several(&self) -> bool {
        self.organizations.len() > 1
    }

    pub fn organization(&self, id: &str) -> Option<&Arc<Organization>> {
        self.organizations.get(id)
    }

    /// Whether an organization is there and not deleted.
    pub fn is_live(&self, id: &OrganizationId) -> bool {
        self.organizations.contains_key(id)
    }

    /// What the authorizer needs to know of a live organization.
    pub fn tenant(&self, id: &str) -> Option<Tenant> {
        Some(self.organizations.get(id)?.tenant.clone())
    }

    pub(in crate::actors) fn require_tenant(
        &self,
        id: &OrganizationId,
    ) -> Result<Tenant, CommonError> {
        let unknown = || CommonError::NoOrganization(id.clone());
        self.tenant(id.as_str()).ok_or_else(unknown)
    }

    /// Whether the person who made an invitation may grant its role at this moment.
    pub(super) fn may_still_grant(&self, invitation: &Invitation) -> bool {
        let inviter = invitation.inviter.as_ref();
        let inviter = inviter.and_then(|inviter| self.person(inviter));
        let role = inviter.and_then(|person| person.role_in(invitation.organization.as_str()));
        role.is_some_and(|role| role.may_assign(invitation.role))
    }

    /// The memberships that count in a session that began this way: an organization may insist on a provider.
    pub(super) fn granted(&self, person: &Person, method: &SignInMethod) -> Vec<Member> {
        let counts = |member: &&Member| {
            let organization = self.organization(member.organization.as_str());
            let required = organization.and_then(|one| one.required_provider.as_deref());
            required.is_none_or(|name| {
                let broken = person.break_glass && *method == SignInMethod::Password;
                broken || method.parts().1 == Some(name)
            })
        };
        person.memberships.iter().filter(counts).cloned().collect()
    }

    /// The role that a person has in a live organization, as it counts in a session that began this way.
    pub fn current_role(
        &self,
        user: &UserId,
        organization: &OrganizationId,
        method: &SignInMethod,
    ) -> Option<Role> {
        let granted = self.granted(self.person(user)?, method);
        let own = granted.into_iter();
        let mut own = own.filter(|member| member.organization == *organization);
        Some(own.next()?.role)
    }

    /// How a session that has not ended began.
    pub fn sign_in_method(&self, session: &SessionId) -> Option<SignInMethod> {
        Some(self.session_by_id(session)?.method.clone())
    }

    /// The provider that a person has to use instead, where none of their memberships counts in a session of this method.
    pub(super) fn only_provider(&self, person: &Person, method: &SignInMethod) -> Option<String> {
        if !self.granted(person, method).is_empty() {
            return None;
        }
        let first = person.memberships.first()?;
        let organization = self.organization(first.organization.as_str())?;
        organization.required_provider.clone()
    }

    pub fn person(&self, id: &UserId) -> Option<&Arc<Person>> {
        self.people.get(id)
    }

    /// Whose account an address is; `email` as accounts are stored, in lower case.
    pub fn person_by_email(&self, email: &str) -> Option<&Arc<Person>> {
        self.people.values().find(|person| person.email == email)
    }

    /// The language of emails to an address: what its account has chosen, or English.
    pub fn language_of(&self, email: &str) -> Language {
        let person = self.person_by_email(&email.to_lowercase());
        person
            .and_then(|person| person.language)
            .unwrap_or_default()
    }

    pub fn by_slug(&self, slug: &str) -> Option<OrganizationId> {
        let mut all = self.organizations.values();
        let found = all.find(|organization| organization.slug == slug)?;
        Some(found.tenant.id.clone())
    }

    pub fn owners(&self, organization: &OrganizationId) -> Vec<&Arc<Person>> {
        let owns =
            |person: &&Arc<Person>| person.role_in(organization.as_str()) == Some(Role::Owner);
        self.people.values().filter(owns).collect()
    }

    pub fn members(&self, organization: &OrganizationId) -> Vec<&Arc<Person>> {
        let is_member = |person: &&Arc<Person>| person.role_in(organization.as_str()).is_some();
        self.people.values().filter(is_member).collect()
    }

    /// What a session token allows now. Counts as use of the session.
    pub fn session(&self, token: &str, now_ms: i64) -> Option<Arc<SessionGrant>> {
        let session = self.live_session(token, now_ms)?;
        Some(Arc::clone(&session.grant))
    }

    /// What a session allows now, by its id. Does not count as use of it.
    pub fn grant(&self, id: &SessionId, now_ms: i64) -> Option<Arc<SessionGrant>> {
        let session = self.session_by_id(id)?;
        session.is_alive(now_ms).then(|| Arc::clone(&session.grant))
    }

    /// The session of a token with its times, for `get-session`. Counts as use of the session.
    pub fn live_session(&self, token: &str, now_ms: i64) -> Option<&Arc<LiveSession>> {
        let digest = Digest::from_secret(token);
        let session = self.sessions.get(&digest)?;
        if !session.digest.matches(&digest) || !session.is_alive(now_ms) {
            return None;
        }
        session.touch(now_ms);
        Some(session)
    }

    /// Takes over when sessions were used, which may not be stored yet.
    pub(super) fn keep_use(&mut self, before: &Self) {
        for (digest, session) in &mut self.sessions {
            let Some(known) = before.session_by_id(&session.grant.id) else {
                continue;
            };
            known.used.catch_up(&session.used);
            *session = Arc::new(LiveSession {
                digest: *digest,
                used: Arc::clone(&known.used),
                ..LiveSession::clone(session)
            });
        }
    }

    /// A person's sessions that have not ended, newest first.
    pub fn list_sessions(&self, user: &UserId, now_ms: i64) -> Vec<Arc<LiveSession>> {
        let mut own = self.sessions_by(user);
        own.retain(|session| session.is_alive(now_ms));
        own.sort_by(|one, other| {
            let at = |session: &LiveSession| (session.created_ms, session.grant.id.clone());
            at(other).cmp(&at(one))
        });
        own
    }

    /// The sessions of a person that `is_meant` names.
    pub(super) fn sessions_of(
        &self,
        user: &UserId,
        is_meant: impl Fn(&LiveSession) -> bool,
    ) -> Vec<SessionId> {
        let own = self.sessions_by(user).into_iter();
        let meant = own.filter(|session| is_meant(session));
        meant.map(|session| session.grant.id.clone()).collect()
    }

    fn sessions_by(&self, user: &UserId) -> Vec<Arc<LiveSession>> {
        let own = self.sessions.values();
        let own = own.filter(|session| session.grant.user == *user);
        own.cloned().collect()
    }

    pub(super) fn session_by_id(&self, id: &SessionId) -> Option<&Arc<LiveSession>> {
        self.sessions.get(self.session_digests.get(id)?)
    }

    /// Takes a session in; one of the same id gives way, whatever its token was.
    pub(super) fn insert_session(&mut self, session: Arc<LiveSession>) {
        self.remove_session(&session.grant.id);
        self.session_digests
            .insert(session.grant.id.clone(), session.digest);
        self.sessions.insert(session.digest, session);
    }

    pub(super) fn remove_session(&mut self, id: &SessionId) {
        if let Some(digest) = self.session_digests.remove(id.as_str()) {
            self.sessions.remove(&digest);
        }
    }

    /// Ends the sessions of a person that `ends` names.
    pub(super) fn end_sessions(&mut self, user: &UserId, ends: impl Fn(&LiveSession) -> bool) {
        for session in self.sessions_of(user, ends) {
            self.remove_session(&session);
        }
    }

    /// Takes a person in, with what that means for sessions that are open.
    pub(super) fn insert_person(&mut self, person: Arc<Person>) {
        for session in self.sessions_by(&person.id) {
            let active = session.grant.active_organization.clone();
            let memberships = self.granted(&person, &session.method);
            self.insert_session(Arc::new(session.regranted(memberships, active)));
        }
        self.people.insert(person.id.clone(), person);
    }

    /// Changes a person, if there is one, with what that means for open sessions.
    pub(super) fn change_person(&mut self, id: &UserId, change: impl FnOnce(&mut Person)) {
        if let Some(person) = self.people.get(id) {
            let mut changed = Person::clone(person);
            change(&mut changed);
            self.insert_person(Arc::new(changed));
        }
    }

    /// Makes a person a member; a member gets the role.
    pub(super) fn join(&mut self, user: &UserId, membership: Member) {
        self.change_person(user, |person| {
            person.leave(&membership.organization);
            person.memberships.push(membership);
        });
    }

    pub(super) fn leave(&mut self, user: &UserId, organization: &OrganizationId) {
        self.change_person(user, |person| person.leave(organization));
    }

    pub(super) fn insert_organization(&mut self, organization: Organization) -> Arc<Organization> {
        let organization = Arc::new(organization);
        let id = organization.tenant.id.clone();
        self.organizations.insert(id, Arc::clone(&organization));
        organization
    }

    /// Changes an organization, with what that means for open sessions of its members.
    pub(super) fn change_organization(&mut self, organization: Organization) -> Arc<Organization> {
        let organization = self.insert_organization(organization);
        let members = self.members(&organization.tenant.id).into_iter();
        for member in members.cloned().collect::<Vec<_>>() {
            self.insert_person(member);
        }
        organization
    }

    /// Takes an organization out, with what it means for its members.
    pub(super) fn remove_organization(&mut self, organization: &OrganizationId) {
        self.organizations.remove(organization);
        let members = self.members(organization).into_iter();
        let members: Vec<UserId> = members.map(|person| person.id.clone()).collect();
        for member in &members {
            self.leave(member, organization);
        }
    }

    pub(super) fn set_active(&mut self, id: &SessionId, organization: Option<OrganizationId>) {
        let Some(session) = self.session_by_id(id).cloned() else {
            return;
        };
        let Some(person) = self.people.get(&session.grant.user).cloned() else {
            return;
        };
        let memberships = self.granted(&person, &session.method);
        self.insert_session(Arc::new(session.regranted(memberships, organization)));
    }

    /// Takes a person out with all sessions.
    pub(super) fn remove_person(&mut self, id: &UserId) {
        self.end_sessions(id, |_| true);
        self.people.remove(id);
    }
}
