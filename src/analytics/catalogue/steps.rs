//! What goals and funnels may be filtered by. Nobody asks for it by name, so it stands in no family
//! ([`crate::analytics::funnel`]).

use super::{
    category::Category,
    query_type::{QueryType, custom},
};

/// Pages and custom events of people, with the filters that every website type knows.
pub const STEPS: QueryType = custom(Category::CustomEvents, "", &[], "")
    .named("steps", "", "")
    .unlimited();
