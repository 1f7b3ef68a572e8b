//! The handlers behind the page of a resource.

use actix_web::{FromRequest, HttpRequest, HttpResponse, dev::Payload, web};
use futures_util::future::LocalBoxFuture;
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::{Edit, Key, Page, Resource, Tail, small_form};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, form_problems},
            form::{FormData, Inputs},
            form_route, page_route,
            stream::stream,
        },
        procedures::Procedure,
        routes::Route,
    },
    pages::{frame::framed_page, part::notice, problem::Problems},
};

/// The answer to a form that was accepted.
pub(in crate::http::pages) enum Reply {
    /// Another page.
    Redirect(String),
    /// The page as it is now, with this above it.
    News(Markup),
    /// The page with the form as it was sent, and this above it.
    Preview(Markup),
    Response(HttpResponse),
}

/// A form that was sent to the page of a resource.
pub(in crate::http::pages) struct Submission {
    pub(in crate::http::pages) context: PageContext,
    pub(in crate::http::pages) key: Key,
    pub(in crate::http::pages) sent: FormData,
}

impl FromRequest for Submission {
    type Error = actix_web::Error;
    type Future = LocalBoxFuture<'static, Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let parts = <(PageContext, web::Path<Key>, FormData)>::from_request(request, payload);
        Box::pin(async move {
            let (context, key, sent) = parts.await?;
            Ok(Self {
                context,
                key: key.into_inner(),
                sent,
            })
        })
    }
}

impl Submission {
    /// Answers the form: its reply, or the page with its problems.
    pub(in crate::http::pages) async fn finish<R: Resource>(
        &self,
        outcome: Result<Reply, Fault>,
    ) -> Result<HttpResponse, Fault> {
        let (sent, above) = match outcome {
            Ok(Reply::Redirect(path)) => return Ok(answer::redirect(&path)),
            Ok(Reply::Response(response)) => return Ok(response),
            Ok(Reply::News(above)) => (None, above),
            Ok(Reply::Preview(above)) => (Some(&self.sent), above),
            Err(fault) => {
                let (refused, problems) = form_problems(fault)?;
                let (context, sent) = (&self.context, Some(&self.sent));
                let (page, _) = draw::<R>(context, &self.key, sent, &html! {}, &problems).await?;
                return Ok(refused.html(page));
            }
        };
        let (page, _) = draw::<R>(&self.context, &self.key, sent, &above, &Problems::NONE).await?;
        Ok(answer::page(page))
    }

    /// The same for a form that leads back to the page.
    pub(in crate::http::pages) async fn finish_change<R: Resource>(
        &self,
        outcome: Result<impl Sized, Fault>,
    ) -> Result<HttpResponse, Fault> {
        let outcome = outcome.map(|_| Reply::Redirect(R::changed_path(&self.key)));
        self.finish::<R>(outcome).await
    }
}

/// The page of a resource, and where its forms are sent.
pub(in crate::http::pages) fn routes<R: Resource>() -> Vec<Route> {
    let mut routes = vec![page_route(R::PATH, |route| route.to(show::<R>))];
    if let Some(procedure) = R::UPDATE {
        let handler = move |form| change::<R>(form, procedure);
        routes.push(form_route(R::PATH, move |route| route.to(handler)));
    }
    for (path, procedure) in R::ACTIONS {
        let handler = move |form| act::<R>(form, *procedure);
        routes.push(form_route(path, move |route| route.to(handler)));
    }
    if let Some((path, procedure)) = R::DELETE {
        let handler = move |form| delete::<R>(form, procedure);
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
    let drawn = draw::<R>(&context, &key, None, &html! {}, &Problems::NONE).await?;
    Ok(match drawn {
        (page, Some(tail)) => stream(page, tail),
        (page, None) => answer::page(page),
    })
}

async fn change<R: Resource>(
    form: Submission,
    procedure: Procedure,
) -> Result<HttpResponse, Fault> {
    let (context, key, sent) = (&form.context, &form.key, &form.sent);
    let resource = R::load(context, key).await?;
    let date_format = context.date_format().await?;
    let edit = Edit {
        context,
        key,
        inputs: Inputs::new(R::FORM, resource.kind(), &date_format),
        sent,
        procedure,
    };
    form.finish::<R>(resource.change(&edit).await).await
}

/// Calls a procedure about a resource that needs nothing but its id.
async fn act<R: Resource>(form: Submission, procedure: Procedure) -> Result<HttpResponse, Fault> {
    let input = id_input::<R>(&form.key);
    let outcome = form.context.invoke(procedure, input).await;
    let outcome = outcome.map(|_| Reply::Redirect(form.key.fill(R::PATH)));
    form.finish::<R>(outcome).await
}

async fn delete<R: Resource>(
    form: Submission,
    procedure: Procedure,
) -> Result<HttpResponse, Fault> {
    let (context, key) = (&form.context, &form.key);
    if key.is_below() || key.site(R::PATH).is_some() {
        // The path may name another website or board than the resource's.
        R::load(context, key).await?;
    }
    context.invoke(procedure, id_input::<R>(key)).await?;
    Ok(answer::redirect(&key.fill(R::LIST)))
}

/// The input of procedures that need nothing but the id.
pub(in crate::http::pages) fn id_input<R: Resource>(key: &Key) -> Map<String, Value> {
    Map::from_iter([(R::ID.to_owned(), key.id().into())])
}

/// The page of a resource, with the form as it was sent or its stored values.
async fn draw<R: Resource>(
    context: &PageContext,
    key: &Key,
    sent: Option<&FormData>,
    above: &Markup,
    problems: &Problems,
) -> Result<(Markup, Option<Tail>), Fault> {
    let resource = R::load(context, key).await?;
    let date_format = context.date_format().await?;
    let inputs = Inputs::new(R::FORM, resource.kind(), &date_format);
    let path = key.fill(R::PATH);
    // Other forms of the page leave its settings as they are.
    let is_own = R::FORM.is_empty() || context.request.path() == path;
    let nothing = FormData::default();
    let other = sent.filter(|_| !is_own).unwrap_or(&nothing);
    let sent = sent.filter(|_| is_own);
    let filled = sent.map_or_else(|| resource.fill(&inputs), |sent| Ok(sent.clone()))?;
    let can_change = R::WRITE.is_none_or(|permission| context.can(permission));
    let mut form = html! {};
    if can_change && !R::FORM.is_empty() {
        let choices = R::choices(context).await?;
        form = small_form(
            &path,
            "Save changes",
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
        other,
        problems,
    };
    let rest = resource.main(&page).await?;
    let main = html! {
        (resource.head(&page))
        @if context.parameter("done") == "1" { (notice("good", &html! { (R::DONE) })) }
        @for message in problems.above(&[]) { (notice("bad", &html! { (message) })) }
        (above)
        (rest)
    };
    let frame = context.frame(R::NAV_ITEM, key.site(R::PATH));
    let whole = framed_page(&frame, resource.title(), &main);
    Ok((whole, resource.tail(&page)))
}
