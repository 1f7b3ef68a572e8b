//! Which organization somebody works in, and making the first one.

use actix_web::HttpResponse;

use super::{
    answer,
    context::{PageContext, told},
    form::FormData,
    overview, sent,
};
use crate::{
    fault::Fault,
    http::{organizations::organization, routes::Route},
    ids::OrganizationId,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        sent("/console/organization/switch", |route| route.to(switch)),
        sent("/console/organization/new", |route| route.to(make)),
    ]
}

async fn switch(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let chosen = OrganizationId::from(sent.text("organizationId"));
    organization::switch_organization(context.shared(), &context.session, Some(chosen)).await?;
    Ok(answer::see("/"))
}

async fn make(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let name = sent.text("name");
    match organization::create_organization(context.shared(), &context.session, name.to_owned())
        .await
    {
        Ok(_) => Ok(answer::see("/")),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            Ok(overview::homeless(&context, Some(refused), name, &problems))
        }
    }
}
