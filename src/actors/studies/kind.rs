//! What may be saved.

/// What something saved is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One thing that visitors should do.
    Goal,
    /// Several, in their order.
    Funnel,
    /// A note on a chart.
    Annotation,
    /// Filters under a name.
    Segment,
}

impl Kind {
    /// The kind as stored, and as refusals name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Funnel => "funnel",
            Self::Annotation => "annotation",
            Self::Segment => "segment",
        }
    }
}
