//! Everything that can be asked of the domain, and what it is about.

use actix::Message;
use serde_json::{Map, Value};

use super::{
    DefinitionError,
    fields::{AnnotationFields, FunnelFields, GoalFields, SegmentFields},
    kind::Kind,
};
use crate::ids::{DefinitionId, UserId, WebsiteId};

/// What people say of something that they save.
#[derive(Debug, Clone, PartialEq)]
pub enum Saved {
    Goal(GoalFields),
    Funnel(FunnelFields),
    Annotation(AnnotationFields),
    Segment(SegmentFields),
}

impl Saved {
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Goal(_) => Kind::Goal,
            Self::Funnel(_) => Kind::Funnel,
            Self::Annotation(_) => Kind::Annotation,
            Self::Segment(_) => Kind::Segment,
        }
    }
}

/// Something saved.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedDefinition {
    pub id: DefinitionId,
    /// The website that it is about.
    pub website: WebsiteId,
    /// What people say of it.
    pub saved: Saved,
    /// The person who made it.
    pub created_by: Option<UserId>,
    /// When it was made, Unix milliseconds.
    pub created_ms: i64,
    /// When it was last changed, Unix milliseconds.
    pub updated_ms: i64,
}

/// Save something.
#[derive(Debug, Message)]
#[rtype(result = "Result<SavedDefinition, DefinitionError>")]
pub struct CreateDefinition {
    /// About which website.
    pub website: WebsiteId,
    /// Whose it is said to be.
    pub created_by: Option<UserId>,
    pub saved: Saved,
}

/// Change something saved.
#[derive(Debug, Message)]
#[rtype(result = "Result<SavedDefinition, DefinitionError>")]
pub struct UpdateDefinition {
    pub id: DefinitionId,
    /// What it has to be.
    pub kind: Kind,
    pub patch: Map<String, Value>,
}

/// Delete something saved.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), DefinitionError>")]
pub struct DeleteDefinition {
    pub id: DefinitionId,
    /// What it has to be.
    pub kind: Kind,
}
