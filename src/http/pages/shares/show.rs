//! One share link, and the form of a new one.

use std::marker::PhantomData;

use serde_json::{Map, Value};

use super::ShareRoutes;
use crate::{
    http::{
        pages::{
            access_inputs::{ALLOWED_IPS, PASSWORD},
            form::{Empty, Kind},
            prelude::*,
        },
        procedures::{
            bodies::IdBody,
            shares::{CREATE, DELETE, GET_BY_ID, ShareOut, UPDATE},
        },
    },
    pages::{
        part::{copyable, panel, time},
        time::moment,
    },
};

const FORM: &[Section] = &[Section::plain(&[
    Input::line("name", "Name")
        .hint("For your list. Visitors don't see it.")
        .required(),
    Input::checkbox("membersOnly", "Only members of the organization")
        .hint("They sign in. Members always see the dashboard."),
    ALLOWED_IPS,
    PASSWORD,
    Input::new(Kind::Moment, "expiresAt", "Expires")
        .hint("In your time zone. Leave empty for never."),
    Input::new(Kind::Lines(2), "embedOrigins", "Embedding origins")
        .hint("One per line, such as https://example.com. Only their pages can embed the dashboard. Default: none.")
        .empty(Empty::List),
])];

/// The page of a share link.
pub(super) struct SharePage<P> {
    share: ShareOut,
    parent: PhantomData<P>,
}

impl<P: ShareRoutes> Resource for SharePage<P> {
    const PATH: &'static str = P::ONE;
    const LIST: &'static str = P::LIST;
    const NAV_ITEM: NavItem = P::NAV_ITEM;
    const WRITE: Option<Permission> = Some(P::SHARE);
    const FORM: &'static [Section] = FORM;
    const UPDATE: Option<Procedure> = Some(UPDATE.erase());
    const DELETE: Option<Action> = Some((P::DELETE, DELETE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        P::name(context, key.parent()).await?;
        let id = key.id().to_owned();
        let share = context.ask(&GET_BY_ID, IdBody { id }).await?;
        let shown = share.website_id.as_ref().or(share.board_id.as_ref());
        if shown.is_none_or(|id| id != key.parent()) {
            return Err(Fault::not_found("share link", key.id()));
        }
        Ok(Self {
            share,
            parent: PhantomData,
        })
    }

    fn title(&self) -> &str {
        &self.share.name
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&self.share)
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.share.name) }
                @if self.share.has_expired { span.state { "Expired" } }
                div.actions { a href=(page.key.fill(Self::LIST)) { "Share links" } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let frame = format!(
            "<iframe src=\"{}\" title=\"Dashboard\" width=\"100%\" height=\"900\"></iframe>",
            self.share.url
        );
        let link = html! {
            p { "People who open this link see numbers and lists. Individual sessions stay private." }
            p { "Expires: " (draw_expiration(&self.share, page.date_format)) }
            (copyable("Link", &self.share.url))
            @if !self.share.embed_origins.is_empty() {
                p { "Embed code for " (self.share.embed_origins.join(", ")) ":" }
                (copyable("Embed code", &frame))
            }
        };
        Ok(html! {
            (panel("Link", &link))
            (page.settings())
            (page.deletion("Revoke share link…", "The link stops working at once, also for people who have the page open."))
        })
    }
}

/// When a share link expires.
pub(super) fn draw_expiration(share: &ShareOut, date_format: &DateFormat) -> Markup {
    let at = share.expires_at.as_deref().and_then(moment);
    html! {
        @match at {
            None => "Never",
            Some(at) => { (time(at, &date_format.moment(at), date_format)) @if share.has_expired { " " span.state { "Expired" } } }
        }
    }
}

pub(super) struct NewShare<P>(PhantomData<P>);

impl<P: ShareRoutes> Creation for NewShare<P> {
    type Resource = SharePage<P>;
    const PATH: &'static str = P::NEW;
    const TITLE: &'static str = "Create share link";
    const SEND: &'static str = "Create share link";
    const CREATE: Procedure = CREATE.erase();

    async fn draw(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        P::name(draft.context, draft.key.parent()).await?;
        let form = Self::draw_form(draft, problems).await?;
        Ok(html! { div.title-row { h1 { (Self::TITLE) } } section.panel { (form) } })
    }

    async fn read(draft: &Draft<'_>) -> Result<Map<String, Value>, Fault> {
        let mut input = draft.inputs.read(draft.sent)?;
        input.insert(P::ID.to_owned(), draft.key.parent().into());
        Ok(input)
    }
}
