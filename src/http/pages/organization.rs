//! Switching the active organization, and creating one.

use super::{context::reject, home};
use crate::{
    http::{organizations::organization, pages::prelude::*},
    ids::OrganizationId,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route("/console/organization/switch", |route| route.to(switch)),
        form_route("/console/organization/new", |route| route.to(create)),
    ]
}

async fn switch(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let chosen = OrganizationId::from(sent.text("organizationId"));
    organization::switch_organization(context.shared(), &context.session, Some(chosen)).await?;
    Ok(answer::redirect("/"))
}

async fn create(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let name = sent.text("name");
    match organization::create_organization(context.shared(), &context.session, name.to_owned())
        .await
    {
        Ok(_) => Ok(answer::redirect("/")),
        Err(fault) => reject(fault, |problems| {
            home::draw_welcome(&context, name, problems)
        }),
    }
}
