//! From the wire body to validated requests.
//!
//! Everything that a caller may have got wrong is found here, with its place and the nearest right name; what
//! comes out refers to registries only. Unknown JSON fields are ignored, `null` means "not given".

mod cohorts;
mod filters;
mod low_level;
mod nearest;
mod paging;
mod parameters;
mod parse;
mod reader;
mod settings;

use chrono_tz::Tz;
use serde_json::Value;

pub use cohorts::CohortRequest;
pub use filters::{Filter, Op};
pub use low_level::is_low_level;
pub use nearest::nearest;
pub use parse::{parse, parse_low_level};
pub use settings::Settings;

use super::{
    catalogue::{self, Field, QueryType},
    range::{Granularity, Range},
};

/// Code of every refusal of this module.
pub const VALIDATION_ERROR: &str = "VALIDATION_ERROR";
/// Bodies in a batch.
pub const MAX_BATCH: usize = 50;
/// Parameters in a body.
pub const MAX_PARAMETERS: usize = 100;
/// Rows per parameter that a body may ask for.
pub const MAX_LIMIT: u64 = catalogue::MAX_LIMIT as u64;
/// Rows per parameter when neither the body nor the type says how many.
pub const DEFAULT_LIMIT: u64 = catalogue::DEFAULT_LIMIT as u64;
/// Rows that paging may skip.
pub const MAX_OFFSET: u64 = 1_000_000;
/// Values of an `in` list.
pub const MAX_VALUES: usize = 1_000;
/// Fields of `groupBy`.
pub const MAX_GROUPS: usize = 3;
/// Filters in a body.
pub const MAX_FILTERS: usize = 100;

/// One validated body.
#[derive(Debug, Clone)]
pub struct Request {
    /// Echoed as `queryId`; empty when not given.
    pub id: String,
    /// What is asked, in the order of the body.
    pub parameters: Vec<Parameter>,
    /// `parameters` as they were sent.
    pub sent: Value,
    /// Most rows per parameter as the body says it, else the most that one of its parameters has.
    pub limit: u64,
    /// Page, from 1.
    pub page: u64,
    /// Every filter of the body.
    pub filters: Vec<Filter>,
    /// Column to sort by; some requested type has it.
    pub sort_by: Option<String>,
    /// Whether to sort downwards, if said.
    pub descending: Option<bool>,
    /// Fields to group by, without repetition.
    pub group_by: Vec<&'static Field>,
    /// The zone that dates were read in.
    pub zone: Tz,
}

/// One entry of `parameters`.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// What its result is called: its own id, or the type's name.
    pub label: String,
    pub kind: &'static QueryType,
    /// Width of buckets.
    pub grain: Granularity,
    /// Most rows: as the body says it, else its type's default.
    pub limit: u64,
    /// Rows to skip.
    pub offset: u64,
    /// Its range, or why it cannot be asked like this.
    pub range: Result<Range, String>,
    /// What a question about retention says.
    pub retention: Option<CohortRequest>,
    /// What its filters say beside which rows count.
    pub settings: Settings,
}

impl Parameter {
    /// Whether another one asks for the same, whatever it is called.
    pub fn asks_like(&self, other: &Self) -> bool {
        self.kind.name == other.kind.name
            && self.grain == other.grain
            && self.range == other.range
            && self.retention == other.retention
            && self.settings == other.settings
    }
}
