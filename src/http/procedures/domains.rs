//! `/domains/*`: hosts of an organization's own for short links, status pages, shared dashboards and the tracker.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    bodies::{IdBody, OrganizationBody},
    dashboards,
    fields::{Patch, require_change},
    success::Success,
};
use crate::{
    access::{Permission, plans::PlanResource},
    actors::{
        audit::Actor,
        certificates::CertificateStatus,
        hosts::{
            AddHost, CheckHost, CustomHost, HostFields, HostUse, Pointing, RemoveHost, UpdateHost,
        },
    },
    clock::iso_ms,
    fault::{Fault, Issue},
    ids::OrganizationId,
    store::limits::{Bucket, Identity, Rate},
};

const GROUP: Group = Group::new("domains", "Organizations");

/// Checks that an organization may ask for.
const CHECKS: Rate = Rate {
    bucket: Bucket::Check,
    max: 20,
    window_ms: 60_000,
};

procedures! { GROUP;
    LIST = "list", reads(OrganizationRead), list(OrganizationBody) -> Vec<DomainOut>:
        "List the organization's own domains, oldest first";
    GET_BY_ID = "getById", reads(OrganizationRead), get_by_id(IdBody) -> DomainOut: "Get a domain and its DNS records";
    ADD = "add", acts(OrganizationUpdate), add(AddBody) -> DomainOut:
        "Add a domain; the answer has the DNS records that verify it";
    UPDATE = "update", acts(OrganizationUpdate), update(UpdateBody, check_change) -> DomainOut:
        "Change where a domain for short links leads when there is no link to follow";
    CHECK = "check", acts(OrganizationUpdate), check(IdBody) -> DomainOut:
        "Look for the DNS records of a domain and verify it, at most 20 times a minute";
    REMOVE = "remove", acts(OrganizationUpdate), remove(IdBody) -> Success:
        "Remove a domain; it stops at once";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "DomainAdd")]
#[serde(rename_all = "camelCase")]
pub struct AddBody {
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    /// The host name, such as `go.example.com`.
    pub host: String,
    /// What it serves.
    #[serde(rename = "use")]
    pub serves: HostUse,
    /// The ID of the status page (`status`) or the share link (`share`) that it serves.
    #[serde(alias = "subjectId")]
    pub id: Option<String>,
    #[serde(flatten)]
    pub fields: HostFields,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "DomainUpdate", extend("minProperties" = 2))]
pub struct UpdateBody {
    pub id: String,
    /// What changes; null clears, what is not named stays.
    #[serde(flatten)]
    pub fields: Patch<HostFields>,
}

impl UpdateBody {
    fn check_change(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.fields.0.is_empty(), "a field");
    }
}

/// A host of an organization's own.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Domain")]
#[serde(rename_all = "camelCase")]
pub struct DomainOut {
    pub id: String,
    pub organization_id: String,
    pub host: String,
    #[serde(rename = "use")]
    pub serves: HostUse,
    /// The ID of the status page or the share link that it serves.
    pub subject_id: Option<String>,
    #[serde(flatten)]
    pub fields: HostFields,
    /// Its address, without a final slash.
    pub url: String,
    /// Whether it is verified. Until then it serves nothing.
    pub verified: bool,
    /// Whether only the TXT record verifies it: it is below a domain of this installation's own, where a wildcard record could
    /// lead any name here.
    pub requires_txt_record: bool,
    /// The TXT record that proves that the domain is yours, whether it leads here yet or not.
    pub verification: DnsRecordOut,
    /// The host name that a CNAME record of the domain has to name. It verifies the domain too, unless another organization
    /// claims it or `requiresTxtRecord` is true.
    pub target: String,
    /// What the last check found; null = not checked.
    pub findings: Option<FindingsOut>,
    pub checked_at: Option<String>,
    /// When a verified domain is lost unless its records are found before.
    pub lost_at: Option<String>,
    /// Its certificate; null while it is not verified, and where a proxy in front of the server has the certificates.
    pub certificate: Option<CertificateOut>,
    pub created_at: String,
}

/// The certificate of a domain, which the server orders and renews by itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DomainCertificate")]
#[serde(rename_all = "camelCase")]
pub struct CertificateOut {
    pub state: CertificateState,
    /// When it ends; null = there is none yet.
    pub expires_at: Option<String>,
    /// When it is renewed.
    pub renews_at: Option<String>,
    /// Why the last attempt failed; null = it did not fail, or there was none.
    pub error: Option<String>,
    /// When the next attempt follows one that failed.
    pub retry_at: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DomainCertificateState")]
#[serde(rename_all = "lowercase")]
pub enum CertificateState {
    /// There is none yet. The first one is ordered once the domain leads here.
    Pending,
    Valid,
    Expired,
}

impl CertificateOut {
    fn new(status: CertificateStatus, now_ms: i64) -> Self {
        Self {
            state: match status.ends_ms {
                None => CertificateState::Pending,
                Some(end_ms) if end_ms <= now_ms => CertificateState::Expired,
                Some(_) => CertificateState::Valid,
            },
            expires_at: status.ends_ms.map(iso_ms),
            renews_at: status.renew_ms.map(iso_ms),
            error: status.error.map(String::from),
            retry_at: status.retry_ms.map(iso_ms),
        }
    }
}

/// A DNS record.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DomainRecord")]
pub struct DnsRecordOut {
    pub name: String,
    pub value: String,
}

/// What a check found in DNS.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DomainFindings")]
#[serde(rename_all = "camelCase")]
pub struct FindingsOut {
    /// Whether the TXT record is there; null = the name servers gave no answer.
    pub has_record: Option<bool>,
    /// The TXT records that are there instead, or why there was no answer.
    pub records: Vec<String>,
    /// Whether the domain leads to this installation.
    pub points: Pointing,
    /// The names and addresses that it leads to, or why there was no answer.
    pub leads_to: Vec<String>,
}

impl DomainOut {
    fn new(call: &Call, host: &CustomHost) -> Self {
        let view = call.shared.hosts.view();
        let findings = host.findings.as_ref().map(|found| FindingsOut {
            has_record: found.text,
            records: found.texts.clone(),
            points: found.pointing,
            leads_to: found.leads_to.clone(),
        });
        let certificates = call.shared.certificates.as_ref();
        let certificate = certificates.and_then(|all| all.status(&host.name));
        let now_ms = call.shared.clock.now_ms();
        Self {
            certificate: certificate.map(|status| CertificateOut::new(status, now_ms)),
            id: host.id.to_string(),
            organization_id: host.organization.to_string(),
            host: host.name.clone(),
            serves: host.serves,
            subject_id: host.subject.clone(),
            fields: host.fields.clone(),
            url: view.url(host),
            verified: host.is_verified(),
            requires_txt_record: view.shares_domain(host)
                && call.shared.organizations.view().has_several(),
            verification: DnsRecordOut {
                name: host.record_name(),
                value: host.record_text(),
            },
            target: view.target(host.serves).to_owned(),
            findings,
            checked_at: host.checked_ms.map(iso_ms),
            lost_at: host.lost_ms().map(iso_ms),
            created_at: iso_ms(host.created_ms),
        }
    }
}

async fn list(call: Call, body: OrganizationBody) -> Result<Vec<DomainOut>, Fault> {
    let named = body.organization_id.as_deref();
    let proof = call.authorize(Permission::OrganizationRead, named)?;
    let hosts = call.shared.hosts.view().owned_by(proof.organization());
    Ok(hosts
        .iter()
        .map(|host| DomainOut::new(&call, host))
        .collect())
}

async fn get_by_id(call: Call, body: IdBody) -> Result<DomainOut, Fault> {
    let host = find(&call, Permission::OrganizationRead, &body.id)?;
    Ok(DomainOut::new(&call, &host))
}

async fn add(call: Call, body: AddBody) -> Result<DomainOut, Fault> {
    let named = body.organization_id.as_deref();
    let proof = call.authorize(Permission::OrganizationUpdate, named)?;
    let organization = proof.organization();
    if body.serves.needs_subject() {
        let id = body.id.as_deref().unwrap_or_default();
        find_subject(&call, organization, (body.serves, id)).await?;
    }
    let message = AddHost {
        by: Actor::from(&call.caller),
        organization: organization.clone(),
        name: body.host,
        serves: body.serves,
        subject: body.id,
        fields: body.fields,
        allowance: call.shared.allowance(organization, PlanResource::Domains),
    };
    let host = call.shared.hosts.ask(message).await?;
    Ok(DomainOut::new(&call, &host))
}

/// Refuses what the organization doesn't have.
async fn find_subject(
    call: &Call,
    organization: &OrganizationId,
    (serves, id): (HostUse, &str),
) -> Result<(), Fault> {
    let owner = if serves == HostUse::Status {
        let pages = call.shared.status_pages.view();
        pages.by_id(id).map(|page| page.organization.clone())
    } else {
        let found = call.shared.shares.get(id).await?;
        let about = ("share link", id);
        let found = dashboards::authorize_found(call, dashboards::SHARE, about, found, |share| {
            &share.dashboard
        });
        let (_, proof) = found.await?;
        Some(proof.organization().clone())
    };
    if owner.as_ref() == Some(organization) {
        return Ok(());
    }
    let what = if serves == HostUse::Status {
        "status page"
    } else {
        "share link"
    };
    let message = if id.is_empty() {
        format!("Choose the {what} that the domain shows")
    } else {
        format!("This organization has no {what} with this ID")
    };
    let issue = Issue::new("unknown", "id", message.clone());
    Err(Fault::issues(message, vec![issue]))
}

async fn update(call: Call, body: UpdateBody) -> Result<DomainOut, Fault> {
    let host = find(&call, Permission::OrganizationUpdate, &body.id)?;
    let message = UpdateHost {
        by: Actor::from(&call.caller),
        id: host.id.clone(),
        patch: body.fields.0,
    };
    let host = call.shared.hosts.ask(message).await?;
    Ok(DomainOut::new(&call, &host))
}

async fn check(call: Call, body: IdBody) -> Result<DomainOut, Fault> {
    let host = find(&call, Permission::OrganizationUpdate, &body.id)?;
    let identity = Identity::from_name("domains", host.organization.as_str());
    call.limit(identity, CHECKS).await?;
    let by = Some(Actor::from(&call.caller));
    let host = call.shared.hosts.ask(CheckHost { by, host }).await?;
    Ok(DomainOut::new(&call, &host))
}

async fn remove(call: Call, body: IdBody) -> Result<Success, Fault> {
    let host = find(&call, Permission::OrganizationUpdate, &body.id)?;
    let message = RemoveHost {
        by: Actor::from(&call.caller),
        id: host.id.clone(),
    };
    call.shared.hosts.ask(message).await?;
    Ok(Success::YES)
}

/// A domain that the caller may see or change.
fn find(call: &Call, permission: Permission, id: &str) -> Result<Arc<CustomHost>, Fault> {
    let found = call.shared.hosts.view().by_id(id).cloned();
    call.authorize_found(permission, ("domain", id), found, |host| &host.organization)
}
