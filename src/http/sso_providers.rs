//! Providers that organizations added, with what is known of them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    actors::organizations::{Records, SsoProvider, Vault},
    clock::Clock,
    egress::Egress,
    fault::Fault,
    oidc::{CreateAccounts, Provider, ProviderOptions},
    store::InstanceSecret,
};

/// Providers whose descriptions and keys are kept.
const MAX_KNOWN: usize = 256;

/// Reads a provider's row whenever it is used; its description and keys are kept while the row is the same.
pub struct SsoProviders {
    egress: Egress,
    clock: Clock,
    vault: Vault,
    known: Mutex<HashMap<String, (SsoProvider, Arc<Provider>)>>,
}

impl std::fmt::Debug for SsoProviders {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SsoProviders(…)")
    }
}

impl SsoProviders {
    /// Providers that are reached as other targets of customers are.
    pub fn new(egress: Egress, clock: Clock, secret: &InstanceSecret) -> Self {
        Self {
            egress,
            clock,
            vault: Vault::new(secret),
            known: Mutex::default(),
        }
    }

    /// The provider with this ID, if it may sign people in now.
    pub(super) async fn find(&self, records: &Records, id: &str) -> Result<Arc<Provider>, Fault> {
        let row = records.active_sso_provider(id).await?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((same, provider)) = known.get(id)
            && *same == row
        {
            return Ok(Arc::clone(provider));
        }
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        let provider = Arc::new(self.fresh(&row)?);
        known.insert(id.to_owned(), (row, Arc::clone(&provider)));
        Ok(provider)
    }

    /// A provider of which nothing is known yet.
    pub(super) fn fresh(&self, row: &SsoProvider) -> Result<Provider, Fault> {
        let damaged = || {
            anyhow::anyhow!(
                "the client secret of {} can't be read: was `instance.key` replaced?",
                row.id
            )
        };
        let fields = &row.fields;
        let options = ProviderOptions {
            name: row.id.clone(),
            issuer: fields.issuer.clone(),
            client_id: fields.client_id.clone(),
            client_secret: self
                .vault
                .open_client(row)
                .ok_or_else(|| Fault::internal(damaged()))?,
            scopes: fields.scopes.clone(),
            groups_claim: fields.groups_claim.clone(),
            roles: row.role_rules(),
            // Who gets an account and where is decided with the row.
            create_accounts: CreateAccounts::Never,
            email_domains: Vec::new(),
        };
        Ok(Provider::new(
            options,
            self.egress.clone(),
            self.clock.clone(),
        ))
    }
}
