//! Share links of a website in its settings: the list, a new one, and the page of one.

mod list;
mod show;

use super::super::resource::{self, creation};
use crate::http::{procedures::shares::ShareOut, routes::Route};

pub(super) fn routes() -> Vec<Route> {
    // `new` goes before the pattern of one.
    let mut routes: Vec<Route> = creation::<show::NewShare>().into();
    routes.extend(resource::routes::<ShareOut>());
    routes.extend(list::routes());
    routes
}
