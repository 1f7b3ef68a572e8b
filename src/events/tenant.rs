//! Who asks.

/// Who asks, as shares of the engine and of memory are divided: an organization, its anonymous visitors apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Tenant {
    /// The organization whose rows are read.
    pub organization: i64,
    /// Whether the caller has no credentials.
    pub anonymous: bool,
}
