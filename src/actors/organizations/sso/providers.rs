//! Adding, changing and deleting providers.

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use super::{end_sessions, fields};
use crate::{
    access::Permission,
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::{commit, handlers},
        organizations::{
            Decision, DeleteSsoProvider, OrganizationError, Organizations, SsoError, SsoProvider,
            StoreSsoProvider, Vault,
            repo::{self, write},
            sso_resources::{MAX_PROVIDERS, new_provider_id},
        },
        validation::ValidationError,
    },
    entities::organization,
    ids::OrganizationId,
};

handlers! { Organizations:
    decide StoreSsoProvider => Organizations::store_sso_provider;
    decide DeleteSsoProvider => Organizations::delete_sso_provider;
}

impl Organizations {
    fn store_sso_provider(&mut self, message: StoreSsoProvider) -> Decision<SsoProvider> {
        let StoreSsoProvider {
            by,
            organization,
            id,
            secret,
            ..
        } = message;
        self.require_permission(Permission::OwnersManage, &by, &organization)?;
        let fields = fields::check(message.fields, &self.env.egress.policy())?;
        fields::check_secret(secret.as_ref())?;
        let is_required = id
            .as_deref()
            .is_some_and(|id| self.is_required(&organization, id));
        if is_required && !fields.is_enabled {
            return Err(OrganizationError::Sso(SsoError::Required));
        }
        let (view, vault) = (Arc::clone(&self.view), self.vault.clone());
        let now_ms = self.env.clock.now_ms();
        let io = write(self.env.db.clone(), async move |write| {
            organization::Entity::lock(&**write, &organization).await?;
            let known = repo::sso_providers::list(&**write, &organization).await?;
            let before = choose(known, id.as_deref())?;
            let id = before.as_ref().map(|before| before.id.clone());
            let id = id.unwrap_or_else(new_provider_id);
            let moved = (before.as_ref()).is_some_and(|one| one.fields.issuer != fields.issuer);
            let kept = before.as_ref().and_then(|one| one.sealed_secret.clone());
            let after = SsoProvider {
                created_ms: before.as_ref().map_or(now_ms, |before| before.created_ms),
                updated_ms: now_ms,
                sealed_secret: seal(
                    &vault,
                    (&id, &fields.issuer),
                    secret.as_ref(),
                    (kept, moved),
                )?,
                id,
                organization,
                fields,
            };
            let mut ended = Vec::new();
            let action = if before.is_some() {
                repo::sso_providers::update(&**write, &after).await?;
                if moved || !after.fields.is_enabled {
                    let own = (&after.organization, Some(after.id.as_str()));
                    ended = end_sessions(write, &view, own, |_| true).await?;
                }
                Action::SsoProviderUpdate
            } else {
                repo::sso_providers::insert(&**write, &after).await?;
                Action::SsoProviderCreate
            };
            let entry = entry(&after, Actor::User(by), action, secret.is_some());
            audit::record(write, now_ms, entry).await?;
            Ok((after, ended))
        });
        Ok(commit(io, |domain: &mut Self, (after, ended)| {
            domain.forget_sessions(&ended);
            after
        }))
    }

    fn delete_sso_provider(&mut self, message: DeleteSsoProvider) -> Decision<()> {
        let DeleteSsoProvider { by, provider } = message;
        self.require_permission(Permission::OwnersManage, &by, &provider.organization)?;
        if self.is_required(&provider.organization, &provider.id) {
            return Err(OrganizationError::Sso(SsoError::Required));
        }
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let io = write(self.env.db.clone(), async move |write| {
            let own = (&provider.organization, Some(provider.id.as_str()));
            let ended = end_sessions(write, &view, own, |_| true).await?;
            if !repo::sso_providers::delete(&**write, &provider.id).await? {
                return Err(OrganizationError::Sso(SsoError::NoProvider));
            }
            repo::identities::delete_by_provider(&**write, &provider.id).await?;
            let entry = entry(&provider, Actor::User(by), Action::SsoProviderDelete, false);
            audit::record(write, now_ms, entry).await?;
            Ok(ended)
        });
        Ok(commit(io, |domain: &mut Self, ended| {
            domain.forget_sessions(&ended);
        }))
    }

    /// Whether members have to sign in with this provider.
    fn is_required(&self, organization: &OrganizationId, id: &str) -> bool {
        let known = self.view.organization(organization.as_str());
        known.is_some_and(|known| known.required_provider.as_deref() == Some(id))
    }
}

/// The provider that changes; `None` = a new one, if there is room.
fn choose(
    known: Vec<SsoProvider>,
    id: Option<&str>,
) -> Result<Option<SsoProvider>, OrganizationError> {
    if let Some(id) = id {
        let found = known.into_iter().find(|one| one.id == id);
        return Ok(Some(
            found.ok_or(OrganizationError::Sso(SsoError::NoProvider))?,
        ));
    }
    if known.len() as u64 >= MAX_PROVIDERS {
        let message = "The organization has 10 providers. Delete one first.";
        return Err(OrganizationError::TooMany(message));
    }
    Ok(None)
}

/// The secret as it is stored; `None` for a client without one.
fn seal(
    vault: &Vault,
    owner: (&str, &str),
    secret: Option<&SecretString>,
    (kept, moved): (Option<Vec<u8>>, bool),
) -> Result<Option<Vec<u8>>, OrganizationError> {
    match secret.map(ExposeSecret::expose_secret) {
        Some("") => Ok(None),
        Some(secret) => Ok(Some(vault.close_client(owner, secret)?)),
        // Else an owner could send it to an address of their own.
        None if moved && kept.is_some() => {
            let message = "Enter the client secret again, because the issuer changed";
            Err(ValidationError::new("clientSecret", message).into())
        }
        None => Ok(kept),
    }
}

fn entry(provider: &SsoProvider, actor: Actor, action: Action, has_new_secret: bool) -> Entry {
    let fields = &provider.fields;
    let entry = Entry::within(&provider.organization, actor, action, provider.id.as_str());
    entry.with(json!({
        "label": fields.label, "issuer": fields.issuer, "clientId": fields.client_id,
        "enabled": fields.is_enabled, "joinRole": fields.join_role, "roles": fields.roles,
        "newSecret": has_new_secret,
    }))
}
