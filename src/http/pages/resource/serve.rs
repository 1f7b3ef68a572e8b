//! The handlers behind the page of a resource.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::{Edit, Key, Page, Resource, draw_form};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, form_problems},
            form::{FormData, Inputs},
            form_route, page_route,
        },
        procedures::Procedure,
        routes::Route,
    },
    pages::{frame::framed_page, part::notice, problem::Problems},
};

/// What follows a form that was accepted.
pub(in crate::http::pages) enum Reply {
    /// Another page.
    Redirect(String),
    /// The page as it is now, with this above it.
    News(Markup),
    /// The page with the form as it was sent, and this above it.
    Preview(Markup),
    Response(HttpResponse),
}

/// The page of a resource, and where its forms are sent.
pub(in crate::http::pages) fn routes<R: Resource>() -> Vec<Route> {
    let mut routes = vec![page_route(R::PATH, |route| route.to(show::<R>))];
    if let Some(procedure) = R::UPDATE {
        let handler = move |context, key, sent| change::<R>(context, key, sent, procedure);
        routes.push(form_route(R::PATH, move |route| route.to(handler)));
    }
    for (path, procedure) in R::ACTIONS {
        let handler = move |context, key| act::<R>(context, key, *procedure);
        routes.push(form_route(path, move |route| route.to(handler)));
    }
    if let Some((path, procedure)) = R::DELETE {
        let handler = move |context, key| delete::<R>(context, key, procedure);
        routes.push(form_route(path, move |route| route.to(handler)));
    }
    routes
}

async fn show<R: Resource>(
    context: PageContext,
    key: web::Path<Key>,
) -> Result<HttpResponse, Fault> {
    if let Some(address) = R::redirect(&context, &key) {
        return Ok(answer::redirect(&address));
    }
    let page = draw::<R>(&context, &key, None, &html! {}, &Problems::NONE).await?;
    Ok(answer::page(page))
}

/// Changes a resource as its form says, or shows it again with what is wrong.
async fn change<R: Resource>(
    context: PageContext,
    key: web::Path<Key>,
    sent: FormData,
    procedure: Procedure,
) -> Result<HttpResponse, Fault> {
    let resource = R::load(&context, &key).await?;
    let date_format = context.date_format().await?;
    let edit = Edit {
        context: &context,
        key: &key,
        inputs: Inputs::new(R::FORM, resource.kind(), &date_format),
        sent: &sent,
        procedure,
    };
    let outcome = resource.change(&edit).await;
    finish::<R>(&context, &key, Some(&sent), outcome).await
}

/// Calls a procedure about a resource that needs nothing but its id.
async fn act<R: Resource>(
    context: PageContext,
    key: web::Path<Key>,
    procedure: Procedure,
) -> Result<HttpResponse, Fault> {
    let outcome = context.invoke(procedure, id_input::<R>(&key)).await;
    let outcome = outcome.map(|_| Reply::Redirect(key.fill(R::PATH)));
    finish::<R>(&context, &key, None, outcome).await
}

async fn delete<R: Resource>(
    context: PageContext,
    key: web::Path<Key>,
    procedure: Procedure,
) -> Result<HttpResponse, Fault> {
    if key.site(R::PATH).is_some() {
        // The path may name another website than the resource's.
        R::load(&context, &key).await?;
    }
    context.invoke(procedure, id_input::<R>(&key)).await?;
    Ok(answer::redirect(&key.fill(R::LIST)))
}

/// The input of procedures that need nothing but the id.
pub(in crate::http::pages) fn id_input<R: Resource>(key: &Key) -> Map<String, Value> {
    Map::from_iter([(R::ID.to_owned(), key.id().into())])
}

/// Answers a form of a resource's page: what follows it, or the page with what is wrong.
pub(in crate::http::pages) async fn finish<R: Resource>(
    context: &PageContext,
    key: &Key,
    sent: Option<&FormData>,
    outcome: Result<Reply, Fault>,
) -> Result<HttpResponse, Fault> {
    let (sent, above) = match outcome {
        Ok(Reply::Redirect(path)) => return Ok(answer::redirect(&path)),
        Ok(Reply::Response(response)) => return Ok(response),
        Ok(Reply::News(above)) => (None, above),
        Ok(Reply::Preview(above)) => (sent, above),
        Err(fault) => {
            let (refused, problems) = form_problems(fault)?;
            let page = draw::<R>(context, key, sent, &html! {}, &problems).await?;
            return Ok(refused.html(page));
        }
    };
    let page = draw::<R>(context, key, sent, &above, &Problems::NONE).await?;
    Ok(answer::page(page))
}

/// The same for a form that leads back to the page.
pub(in crate::http::pages) async fn finish_change<R: Resource>(
    context: &PageContext,
    key: &Key,
    sent: Option<&FormData>,
    outcome: Result<impl Sized, Fault>,
) -> Result<HttpResponse, Fault> {
    let outcome = outcome.map(|_| Reply::Redirect(R::changed_path(key)));
    finish::<R>(context, key, sent, outcome).await
}

/// The page of a resource with what was typed, or else with what is there.
async fn draw<R: Resource>(
    context: &PageContext,
    key: &Key,
    sent: Option<&FormData>,
    above: &Markup,
    problems: &Problems,
) -> Result<Markup, Fault> {
    let resource = R::load(context, key).await?;
    let date_format = context.date_format().await?;
    let inputs = Inputs::new(R::FORM, resource.kind(), &date_format);
    let filled = sent.map_or_else(|| resource.fill(&inputs), |sent| Ok(sent.clone()))?;
    let can_change = R::WRITE.is_none_or(|permission| context.can(permission));
    let path = key.fill(R::PATH);
    let mut beside = R::OTHERS.to_vec();
    let mut form = html! {};
    if can_change && !R::FORM.is_empty() {
        beside.extend(R::names(&inputs));
        let choices = R::choices(context).await?;
        form = draw_form(
            &path,
            "Save",
            &R::draw_inputs(&inputs, &filled, &choices, problems),
        );
    }
    let page = Page {
        context,
        key,
        date_format: &date_format,
        now_ms: context.shared().clock.now_ms(),
        path: &path,
        can_change,
        form,
        sent: &filled,
        problems,
    };
    let rest = resource.main(&page).await?;
    let main = html! {
        (resource.head(&page))
        @if context.parameter("done") == "1" { (notice("good", &html! { (R::DONE) })) }
        @for said in problems.above(&beside) { (notice("bad", &html! { (said) })) }
        (above)
        (rest)
    };
    let frame = context.frame(R::NAV_ITEM, key.site(R::PATH));
    Ok(framed_page(&frame, resource.title(), &main))
}
