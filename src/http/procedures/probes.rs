//! `/probes/*`: places from which monitors are checked.

use std::{collections::HashMap, sync::Arc};

use schemars::JsonSchema;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    bodies::{IdBody, OrganizationBody},
    fields::{Patch, require_change},
    success::Success,
};
use crate::{
    access::Permission,
    actors::monitors::{
        CreateProbe, DeleteProbe, NewProbe, Probe, ProbeFields, ProbeState, RenewProbeToken,
        RevokeProbe, UpdateProbe,
    },
    clock::iso_ms,
    fault::{Fault, Issue},
    ids::ProbeId,
};

const GROUP: Group = Group::new("probes", "Uptime");

procedures! { GROUP;
    LIST = "list", reads(MonitorRead), list(OrganizationBody) -> Vec<ProbeOut>:
        "List the probes of an organization by name";
    CREATE = "create", changes(MonitorWrite), create(CreateBody) -> NewProbeOut:
        "Create a probe; its token is shown once";
    UPDATE = "update", changes(MonitorWrite), update(UpdateBody, check) -> ProbeOut:
        "Change the name or location of a probe";
    RENEW_TOKEN = "renewToken", changes(MonitorWrite), renew_token(IdBody) -> NewProbeOut:
        "Renew the token of a probe; the old one stops at once";
    REVOKE = "revoke", changes(MonitorWrite), revoke(IdBody) -> ProbeOut:
        "Revoke the token of a probe; it stops at once";
    DELETE = "delete", changes(MonitorWrite), delete(IdBody) -> Success:
        "Delete a probe that no monitor uses; its checks stay";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ProbeCreate", extend("dependentRequired" = { "latitude": ["longitude"], "longitude": ["latitude"] }))]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    #[serde(flatten)]
    pub fields: ProbeFields,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ProbeUpdate", extend("minProperties" = 2, "dependentRequired" = { "latitude": ["longitude"], "longitude": ["latitude"] }))]
pub struct UpdateBody {
    pub id: String,
    /// What changes; null clears, what is not named stays.
    #[serde(flatten)]
    pub fields: Patch<ProbeFields>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.fields.0.is_empty(), "a field");
    }
}

/// Whether a probe reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ProbeStatus")]
#[serde(rename_all = "lowercase")]
pub enum ProbeStatus {
    /// It has not connected yet.
    New,
    Reporting,
    /// It has not connected for a minute.
    Silent,
    /// Its token is revoked.
    Revoked,
}

/// A place from which monitors are checked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Probe")]
#[serde(rename_all = "camelCase")]
pub struct ProbeOut {
    pub id: String,
    pub organization_id: String,
    #[serde(flatten)]
    pub fields: ProbeFields,
    pub status: ProbeStatus,
    /// Within ten seconds; null = never.
    pub last_seen_at: Option<String>,
    /// The version of its program.
    pub version: Option<String>,
    /// What its program calls the machine.
    pub host: Option<String>,
    /// Monitors that it checks.
    pub monitors: usize,
    /// Results that it had to drop while it could not send them.
    pub lost_results: u64,
    pub revoked_at: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NewProbe")]
#[serde(rename_all = "camelCase")]
pub struct NewProbeOut {
    #[serde(flatten)]
    pub probe: ProbeOut,
    /// The token, which is shown this once.
    pub token: String,
    /// The command that starts it.
    pub command: String,
}

impl ProbeOut {
    fn new(call: &Call, probe: &Probe, state: &ProbeState) -> Self {
        let now_ms = call.shared.clock.now_ms();
        let status = match state.last_seen_ms {
            _ if probe.revoked_ms.is_some() => ProbeStatus::Revoked,
            None => ProbeStatus::New,
            Some(_) if state.is_reporting(now_ms) => ProbeStatus::Reporting,
            Some(_) => ProbeStatus::Silent,
        };
        let monitors = call.shared.monitors.view();
        let monitors = monitors.by_organization(&probe.organization);
        let own = monitors.iter().map(|one| one.spec());
        let own = own.filter(|spec| spec.is_checked_by(probe.id.as_str()));
        Self {
            id: probe.id.to_string(),
            organization_id: probe.organization.to_string(),
            fields: probe.fields.clone(),
            status,
            last_seen_at: state.last_seen_ms.map(iso_ms),
            version: state.version.clone(),
            host: state.host.clone(),
            monitors: own.count(),
            lost_results: state.lost,
            revoked_at: probe.revoked_ms.map(iso_ms),
            created_at: iso_ms(probe.created_ms),
            updated_at: iso_ms(probe.updated_ms),
        }
    }

    async fn load(call: &Call, probe: &Probe) -> Result<Self, Fault> {
        let states = load_states(call).await?;
        let state = states.get(&probe.id).cloned().unwrap_or_default();
        Ok(Self::new(call, probe, &state))
    }
}

impl NewProbeOut {
    async fn load(call: &Call, new: NewProbe) -> Result<Self, Fault> {
        let token = new.token.expose_secret().to_owned();
        let base = &call.shared.urls.base;
        Ok(Self {
            probe: ProbeOut::load(call, &new.probe).await?,
            command: format!("pharos probe --join {base} --token {token}"),
            token,
        })
    }
}

async fn load_states(call: &Call) -> Result<HashMap<ProbeId, ProbeState>, Fault> {
    Ok(call.shared.monitors.view().probe_states().await?)
}

async fn list(call: Call, body: OrganizationBody) -> Result<Vec<ProbeOut>, Fault> {
    let named = body.organization_id.as_deref();
    let proof = call.authorize(Permission::MonitorRead, named)?;
    let view = call.shared.monitors.view();
    let probes = view.probes().by_organization(proof.organization());
    let states = load_states(&call).await?;
    let never = ProbeState::default();
    let shown = probes.iter().map(|probe| {
        let state = states.get(&probe.id).unwrap_or(&never);
        ProbeOut::new(&call, probe, state)
    });
    Ok(shown.collect())
}

async fn create(call: Call, body: CreateBody) -> Result<NewProbeOut, Fault> {
    let named = body.organization_id.as_deref();
    let proof = call.authorize(Permission::MonitorWrite, named)?;
    let message = CreateProbe {
        organization: proof.organization().clone(),
        fields: body.fields,
    };
    let new = call.shared.monitors.ask(message).await?;
    NewProbeOut::load(&call, new).await
}

async fn update(call: Call, body: UpdateBody) -> Result<ProbeOut, Fault> {
    let probe = find(&call, &body.id)?;
    let message = UpdateProbe {
        id: probe.id.clone(),
        patch: body.fields.0,
    };
    let probe = call.shared.monitors.ask(message).await?;
    ProbeOut::load(&call, &probe).await
}

async fn renew_token(call: Call, body: IdBody) -> Result<NewProbeOut, Fault> {
    let id = find(&call, &body.id)?.id.clone();
    let new = call.shared.monitors.ask(RenewProbeToken { id }).await?;
    NewProbeOut::load(&call, new).await
}

async fn revoke(call: Call, body: IdBody) -> Result<ProbeOut, Fault> {
    let id = find(&call, &body.id)?.id.clone();
    let probe = call.shared.monitors.ask(RevokeProbe { id }).await?;
    ProbeOut::load(&call, &probe).await
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    let id = find(&call, &body.id)?.id.clone();
    call.shared.monitors.ask(DeleteProbe { id }).await?;
    Ok(Success::YES)
}

/// A probe that the caller may change.
fn find(call: &Call, id: &str) -> Result<Arc<Probe>, Fault> {
    let view = call.shared.monitors.view();
    let found = view.probes().by_id(id).cloned();
    call.authorize_found(Permission::MonitorWrite, ("Probe", id), found, |probe| {
        &probe.organization
    })
}
