//! Everything that can be asked of this domain. Whoever asks has been authorized before.

use std::sync::Arc;

use actix::Message;

use super::{Change, PageFields, StatusPage, StatusPageError};
use crate::{
    access::plans::Allowance,
    ids::{OrganizationId, StatusPageId},
};

/// Makes a page; its slug must be free.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<StatusPage>, StatusPageError>")]
pub struct CreatePage {
    pub organization: OrganizationId,
    pub fields: PageFields,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<StatusPage>, StatusPageError>")]
pub struct ChangePage {
    pub id: StatusPageId,
    pub change: Change,
}

/// Hands a page to another organization, with the monitors on it that are its owner's or without any: all of it or nothing.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<StatusPage>, StatusPageError>")]
pub struct TransferPage {
    pub id: StatusPageId,
    pub to: OrganizationId,
    pub with_monitors: bool,
    /// How many monitors the new owner's plan allows.
    pub allowance: Option<Allowance>,
}

/// Deletes a page for good; its slug is free at once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), StatusPageError>")]
pub struct DeletePage {
    pub id: StatusPageId,
}
