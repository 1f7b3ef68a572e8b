//! One share link, and the form of a new one.

use crate::{
    http::{
        pages::{
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
    Input::new(
        Kind::Secret {
            has: "hasPassword",
            clear: ("clearPassword", "Remove password"),
            kept: "A password is set. Enter a new one to replace it.",
        },
        "password",
        "Password",
    )
    .hint("4 to 128 characters. Leave empty for none."),
    Input::new(Kind::Moment, "expiresAt", "Expires")
        .hint("In your time zone. Leave empty for never."),
    Input::new(Kind::Lines(2), "embedOrigins", "Embedding origins")
        .hint("One per line, such as https://example.com. Only their pages can embed the dashboard. Default: none.")
        .empty(Empty::List),
])];

impl Resource for ShareOut {
    const PATH: &'static str = "/console/site/{id}/share/{share}";
    const LIST: &'static str = "/console/site/{id}/shares";
    const NAV_ITEM: NavItem = NavItem::Settings;
    const WRITE: Option<Permission> = Some(Permission::WebsiteConfigure);
    const FORM: &'static [Section] = FORM;
    const UPDATE: Option<Procedure> = Some(UPDATE.erase());
    const DELETE: Option<Action> =
        Some(("/console/site/{id}/share/{share}/delete", DELETE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let website = context.website(key.parent()).await?;
        let id = key.id().to_owned();
        let share = context.ask(&GET_BY_ID, IdBody { id }).await?;
        if share.website_id != website.id {
            return Err(Fault::not_found("share link", key.id()));
        }
        Ok(share)
    }

    fn title(&self) -> &str {
        &self.name
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(self)
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.name) }
                @if self.has_expired { span.state { "Expired" } }
                div.actions { a href=(page.key.fill(Self::LIST)) { "Share links" } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let frame = format!(
            "<iframe src=\"{}\" title=\"Dashboard\" width=\"100%\" height=\"900\"></iframe>",
            self.url
        );
        let link = html! {
            p { "Everyone with this link sees numbers and lists, no single sessions." }
            p { "Expires: " (draw_expiration(self, page.date_format)) }
            (copyable("Link", &self.url))
            @if !self.embed_origins.is_empty() {
                p { "Embed code for " (self.embed_origins.join(", ")) ":" }
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

pub(super) struct NewShare;

impl Creation for NewShare {
    type Resource = ShareOut;
    const PATH: &'static str = "/console/site/{id}/shares/new";
    const TITLE: &'static str = "Create share link";
    const SEND: &'static str = "Create share link";
    const CREATE: Procedure = CREATE.erase();
}
