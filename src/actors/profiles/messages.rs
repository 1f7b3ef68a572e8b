//! Everything that can be asked of this domain.

use actix::Message;

use super::ProfileError;
use crate::{
    access::IngestAccess,
    events::{
        accept::identify::TraitValue, deletion::Person, enrich::visitor::Form, event::Trust,
        segments::RowCounts,
    },
    ids::OrganizationId,
};

/// Names a person: sets and deletes traits, and says which visitors the person is. Answered when it is durable.
#[derive(Debug, Clone, PartialEq, Message)]
#[rtype(result = "Result<(), ProfileError>")]
pub struct Identify {
    /// Proof that something may be stored for the website.
    pub access: IngestAccess,
    /// How the caller proved who it is.
    pub trust: Trust,
    /// The website's own id of the person.
    pub profile: String,
    /// The numbers under which events know the visitor; empty when the call names no visitor.
    pub visitors: Vec<Form>,
    /// Traits to set, in order; `None` deletes one.
    pub traits: Vec<(String, Option<TraitValue>)>,
    /// When this was said, Unix ms, if it is history. What the profile has from later stays.
    pub said_ms: Option<i64>,
}

/// Forgets a person at once, and remembers that their events have to go ([`FinishErasure`]).
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), ProfileError>")]
pub struct Forget {
    pub organization: OrganizationId,
    /// Who, with the visitors that they are.
    pub person: Person,
}

/// Says whose events have to go still.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<Vec<Forget>, ProfileError>")]
pub struct DueForErasure;

/// The events of a person are gone: writes the receipt; answers with its place in the organization's audit log, unless there is one
/// already.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Option<i64>, ProfileError>")]
pub struct FinishErasure {
    pub erased: Forget,
    /// How many rows went, by kind.
    pub gone: RowCounts,
}

/// Calls are waiting to be written.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub(super) struct Flush;
