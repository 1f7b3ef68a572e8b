//! Providers of an organization.

use super::{
    Call, CreateProviderBody, OrganizationBody, ProviderIdBody, ProviderOut, Success, TestOut,
    UpdateProviderBody, domains::count_check, require_session,
};
use crate::{
    access::Permission,
    actors::organizations::{DeleteSsoProvider, SsoProvider, StoreSsoProvider},
    fault::Fault,
};

pub(super) async fn create_provider(
    call: Call,
    body: CreateProviderBody,
) -> Result<ProviderOut, Fault> {
    let named = body.organization_id.as_deref();
    let access = call.authorize(Permission::OwnersManage, named)?;
    let by = require_session(&call)?.user.clone();
    let (fields, secret) = body.provider.read()?.split();
    let message = StoreSsoProvider {
        by,
        organization: access.organization().clone(),
        id: None,
        fields,
        secret,
    };
    let stored = call.shared.organizations.ask(message).await?;
    Ok(ProviderOut::new(&call.shared, stored))
}

pub(super) async fn list_providers(
    call: Call,
    body: OrganizationBody,
) -> Result<Vec<ProviderOut>, Fault> {
    let named = body.organization_id.as_deref();
    let access = call.authorize(Permission::OwnersManage, named)?;
    let providers = call
        .shared
        .records
        .sso_providers(access.organization())
        .await?;
    let out = |provider| ProviderOut::new(&call.shared, provider);
    Ok(providers.into_iter().map(out).collect())
}

pub(super) async fn update_provider(
    call: Call,
    body: UpdateProviderBody,
) -> Result<ProviderOut, Fault> {
    let by = require_session(&call)?.user.clone();
    let provider = find(&call, &body.id).await?;
    let (fields, secret) = body.provider.read()?.split();
    let message = StoreSsoProvider {
        by,
        organization: provider.organization,
        id: Some(provider.id),
        fields,
        secret,
    };
    let stored = call.shared.organizations.ask(message).await?;
    Ok(ProviderOut::new(&call.shared, stored))
}

pub(super) async fn delete_provider(call: Call, body: ProviderIdBody) -> Result<Success, Fault> {
    let by = require_session(&call)?.user.clone();
    let provider = find(&call, &body.id).await?;
    let message = DeleteSsoProvider { by, provider };
    call.shared.organizations.ask(message).await?;
    Ok(Success::YES)
}

pub(super) async fn test_provider(call: Call, body: ProviderIdBody) -> Result<TestOut, Fault> {
    let provider = find(&call, &body.id).await?;
    count_check(&call, &provider.organization).await?;
    let fresh = call.shared.federation.sso.fresh(&provider)?;
    let problem = fresh
        .describe()
        .await
        .err()
        .map(|failure| failure.to_string());
    Ok(TestOut {
        success: problem.is_none(),
        problem,
    })
}

async fn find(call: &Call, id: &str) -> Result<SsoProvider, Fault> {
    let found = call.shared.records.sso_provider(id).await?;
    let meant = ("provider", id);
    call.authorize_found(Permission::OwnersManage, meant, found, |provider| {
        &provider.organization
    })
}
