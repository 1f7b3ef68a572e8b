//! Organizations that let their members in only with one provider.

use std::sync::Arc;

use serde_json::json;

use crate::{
    access::Permission,
    actors::{
        audit::{self, Action, Actor, Entry},
        error::CommonError,
        kit::{commit, handlers},
        organizations::{
            Decision, Organization, OrganizationError, Organizations, RequireProvider,
            is_sso_provider,
            repo::{self, write},
            sso::ActiveProvider,
        },
    },
};

handlers! { Organizations:
    decide RequireProvider => Organizations::require_provider;
}

impl Organizations {
    fn require_provider(&mut self, message: RequireProvider) -> Decision<()> {
        let RequireProvider {
            by,
            session,
            organization,
            provider,
        } = message;
        self.require_permission(Permission::OwnersManage, &by, &organization)?;
        let session = self.view.session_by_id(&session);
        let session = session.ok_or(OrganizationError::SessionOver)?;
        if let Some(name) = &provider
            && session.method.parts().1 != Some(name)
        {
            return Err(OrganizationError::NotSignedInWith(name.clone()));
        }
        let known = self.view.organization(organization.as_str());
        let known = known.ok_or_else(|| CommonError::NoOrganization(organization.clone()))?;
        let changed = Organization {
            required_provider: provider,
            ..Organization::clone(known)
        };
        let (view, now_ms) = (Arc::clone(&self.view), self.env.clock.now_ms());
        let io = write(self.env.db.clone(), async move |write| {
            if let Some(name) = changed.required_provider.as_ref()
                && is_sso_provider(name)
            {
                // The owner may be in another organization, too, and have signed in with the provider of that one.
                let active = ActiveProvider::find(&**write, &view, name).await?;
                if active.provider.organization != changed.tenant.id {
                    return Err(OrganizationError::NotSignedInWith(name.clone()));
                }
            }
            repo::tenants::update(&**write, &changed).await?;
            let id = &changed.tenant.id;
            let action = Action::OrganizationUpdate;
            let entry = Entry::within(id, Actor::User(by), action, id.as_str());
            let details = json!({
                "changed": ["requiredProvider"], "requiredProvider": changed.required_provider,
            });
            audit::record(write, now_ms, entry.with(details)).await?;
            Ok(changed)
        });
        Ok(commit(io, |domain: &mut Self, changed| {
            Arc::make_mut(&mut domain.view).change_organization(changed);
        }))
    }
}
