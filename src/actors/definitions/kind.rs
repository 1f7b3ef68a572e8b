//! What may be saved.

/// What something saved is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
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
        self.into_str()
    }
}
