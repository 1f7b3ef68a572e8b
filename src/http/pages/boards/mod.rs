//! Boards: their list, one with its panels, and the form of one.

mod fields;
mod list;
mod panels;
mod rows;
mod show;
mod view;

use self::show::NewBoard;
pub(super) use self::view::BoardView;
use super::resource::creation;
use crate::http::{pages::prelude::*, procedures::boards::BoardOut};

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        creation::<NewBoard>().into(),
        resource::routes::<BoardOut>(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
