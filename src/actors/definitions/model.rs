//! What is saved.

use serde::Serialize;

use super::{
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

/// Something to save.
#[derive(Debug)]
pub struct NewDefinition {
    pub website: WebsiteId,
    /// Whose it is said to be.
    pub created_by: Option<UserId>,
    pub saved: Saved,
}
