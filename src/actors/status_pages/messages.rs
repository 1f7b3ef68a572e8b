//! The messages of the domain. Their senders are authorized.

use std::sync::Arc;

use actix::Message;

use super::{Change, PageFields, StatusPage, StatusPageError};
use crate::{
    access::plans::Allowance,
    ids::{OrganizationId, StatusPageId},
};

/// Creates a page; its slug must be free.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<StatusPage>, StatusPageError>")]
pub struct CreatePage {
    pub organization: OrganizationId,
    pub fields: PageFields,
    /// Of the password, from [`StatusPagesView::hash_password`](super::StatusPagesView::hash_password).
    pub password_hash: Option<String>,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<StatusPage>, StatusPageError>")]
pub struct ChangePage {
    pub id: StatusPageId,
    pub change: Change,
}

/// Moves a page to another organization, with or without its owner's monitors: all or nothing.
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
