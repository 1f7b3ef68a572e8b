//! Making, changing, deleting and restoring organizations.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::{
    access::{Member, Permission, Role, authorize::Tenant},
    actors::{
        audit::{self, Action, Actor, Entry},
        error::CommonError,
        kit::{commit, handlers},
        organizations::{
            CreateOrganization, Decision, DeleteOrganization, LiveSession, Organization,
            OrganizationChange, OrganizationError, Organizations, RestoreOrganization, SetActive,
            UpdateOrganization,
            repo::{self, write},
            rules,
            sso::end_sessions,
        },
        random,
    },
    ids::{OrganizationId, OrganizationKey},
};

/// A deleted organization can be restored this long, milliseconds.
pub(super) const GRACE_MS: i64 = 7 * 24 * 60 * 60 * 1000;
const MAX_OWNED: usize = 50;

handlers! { Organizations:
    decide CreateOrganization => Organizations::create_organization;
    decide UpdateOrganization => Organizations::update_organization;
    decide DeleteOrganization => Organizations::delete_organization;
    decide RestoreOrganization => Organizations::restore_organization;
    decide SetActive => Organizations::set_active;
}

impl Organizations {
    fn create_organization(&mut self, message: CreateOrganization) -> Decision<Arc<Organization>> {
        let now = self.env.clock.now();
        let drafted = self.draft(&message, now)?;
        let (by, session) = (message.by, message.session);
        let (owner, works_in) = (by.clone(), session.clone());
        let io = write(self.env.db.clone(), async move |write| {
            let mut made = drafted;
            if message.slug.is_none() && repo::tenants::is_slug_taken(&**write, &made.slug).await? {
                made.slug = format!("{}-{}", made.slug, random::base36(8)?);
            }
            repo::tenants::insert(&**write, &made).await?;
            let (id, now_ms) = (&made.tenant.id, made.created_ms);
            repo::members::insert(&**write, id, &owner, Role::Owner, now_ms).await?;
            if let Some(session) = &works_in {
                repo::sessions::set_active(&**write, session, Some(id)).await?;
            }
            let entry = entry(Actor::User(owner), Action::OrganizationCreate, id);
            audit::record(write, now_ms, entry).await?;
            Ok(made)
        });
        Ok(commit(io, move |domain: &mut Self, made| {
            let view = Arc::make_mut(&mut domain.view);
            let made = view.insert_organization(made);
            let id = made.tenant.id.clone();
            let membership = Member {
                organization: id.clone(),
                role: Role::Owner,
            };
            view.join(&by, membership);
            if let Some(session) = &session {
                view.set_active(session, Some(id));
            }
            made
        }))
    }

    fn update_organization(&mut self, message: UpdateOrganization) -> Decision<Arc<Organization>> {
        let (by, change) = (message.by, message.change);
        let changed = self.changed(&by, &message.organization, &change)?;
        let now_ms = self.env.clock.now_ms();
        let io = write(self.env.db.clone(), async move |write| {
            repo::tenants::update(&**write, &changed).await?;
            let entry = entry(by, Action::OrganizationUpdate, &changed.tenant.id);
            let names: Vec<&str> = change.names().collect();
            audit::record(write, now_ms, entry.with(json!({ "changed": names }))).await?;
            Ok(changed)
        });
        Ok(commit(io, |domain: &mut Self, changed| {
            Arc::make_mut(&mut domain.view).insert_organization(changed)
        }))
    }

    fn delete_organization(&mut self, message: DeleteOrganization) -> Decision<Arc<Organization>> {
        let DeleteOrganization { by, organization } = message;
        self.require_permission(Permission::OrganizationDelete, &by, &organization)?;
        let Some(deleted) = self.view.organization(organization.as_str()).cloned() else {
            return Err(CommonError::NoOrganization(organization).into());
        };
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let io = write(self.env.db.clone(), async move |write| {
            repo::tenants::set_deleted(&**write, &organization, Some(now_ms)).await?;
            let ended = end_sessions(write, &view, (&organization, None), |_| true).await?;
            let entry = entry(Actor::User(by), Action::OrganizationDelete, &organization);
            audit::record(write, now_ms, entry).await?;
            Ok((organization, ended))
        });
        Ok(commit(io, |domain: &mut Self, (organization, ended)| {
            domain.forget_sessions(&ended);
            Arc::make_mut(&mut domain.view).remove_organization(&organization);
            deleted
        }))
    }

    fn restore_organization(
        &mut self,
        message: RestoreOrganization,
    ) -> Decision<Arc<Organization>> {
        let RestoreOrganization { by, organization } = message;
        let now_ms = self.env.clock.now_ms();
        let io = write(self.env.db.clone(), async move |write| {
            let unknown = || CommonError::NoOrganization(organization.clone());
            let members = repo::members::list(&**write, &organization).await?;
            let owns = |member: &&repo::members::Membership| {
                member.user == by && member.role == Role::Owner
            };
            members.iter().find(owns).ok_or_else(unknown)?;
            let (restored, deleted_ms) = repo::tenants::find_deleted(&**write, &organization)
                .await?
                .ok_or_else(unknown)?;
            if now_ms >= deleted_ms + GRACE_MS {
                return Err(unknown().into());
            }
            repo::tenants::set_deleted(&**write, &organization, None).await?;
            let entry = entry(Actor::User(by), Action::OrganizationRestore, &organization);
            audit::record(write, now_ms, entry).await?;
            Ok((restored, members))
        });
        Ok(commit(io, |domain: &mut Self, (restored, members)| {
            let view = Arc::make_mut(&mut domain.view);
            let restored = view.insert_organization(restored);
            for member in members {
                let membership = Member {
                    organization: restored.tenant.id.clone(),
                    role: member.role,
                };
                view.join(&member.user, membership);
            }
            restored
        }))
    }

    fn set_active(&mut self, message: SetActive) -> Decision<Arc<LiveSession>> {
        let (session, organization) = (message.session, message.organization);
        let live = self.view.session_by_id(&session);
        let live = live.ok_or(OrganizationError::SessionOver)?;
        if let Some(organization) = &organization
            && live.grant.role_in(organization).is_none()
        {
            return Err(CommonError::NoOrganization(organization.clone()).into());
        }
        let (id, chosen) = (session.clone(), organization.clone());
        let io = write(self.env.db.clone(), async move |write| {
            Ok(repo::sessions::set_active(&**write, &id, chosen.as_ref()).await?)
        });
        let before = Arc::clone(live);
        Ok(commit(io, move |domain: &mut Self, ()| {
            let view = Arc::make_mut(&mut domain.view);
            view.set_active(&session, organization);
            view.session_by_id(&session).cloned().unwrap_or(before)
        }))
    }
}

/// What the audit log says of an organization.
pub(super) fn entry(by: Actor, action: Action, organization: &OrganizationId) -> Entry {
    Entry::within(organization, by, action, organization.as_str())
}

impl Organizations {
    /// The organization that was asked for, not stored yet.
    fn draft(
        &self,
        wanted: &CreateOrganization,
        now: DateTime<Utc>,
    ) -> Result<Organization, OrganizationError> {
        let owned = self.signed_in(&wanted.by)?.memberships.iter();
        let owned = owned.filter(|member| member.role == Role::Owner).count();
        if owned >= MAX_OWNED {
            return Err(OrganizationError::TooMany(
                "You own 50 organizations: delete one, or hand one over, first",
            ));
        }
        let name = rules::name(&wanted.name)?;
        let slug = match &wanted.slug {
            Some(slug) => rules::given_slug(slug)?,
            None => rules::slug(&name),
        };
        Ok(Organization {
            tenant: Tenant {
                id: OrganizationId::new(),
                key: OrganizationKey(random::key()?),
            },
            slug,
            plan: self.env.options.plan.clone(),
            logo: wanted
                .logo
                .as_deref()
                .map(rules::logo)
                .transpose()?
                .flatten(),
            avatar_seed: None,
            notifications: None,
            required_provider: None,
            created_ms: now.timestamp_millis(),
            name,
        })
    }

    fn changed(
        &self,
        by: &Actor,
        organization: &OrganizationId,
        change: &OrganizationChange,
    ) -> Result<Organization, OrganizationError> {
        if let Actor::User(user) = by {
            self.require_permission(Permission::OrganizationUpdate, user, organization)?;
        }
        let known = self.view.organization(organization.as_str());
        let known = known.ok_or_else(|| CommonError::NoOrganization(organization.clone()))?;
        let mut changed = Organization::clone(known);
        if let Some(name) = &change.name {
            changed.name = rules::name(name)?;
        }
        if let Some(slug) = &change.slug {
            changed.slug = rules::given_slug(slug)?;
        }
        if let Some(logo) = &change.logo {
            changed.logo = rules::logo(logo)?;
        }
        if let Some(seed) = &change.avatar_seed {
            changed.avatar_seed = Some(rules::seed(seed)?);
        }
        if let Some(notifications) = &change.notifications {
            changed.notifications = Some(notifications.checked()?);
        }
        Ok(changed)
    }
}

impl OrganizationChange {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        [
            ("name", self.name.is_some()),
            ("slug", self.slug.is_some()),
            ("logo", self.logo.is_some()),
            ("avatarSeed", self.avatar_seed.is_some()),
            ("notifications", self.notifications.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, changes)| changes.then_some(name))
    }
}
