//! Everything that can be asked of the domain, and what it is about.

use actix::Message;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    DefinitionError,
    fields::{AnnotationFields, FunnelFields, GoalFields, SegmentFields},
    kind::Kind,
};
use crate::ids::{DefinitionId, UserId, WebsiteId};

/// What people say of something that they save.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
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

#[derive(Debug, Clone, PartialEq)]
pub struct SavedDefinition {
    pub id: DefinitionId,
    pub website: WebsiteId,
    pub saved: Saved,
    pub created_by: Option<UserId>,
    pub created_ms: i64,
    pub updated_ms: i64,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<SavedDefinition, DefinitionError>")]
pub struct CreateDefinition {
    pub website: WebsiteId,
    /// Whose it is said to be.
    pub created_by: Option<UserId>,
    pub saved: Saved,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<SavedDefinition, DefinitionError>")]
pub struct UpdateDefinition {
    pub id: DefinitionId,
    /// What it has to be.
    pub kind: Kind,
    pub patch: Map<String, Value>,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<(), DefinitionError>")]
pub struct DeleteDefinition {
    pub id: DefinitionId,
    /// What it has to be.
    pub kind: Kind,
}
