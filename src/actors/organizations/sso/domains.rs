//! Adding, checking and removing domains.

use std::sync::Arc;

use actix::Addr;
use serde_json::json;

use super::{end_sessions, judge::judge};
use crate::{
    access::Permission,
    actors::{
        audit::{self, Action, Actor, Entry},
        error::write_error,
        kit::{Live, ask, commit, handlers},
        organizations::{
            AddSsoDomain, CheckSsoDomain, Decision, OrganizationError, Organizations,
            OrganizationsView, Person, RemoveSsoDomain, SsoDomain, SsoError, Work, is_sso_provider,
            messages::StoreDomainCheck,
            repo::{self, write},
            rules,
            sso_resources::MAX_DOMAINS,
        },
        random,
    },
    entities::organization,
    ids::{OrganizationId, SessionId, SsoDomainId},
    oidc::trusts,
    store::state::Write,
};

const TAKEN: OrganizationError = OrganizationError::Sso(SsoError::Taken(
    "Another organization here verified this domain. It has to remove the domain or its text record first.",
));

handlers! { Organizations:
    decide AddSsoDomain => Organizations::add_sso_domain;
    beside CheckSsoDomain => Organizations::check_sso_domain;
    decide StoreDomainCheck => Organizations::store_domain_check;
    decide RemoveSsoDomain => Organizations::remove_sso_domain;
}

impl Organizations {
    fn add_sso_domain(&mut self, message: AddSsoDomain) -> Decision<SsoDomain> {
        let (by, organization) = (message.by, message.organization);
        self.require_permission(Permission::OwnersManage, &by, &organization)?;
        let now_ms = self.env.clock.now_ms();
        let domain = SsoDomain {
            id: SsoDomainId::new(),
            organization,
            name: rules::domain(&message.name)?,
            token: random::base62(32)?,
            is_verified: false,
            outcome: None,
            checked_ms: None,
            missing_since_ms: None,
            created_ms: now_ms,
        };
        let io = write(self.env.db.clone(), async move |write| {
            organization::Entity::lock(&**write, &domain.organization).await?;
            let known = repo::sso_domains::list(&**write, &domain.organization).await?;
            if known.len() as u64 >= MAX_DOMAINS {
                let message = "The organization has 20 domains. Remove one first.";
                return Err(OrganizationError::TooMany(message));
            }
            let taken = OrganizationError::Sso(SsoError::Taken(
                "The organization already has this domain.",
            ));
            let stored = repo::sso_domains::insert(&**write, &domain).await;
            stored.map_err(|error| write_error(error, taken))?;
            let entry = entry(&domain, Actor::User(by), Action::SsoDomainCreate);
            audit::record(write, now_ms, entry).await?;
            Ok(domain)
        });
        Ok(commit(io, |_, domain| domain))
    }

    fn check_sso_domain(
        &mut self,
        check: CheckSsoDomain,
        actor: Addr<Live<Self>>,
    ) -> Work<SsoDomain> {
        let egress = self.env.egress.clone();
        Box::pin(async move {
            let (name, text) = (check.domain.record_name(), check.domain.record_text());
            let found = egress.find_text(&name, &text).await;
            ask(&actor, StoreDomainCheck { check, found }).await
        })
    }

    fn store_domain_check(&mut self, message: StoreDomainCheck) -> Decision<SsoDomain> {
        let StoreDomainCheck { check, found } = message;
        if let Some(by) = &check.by {
            let organization = &check.domain.organization;
            self.require_permission(Permission::OwnersManage, by, organization)?;
        }
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let db = self.env.db.clone();
        let io = async move {
            let write = db.begin().await?;
            let before = repo::sso_domains::find(&*write, check.domain.id.as_str()).await?;
            let before = before.ok_or(OrganizationError::Sso(SsoError::NoDomain))?;
            let mut after = judge(&before, found, now_ms);
            if after.is_verified && !before.is_verified {
                let owner = repo::sso_domains::find_verified(&*write, &after.name).await?;
                if owner.is_some() && check.by.is_some() {
                    return Err(TAKEN);
                }
                after.is_verified = owner.is_none();
            }
            let stored = repo::sso_domains::update(&*write, &after).await;
            stored.map_err(|error| write_error(error, TAKEN))?;
            let (action, ended) = match (before.is_verified, after.is_verified) {
                (false, true) => (Some(Action::SsoDomainVerify), Vec::new()),
                (true, false) => {
                    let ended = end_of(&write, &view, &after).await?;
                    (Some(Action::SsoDomainLose), ended)
                }
                _ => (None, Vec::new()),
            };
            if let Some(action) = action {
                let actor = check.by.map_or(Actor::System, Actor::User);
                audit::record(&write, now_ms, entry(&after, actor, action)).await?;
                write.commit().await?;
            } else {
                // Nothing of a domain is kept in memory.
                write.commit_quietly().await?;
            }
            Ok((after, ended))
        };
        Ok(commit(io, |domain: &mut Self, (after, ended)| {
            domain.forget_sessions(&ended);
            after
        }))
    }

    fn remove_sso_domain(&mut self, message: RemoveSsoDomain) -> Decision<()> {
        let RemoveSsoDomain { by, domain } = message;
        self.require_permission(Permission::OwnersManage, &by, &domain.organization)?;
        let needs_domain = self.requires_sso(&domain.organization);
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let io = write(self.env.db.clone(), async move |write| {
            let known = repo::sso_domains::list(&**write, &domain.organization).await?;
            let mut others = known.iter().filter(|one| one.id != domain.id);
            if needs_domain && !others.any(|one| one.is_verified) {
                return Err(OrganizationError::Sso(SsoError::Required));
            }
            if !repo::sso_domains::delete(&**write, &domain.id).await? {
                return Err(OrganizationError::Sso(SsoError::NoDomain));
            }
            let ended = end_of(write, &view, &domain).await?;
            let entry = entry(&domain, Actor::User(by), Action::SsoDomainDelete);
            audit::record(write, now_ms, entry).await?;
            Ok(ended)
        });
        Ok(commit(io, |domain: &mut Self, ended| {
            domain.forget_sessions(&ended);
        }))
    }

    /// Whether members have to sign in with a provider of the organization's own.
    fn requires_sso(&self, organization: &OrganizationId) -> bool {
        let known = self.view.organization(organization.as_str());
        let required = known.and_then(|known| known.required_provider.as_deref());
        required.is_some_and(is_sso_provider)
    }
}

/// Ends the sessions that count by a domain.
async fn end_of(
    write: &Write,
    view: &OrganizationsView,
    domain: &SsoDomain,
) -> Result<Vec<SessionId>, OrganizationError> {
    let own = [domain.name.clone()];
    let ends = |person: &Person| trusts(&own, &person.email);
    let ended = end_sessions(write, view, (&domain.organization, None), ends);
    Ok(ended.await?)
}

fn entry(domain: &SsoDomain, actor: Actor, action: Action) -> Entry {
    let entry = Entry::within(&domain.organization, actor, action, domain.id.as_str());
    entry.with(json!({ "domain": domain.name }))
}
