//! The rows of an answer that are wanted.

use super::DEFAULT_LIMIT;
use crate::analytics::catalogue::QueryType;

/// What a body says about the rows of each parameter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paging {
    pub(super) limit: Option<u64>,
    pub(super) page: u64,
    pub(super) offset: Option<u64>,
}

impl Paging {
    /// Most rows of a type, and the rows to skip.
    pub(super) fn resolve(&self, kind: &QueryType) -> (u64, u64) {
        let limit = self.limit.unwrap_or(kind.default_limit.into());
        let offset = self.offset.unwrap_or((self.page - 1).saturating_mul(limit));
        (limit, offset)
    }

    /// Most rows of any of these types.
    pub(super) fn most(&self, asked: &[&QueryType]) -> u64 {
        let limits = asked.iter().map(|kind| self.resolve(kind).0);
        limits.max().unwrap_or(DEFAULT_LIMIT)
    }

    pub(super) fn skips(&self) -> bool {
        self.page > 1 || self.offset.is_some_and(|offset| offset > 0)
    }
}
