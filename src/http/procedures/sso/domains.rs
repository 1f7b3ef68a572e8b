//! Domains of an organization.

use super::{
    Call, DomainBody, DomainIdBody, DomainOut, OrganizationBody, Success, require_session,
};
use crate::{
    access::Permission,
    actors::organizations::{AddSsoDomain, CheckSsoDomain, RemoveSsoDomain, SsoDomain},
    fault::Fault,
    ids::OrganizationId,
    store::limits::{Bucket, Identity, Rate},
};

/// Counts a check of a domain or a provider: an organization has five a minute.
pub(super) async fn count_check(call: &Call, organization: &OrganizationId) -> Result<(), Fault> {
    let rate = Rate {
        bucket: Bucket::Check,
        max: 5,
        window_ms: 60_000,
    };
    let identity = Identity::from_name("sso", organization.as_str());
    call.limit(identity, rate).await
}

pub(super) async fn add_domain(call: Call, body: DomainBody) -> Result<DomainOut, Fault> {
    let named = body.organization_id.as_deref();
    let access = call.authorize(Permission::OwnersManage, named)?;
    let message = AddSsoDomain {
        by: require_session(&call)?.user.clone(),
        organization: access.organization().clone(),
        name: body.domain,
    };
    let added = call.shared.organizations.ask(message).await?;
    Ok(added.into())
}

pub(super) async fn list_domains(
    call: Call,
    body: OrganizationBody,
) -> Result<Vec<DomainOut>, Fault> {
    let named = body.organization_id.as_deref();
    let access = call.authorize(Permission::OwnersManage, named)?;
    let domains = call
        .shared
        .records
        .sso_domains(access.organization())
        .await?;
    Ok(domains.into_iter().map(DomainOut::from).collect())
}

pub(super) async fn check_domain(call: Call, body: DomainIdBody) -> Result<DomainOut, Fault> {
    let by = require_session(&call)?.user.clone();
    let domain = find(&call, &body.id).await?;
    count_check(&call, &domain.organization).await?;
    let by = Some(by);
    let message = CheckSsoDomain { by, domain };
    let checked = call.shared.organizations.ask(message).await?;
    Ok(checked.into())
}

pub(super) async fn remove_domain(call: Call, body: DomainIdBody) -> Result<Success, Fault> {
    let by = require_session(&call)?.user.clone();
    let domain = find(&call, &body.id).await?;
    let message = RemoveSsoDomain { by, domain };
    call.shared.organizations.ask(message).await?;
    Ok(Success::YES)
}

async fn find(call: &Call, id: &str) -> Result<SsoDomain, Fault> {
    let found = call.shared.records.sso_domain(id).await?;
    call.authorize_found(Permission::OwnersManage, ("domain", id), found, |domain| {
        &domain.organization
    })
}
