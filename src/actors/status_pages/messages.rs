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
    /// The owner.
    pub organization: OrganizationId,
    /// What it is.
    pub fields: PageFields,
}

/// Changes a page.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<StatusPage>, StatusPageError>")]
pub struct ChangePage {
    /// The page.
    pub id: StatusPageId,
    /// What changes.
    pub change: Change,
}

/// Hands a page to another organization, with the monitors on it that are its owner's or without any: all of it or nothing.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<StatusPage>, StatusPageError>")]
pub struct TransferPage {
    /// The page.
    pub id: StatusPageId,
    /// The new owner.
    pub to: OrganizationId,
    /// Whether its monitors go with it.
    pub with_monitors: bool,
    /// How many monitors the new owner's plan allows.
    pub allowance: Option<Allowance>,
}

/// Deletes a page for good; its slug is free at once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), StatusPageError>")]
pub struct DeletePage {
    /// The page.
    pub id: StatusPageId,
}
