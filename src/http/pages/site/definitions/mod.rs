//! Goals, funnels and segments of a website.

mod breakdown;
mod conversion;
mod fields;
mod filters;
mod kind;
mod list;
mod preview;
mod segments;
mod show;
mod suggestions;

use self::{
    segments::NewSegment,
    show::{Definition, NewDefinition},
};
use crate::http::{
    pages::resource::{creation, routes as resource},
    procedures::segments::SegmentOut,
    routes::Route,
};

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        creation::<NewDefinition<false>>().into(),
        creation::<NewDefinition<true>>().into(),
        resource::<Definition<false>>(),
        resource::<Definition<true>>(),
        creation::<NewSegment>().into(),
        resource::<SegmentOut>(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
