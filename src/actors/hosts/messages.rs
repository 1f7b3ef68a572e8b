//! The messages of the domain. Their senders are authorized.

use std::sync::Arc;

use actix::Message;
use serde_json::{Map, Value};

use super::{CustomHost, DnsFindings, HostError, HostFields, HostUse};
use crate::{
    access::plans::Allowance,
    actors::audit::Actor,
    ids::{HostId, OrganizationId},
};

/// Adds a host, which serves nothing before it is verified.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<CustomHost>, HostError>")]
pub struct AddHost {
    pub by: Actor,
    pub organization: OrganizationId,
    pub name: String,
    pub serves: HostUse,
    /// A status page or a share link of the organization.
    pub subject: Option<String>,
    pub fields: HostFields,
    /// How many hosts the owner's plan allows; `None` = no limit.
    pub allowance: Option<Allowance>,
}

/// Changes what a host does. Name and use stay.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<CustomHost>, HostError>")]
pub struct UpdateHost {
    pub by: Actor,
    pub id: HostId,
    /// Fields of [`HostFields`] by their names on the wire; `null` clears, absent fields stay.
    pub patch: Map<String, Value>,
}

/// Looks into DNS whether a host is the organization's, and leads here.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<CustomHost>, HostError>")]
pub struct CheckHost {
    /// `None` = the program, by the clock.
    pub by: Option<Actor>,
    pub host: Arc<CustomHost>,
}

/// Decides what a check means.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<CustomHost>, HostError>")]
pub(super) struct StoreFindings {
    pub(super) check: CheckHost,
    pub(super) findings: DnsFindings,
}

/// Removes a host, which serves nothing from then on.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), HostError>")]
pub struct RemoveHost {
    pub by: Actor,
    pub id: HostId,
}

/// Removes the hosts of an organization that is about to be erased.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), HostError>")]
pub struct ForgetOwner {
    pub organization: OrganizationId,
}
