//! Letting in a member who has lost their second factor.

use super::members::{Members, organization};
use crate::{
    http::{
        organizations::{second_factors, shapes::MemberOut},
        pages::prelude::*,
    },
    ids::UserId,
    pages::part::{confirm, hidden},
};

const REMOVE: &str = "/console/members/second-factors";

pub(super) fn routes() -> Vec<Route> {
    vec![form_route(REMOVE, |route| route.to(remove))]
}

/// The button for owners, beside a member who has a second factor.
pub(super) fn draw_removal(context: &PageContext, member: &MemberOut) -> Markup {
    let view = context.shared().organizations.view();
    let person = view.person(&UserId::from(member.id.as_str()));
    let has_one = person.is_some_and(|person| person.second_factors.any());
    let is_other = member.id != context.session.user.as_str();
    if !has_one || !is_other || !context.can(Permission::OwnersManage) {
        return html! {};
    }
    confirm(
        "Remove second factor…",
        "Do this if they lost it. Their app, passkeys and backup codes are removed and they are signed out. Then their password is enough.",
        REMOVE,
        "Remove second factor",
        &hidden("member", &member.id),
    )
}

async fn remove(form: Submission) -> Result<HttpResponse, Fault> {
    let member = form.sent.text("member").to_owned();
    let member = (organization(&form.context)?, member);
    let (shared, session) = (form.context.shared(), &form.context.session);
    let outcome = second_factors::remove_second_factors(shared, session, member).await;
    form.finish_change::<Members>(outcome).await
}
