//! The form of a board, and the resources that its panels can show.

use futures_util::future::try_join_all;

use super::rows::{PANELS, PanelRows, options};
use crate::{
    actors::boards::ResourceKind,
    http::{
        pages::{
            flags::list_bodies,
            form::{Empty, Kind},
            links::link_name,
            monitors::monitor_name,
            prelude::*,
            site::period::RANGES,
        },
        procedures::{
            flags,
            links::{self, PageBody},
            uptime::{self, ListBody},
        },
    },
    pages::frame::Choice,
};

/// Links to choose among, the newest.
const MAX_LINKS: u64 = 100;

/// The inputs of a board.
pub(super) const FORM: &[Section] = &[Section::plain(&[
    Input::line("name", "Name").required(),
    Input::new(Kind::Area(2), "description", "Description"),
    Input::choice("range", "Range", RANGES)
        .hint("The board opens with it. Default: 7 days.")
        .usual("last_7d"),
    Input::new(Kind::Rows(&PanelRows), PANELS, "Panels").empty(Empty::List),
])];

/// What panels can show.
pub(super) async fn choices(context: &PageContext) -> Result<Choices, Fault> {
    let newest = PageBody {
        limit: MAX_LINKS,
        ..PageBody::default()
    };
    let links = context.ask(&links::PAGINATED, newest).await?;
    let links = links
        .items
        .iter()
        .map(|link| choice(&link.id, link_name(link)));
    let monitors = context.ask(&uptime::LIST_SCHEDULES, ListBody::default());
    let monitors = monitors.await?;
    let monitors = monitors
        .iter()
        .map(|one| choice(&one.id, monitor_name(one)));
    let bodies = list_bodies(context).into_iter();
    let flags = try_join_all(bodies.map(|body| context.ask(&flags::LIST, body))).await?;
    let flags = flags.iter().flatten();
    let flags = flags.map(|one| choice(&one.id, one.name.as_deref().unwrap_or(&one.key)));
    Ok(Choices::default()
        .with(options(ResourceKind::Website), context.websites())
        .with(options(ResourceKind::Link), links.collect())
        .with(options(ResourceKind::Monitor), monitors.collect())
        .with(options(ResourceKind::Flag), flags.collect()))
}

fn choice(id: &str, name: &str) -> Choice {
    Choice {
        id: id.to_owned(),
        name: name.to_owned(),
    }
}
