//! The apps that members have connected to the organization.

use super::members::Members;
use crate::http::{
    pages::{
        account::{Place, draw_apps},
        prelude::*,
    },
    procedures::{
        apps::{self, ConnectedAppOut, RevokeBody},
        bodies::OrganizationBody,
    },
};

const REVOKE: &str = "/console/members/apps/revoke";

pub(super) fn routes() -> Vec<Route> {
    vec![form_route(REVOKE, |route| route.to(revoke))]
}

/// None for members who may not see them.
pub(super) async fn load(context: &PageContext) -> Result<Vec<ConnectedAppOut>, Fault> {
    if !context.can(Permission::KeysManage) {
        return Ok(Vec::new());
    }
    context.ask(&apps::LIST, OrganizationBody::default()).await
}

pub(super) fn draw(page: &Page<'_>, apps: &[ConnectedAppOut]) -> Markup {
    let view = page.context.shared().organizations.view();
    let email = |app: &ConnectedAppOut| {
        let person = view.person(&app.user_id.as_str().into());
        person.map_or_else(String::new, |person| person.email.clone())
    };
    let place = ("Member", &email as Place<'_>);
    draw_apps(page.context, page.date_format, apps, place, REVOKE)
}

async fn revoke(form: Submission) -> Result<HttpResponse, Fault> {
    let body = RevokeBody {
        id: form.sent.text("id").to_owned(),
    };
    let outcome = form.context.ask(&apps::REVOKE, body).await;
    form.finish_change::<Members>(outcome.map(drop)).await
}
