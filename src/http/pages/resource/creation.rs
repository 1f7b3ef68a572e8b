//! Pages on which something is created by a form.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::{Key, Resource, fill_path};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, form_problems},
            form::{Choices, FormData, Inputs, Section},
            form_route, page_route,
        },
        procedures::Procedure,
        routes::Route,
    },
    pages::{
        frame::{NavItem, framed_page},
        part::Form,
        problem::Problems,
        time::DateFormat,
    },
};

/// A resource that is created by a form with a page of its own.
pub(in crate::http::pages) trait Creation: Sized + 'static {
    type Resource: Resource;

    const NAV_ITEM: NavItem = Self::Resource::NAV_ITEM;
    /// The pattern of its page: `/console/links/new`.
    const PATH: &'static str;
    const TITLE: &'static str;
    /// The label of the button.
    const SEND: &'static str = Self::TITLE;
    const FORM: &'static [Section] = Self::Resource::FORM;
    /// The name of a button that shows the page again with the form as it was sent.
    const PREVIEW: &'static str = "";
    const CREATE: Procedure;

    /// Which of the inputs it has; `""` = all of them.
    fn kind<'a>(_: &'a PageContext, _: &'a FormData) -> &'a str {
        ""
    }

    /// The form before it is filled.
    fn blank(_: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&())
    }

    /// The options of its inputs.
    async fn choices(context: &PageContext) -> Result<Choices, Fault> {
        Self::Resource::choices(context).await
    }

    /// The page around its form.
    async fn draw(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let form = Self::draw_form(draft, problems).await?;
        Ok(html! { div.title-row { h1 { (Self::TITLE) } } section.panel { (form) } })
    }

    /// The form with its inputs.
    async fn draw_form(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let choices = Self::choices(draft.context).await?;
        let inputs = Self::Resource::draw_inputs(&draft.inputs, draft.sent, &choices, problems);
        Ok(Self::form(draft, problems, &inputs))
    }

    /// The form around its inputs. It posts to its own page.
    fn form(draft: &Draft<'_>, problems: &Problems, inputs: &Markup) -> Markup {
        let form = Form {
            action: draft.context.request.path(),
            send: Self::SEND,
            problems,
            fields: &[],
        };
        form.around(inputs)
    }

    /// The whole page.
    async fn page(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let site = draft.key.site(Self::PATH);
        if let Some(site) = site {
            // Refuses a website that the person may not see.
            draft.context.website(site).await?;
        }
        let main = Self::draw(draft, problems).await?;
        let frame = draft.context.frame(Self::NAV_ITEM, site);
        Ok(framed_page(&frame, Self::TITLE, &main))
    }

    /// The input of the procedure.
    async fn read(draft: &Draft<'_>) -> Result<Map<String, Value>, Fault> {
        draft.inputs.read(draft.sent)
    }

    /// Creates it, and leads to its page.
    async fn create(draft: &Draft<'_>) -> Result<HttpResponse, Fault> {
        let id = submit::<Self>(draft).await?;
        let ids = draft.key.0.iter().chain([&id]).map(String::as_str);
        Ok(answer::redirect(&fill_path(Self::Resource::PATH, ids)))
    }
}

/// Calls the procedure, and returns the id of the result.
pub(in crate::http::pages) async fn submit<C: Creation>(
    draft: &Draft<'_>,
) -> Result<String, Fault> {
    let mut input = C::read(draft).await?;
    if let Some(site) = draft.key.site(C::PATH) {
        input.insert("websiteId".to_owned(), site.into());
    }
    let created = draft.context.invoke(C::CREATE, input).await?;
    let id = [C::Resource::ID, "id"].map(|name| created[name].as_str());
    let id = id.into_iter().flatten().next().unwrap_or_default();
    Ok(id.to_owned())
}

/// A form that was requested or sent.
pub(in crate::http::pages) struct Draft<'a> {
    pub(in crate::http::pages) context: &'a PageContext,
    pub(in crate::http::pages) key: &'a Key,
    pub(in crate::http::pages) sent: &'a FormData,
    pub(in crate::http::pages) inputs: Inputs<'a>,
}

impl<'a> Draft<'a> {
    fn new<C: Creation>(
        context: &'a PageContext,
        key: &'a Key,
        sent: &'a FormData,
        date_format: &'a DateFormat,
    ) -> Self {
        Self {
            context,
            key,
            sent,
            inputs: Inputs::new(C::FORM, C::kind(context, sent), date_format),
        }
    }
}

/// The page of a creation, and where its form is sent.
pub(in crate::http::pages) fn creation<C: Creation>() -> [Route; 2] {
    [
        page_route(C::PATH, |route| route.to(new::<C>)),
        form_route(C::PATH, |route| route.to(create::<C>)),
    ]
}

/// The page with an empty form.
async fn new<C: Creation>(
    context: PageContext,
    key: web::Path<Key>,
) -> Result<HttpResponse, Fault> {
    let date_format = context.date_format().await?;
    let nothing = FormData::default();
    let inputs = Draft::new::<C>(&context, &key, &nothing, &date_format).inputs;
    let draft = Draft {
        context: &context,
        key: &key,
        sent: &C::blank(&context, &inputs)?,
        inputs,
    };
    Ok(answer::page(C::page(&draft, &Problems::NONE).await?))
}

/// Creates the resource, or shows the form again with its problems.
async fn create<C: Creation>(
    context: PageContext,
    key: web::Path<Key>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let date_format = context.date_format().await?;
    let draft = Draft::new::<C>(&context, &key, &sent, &date_format);
    let outcome = async {
        if let Some(site) = key.site(C::PATH) {
            // A missing website comes before problems of the form.
            context.website(site).await?;
        }
        if !C::PREVIEW.is_empty() && sent.is_on(C::PREVIEW) {
            return Ok(answer::page(C::page(&draft, &Problems::NONE).await?));
        }
        C::create(&draft).await
    };
    match outcome.await {
        Ok(answer) => Ok(answer),
        Err(fault) => {
            let (refused, problems) = form_problems(fault)?;
            Ok(refused.html(C::page(&draft, &problems).await?))
        }
    }
}
