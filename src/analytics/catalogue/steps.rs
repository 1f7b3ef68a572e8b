//! What goals and funnels may be filtered by. Nobody asks for it by name, so it stands in no family
//! ([`crate::analytics::funnel`]).

use super::{category::Category, query_type::QueryType};

/// Pages and custom events of people, with the filters that every website type knows.
pub const STEPS: QueryType =
    QueryType::custom("steps", Category::CustomEvents, "", &[], "").unlimited();
