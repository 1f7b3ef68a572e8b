//! The first page of a person without an active organization.

use crate::{
    http::pages::prelude::*,
    pages::{
        frame::framed_page,
        part::{Field, Form},
    },
};

pub(in crate::http::pages) fn draw_welcome(
    context: &PageContext,
    name: &str,
    problems: &Problems,
) -> Markup {
    let frame = context.frame(NavItem::Home, None);
    let form = Form {
        action: "/console/organization/new",
        send: "Create organization",
        problems,
        fields: &["name"],
    };
    let field = Field::text("name", "Organization name").value(name);
    let main = html! {
        h1 { "Welcome" }
        section.panel {
            @if frame.organizations.is_empty() {
                p { "You aren't a member of any organization yet. Open an invitation link, or create an organization." }
            } @else {
                p { "Choose an organization in the account menu, or create another one." }
            }
            (form.around(&field.draw(problems)))
        }
    };
    framed_page(&frame, "Welcome", &main)
}
