//! Where the rows of an export come from.

use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::About;
use crate::{fault::Fault, http::procedures::Call};

pub(super) type Answer<T> = LocalBoxFuture<'static, Result<T, Fault>>;
pub(super) type List = fn(Call, About) -> Answer<Vec<Value>>;
pub(super) type ListPage = fn(Call, About, Cursor) -> Answer<Vec<Value>>;

#[derive(Debug, Clone, Copy)]
pub(super) enum Rows {
    /// All at once.
    All(List),
    /// With the columns of a table; an empty page is the end.
    Pages(&'static [&'static str], ListPage),
}

/// What was read by now.
#[derive(Debug, Clone, Default)]
pub(super) struct Cursor {
    pub(super) rows: u64,
    pub(super) last: Option<Value>,
}
