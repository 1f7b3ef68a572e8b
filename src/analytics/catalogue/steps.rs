//! What goals and funnels may be filtered by. It has no public name, so it is in no family
//! ([`crate::analytics::funnel`]).

use super::{
    category::Category,
    query_type::{QueryType, custom},
};

/// Pages and custom events of people, with the filters that every website type knows.
pub const STEPS: QueryType = custom(Category::CustomEvents, "", &[], "")
    .named("steps", "", "")
    .unlimited();
