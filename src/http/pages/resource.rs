//! Pages by description: what is made by a form, and what has a page with a form that changes it.
//!
//! A [`Creation`] says where something is made and of which inputs; [`creation`] is its page. A [`Resource`] says how
//! one is loaded and what its page has beside its form; [`show`], [`change`], [`act`] and [`delete`] are its handlers.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    answer,
    context::{PageContext, Refused, told},
    form::{Choices, FormData, Inputs, Section},
    page, sent,
};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        procedures::{Handle, Input, Output},
        routes::Route,
    },
    pages::{
        frame::{Place, framed},
        part::{Form, confirm, notice, panel},
        problem::Problems,
        time::DateFormat,
    },
};

/// What an address says of what its page is about.
pub(super) trait Key: DeserializeOwned + 'static {
    /// The id of the thing itself.
    fn id(&self) -> &str;

    /// The website that it belongs to, where pages are within one.
    fn site(&self) -> Option<&str> {
        None
    }
}

impl Key for String {
    fn id(&self) -> &str {
        self
    }
}

/// Its id, behind that of what it belongs to.
impl Key for (String, String) {
    fn id(&self) -> &str {
        &self.1
    }
}

/// Something that is made by a form with a page of its own.
pub(super) trait Creation: Sized + 'static {
    /// What the address says of where it is made; `()` where it says nothing.
    type Key: DeserializeOwned + 'static;

    const PLACE: Place;
    const TITLE: &'static str;
    /// What the button says.
    const SEND: &'static str = "Make it";
    const FORM: &'static [Section];
    /// Which of the inputs it has; `""` = all of them.
    const KIND: &'static str = "";

    /// What the form begins with.
    fn blank(_: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&())
    }

    /// What its inputs can choose among.
    async fn choices(_: &PageContext, _: &Self::Key) -> Result<Choices, Fault> {
        Ok(Choices::default())
    }

    /// The page around its form.
    async fn draw(draft: &Draft<'_, Self>, problems: &Problems) -> Result<Markup, Fault> {
        let choices = Self::choices(draft.context, draft.key).await?;
        let inputs = draft.inputs.draw(draft.sent, &choices, problems);
        let form = draft.form(&draft.inputs.names(), problems, &inputs);
        Ok(html! { div.title-row { h1 { (Self::TITLE) } } section.panel { (form) } })
    }

    /// The website that the page is about, where it is about one.
    fn site(_: &Self::Key) -> Option<&str> {
        None
    }

    /// Makes it, and says where it is.
    async fn create(draft: &Draft<'_, Self>) -> Result<HttpResponse, Fault>;
}

/// What somebody wants to make.
pub(super) struct Draft<'a, C: Creation> {
    pub(super) context: &'a PageContext,
    pub(super) key: &'a C::Key,
    pub(super) sent: &'a FormData,
    pub(super) inputs: Inputs<'a>,
}

impl<C: Creation> Draft<'_, C> {
    /// The form around its inputs. It is sent to where it is shown.
    pub(super) fn form(&self, names: &[&str], problems: &Problems, inputs: &Markup) -> Markup {
        let form = Form {
            action: self.context.request.path(),
            send: C::SEND,
            problems,
            fields: names,
        };
        form.around(inputs)
    }

    async fn page(&self, problems: &Problems) -> Result<Markup, Fault> {
        let main = C::draw(self, problems).await?;
        let frame = self.context.frame(C::PLACE, C::site(self.key));
        Ok(framed(&frame, C::TITLE, &main))
    }
}

/// The page where something is made, at this path.
pub(super) fn creation<C: Creation>(path: &'static str) -> [Route; 2] {
    [
        page(path, |route| route.to(new::<C>)),
        sent(path, |route| route.to(make::<C>)),
    ]
}

/// The page with the form of something new.
async fn new<C: Creation>(
    context: PageContext,
    key: web::Path<C::Key>,
) -> Result<HttpResponse, Fault> {
    let date_format = context.date_format().await?;
    let inputs = Inputs::new(C::FORM, C::KIND, &date_format);
    let draft = Draft::<C> {
        context: &context,
        key: &key.into_inner(),
        sent: &C::blank(&context, &inputs)?,
        inputs,
    };
    Ok(answer::shown(draft.page(&Problems::NONE).await?))
}

/// Makes what the form says, or shows it again with what is wrong.
async fn make<C: Creation>(
    context: PageContext,
    key: web::Path<C::Key>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let date_format = context.date_format().await?;
    let draft = Draft::<C> {
        context: &context,
        key: &key.into_inner(),
        sent: &sent,
        inputs: Inputs::new(C::FORM, C::KIND, &date_format),
    };
    match C::create(&draft).await {
        Ok(answer) => Ok(answer),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            Ok(refused.html(draft.page(&problems).await?))
        }
    }
}

/// Something that has a page of its own, with a form that changes it.
pub(super) trait Resource: Sized + 'static {
    type Key: Key;

    const PLACE: Place;
    /// What its id is called in the input of its procedures.
    const ID: &'static str = "id";
    /// Who may change it.
    const WRITE: Permission;
    const FORM: &'static [Section] = &[];
    /// Fields of other forms of its page that say beside themselves what is wrong with them.
    const OTHERS: &'static [&'static str] = &[];
    /// What is said when it was changed.
    const DONE: &'static str = "Saved.";

    /// Where its page is.
    fn path(key: &Self::Key) -> String;

    /// Where all of its kind are.
    fn list(key: &Self::Key) -> String;

    async fn load(context: &PageContext, key: &Self::Key) -> Result<Self, Fault>;

    fn title(&self) -> &str;

    /// Which of the inputs it has; `""` = all of them.
    fn kind(&self) -> &'static str {
        ""
    }

    fn inputs<'a>(&self, date_format: &'a DateFormat) -> Inputs<'a> {
        Inputs::new(Self::FORM, self.kind(), date_format)
    }

    /// What its form shows while nobody has changed it.
    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&())
    }

    /// What its form says.
    fn read(&self, inputs: &Inputs<'_>, sent: &FormData) -> Result<Map<String, Value>, Fault> {
        inputs.read(sent)
    }

    /// What its inputs can choose among.
    async fn choices(_: &PageContext) -> Result<Choices, Fault> {
        Ok(Choices::default())
    }

    /// What its page begins with: its title, how it stands, what can be done about it.
    fn head(&self, page: &Page<'_>) -> Markup;

    /// The rest of its page.
    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault>;
}

/// What the page of a resource is drawn with.
#[derive(Debug)]
pub(super) struct Page<'a> {
    pub(super) context: &'a PageContext,
    pub(super) date_format: &'a DateFormat,
    pub(super) now_ms: i64,
    /// Where it is.
    pub(super) path: &'a str,
    /// Whether the reader may change it.
    pub(super) may: bool,
    form: Markup,
    /// What was sent to it.
    pub(super) sent: &'a FormData,
    pub(super) problems: &'a Problems,
}

impl Page<'_> {
    /// Where one of its forms is sent to.
    pub(super) fn below(&self, last: &str) -> String {
        format!("{}/{last}", self.path)
    }

    /// Its end, for whoever may.
    pub(super) fn deletion(&self, wish: &str, said: &str) -> Markup {
        let confirm = confirm(wish, said, &self.below("delete"), "Delete it", &html! {});
        html! { @if self.may { (panel("Delete", &confirm)) } }
    }

    /// The form that changes it, for whoever may.
    pub(super) fn settings(&self) -> Markup {
        html! { @if self.may { (panel("Settings", &self.form)) } }
    }
}

/// The page of a resource.
pub(super) async fn show<R: Resource>(
    context: PageContext,
    key: web::Path<R::Key>,
) -> Result<HttpResponse, Fault> {
    let key = key.into_inner();
    let resource = R::load(&context, &key).await?;
    draw(&context, &key, &resource, None, None).await
}

/// Changes a resource as its form says, or shows it again with what is wrong.
pub(super) async fn change<R: Resource, I: Input, O: Output>(
    context: PageContext,
    key: web::Path<R::Key>,
    sent: FormData,
    procedure: &Handle<I, O>,
) -> Result<HttpResponse, Fault> {
    let key = key.into_inner();
    let resource = R::load(&context, &key).await?;
    let date_format = context.date_format().await?;
    let changed = async {
        let mut input = resource.read(&resource.inputs(&date_format), &sent)?;
        input.insert(R::ID.to_owned(), key.id().into());
        context.submit(procedure, input).await
    }
    .await;
    let path = format!("{}?done=1", R::path(&key));
    done::<R, O>(&context, &key, changed, Some(&sent), &path).await
}

/// Does something about a resource that needs to know nothing else.
pub(super) async fn act<R: Resource, I: Input, O: Output>(
    context: PageContext,
    key: web::Path<R::Key>,
    procedure: &Handle<I, O>,
) -> Result<HttpResponse, Fault> {
    let key = key.into_inner();
    let outcome = context.submit(procedure, named::<R>(&key)).await;
    done::<R, O>(&context, &key, outcome, None, &R::path(&key)).await
}

/// Deletes a resource.
pub(super) async fn delete<R: Resource, I: Input, O: Output>(
    context: PageContext,
    key: web::Path<R::Key>,
    procedure: &Handle<I, O>,
) -> Result<HttpResponse, Fault> {
    let key = key.into_inner();
    context.submit(procedure, named::<R>(&key)).await?;
    Ok(answer::see(&R::list(&key)))
}

/// The input of procedures that are only told which one it is.
pub(super) fn named<R: Resource>(key: &R::Key) -> Map<String, Value> {
    [(R::ID.to_owned(), key.id().into())].into_iter().collect()
}

/// The way on, or the page of the resource with what is wrong and what was typed.
pub(super) async fn done<R: Resource, O>(
    context: &PageContext,
    key: &R::Key,
    outcome: Result<O, Fault>,
    sent: Option<&FormData>,
    path: &str,
) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(_) => Ok(answer::see(path)),
        Err(fault) => {
            let refusal = told(fault)?;
            let resource = R::load(context, key).await?;
            draw(context, key, &resource, sent, Some(refusal)).await
        }
    }
}

/// The page of a resource with what was typed, or else with what is there.
pub(super) async fn draw<R: Resource>(
    context: &PageContext,
    key: &R::Key,
    resource: &R,
    sent: Option<&FormData>,
    refusal: Option<(Refused, Problems)>,
) -> Result<HttpResponse, Fault> {
    let date_format = context.date_format().await?;
    let inputs = resource.inputs(&date_format);
    let (refused, problems) = refusal.unzip();
    let problems = problems.unwrap_or(Problems::NONE);
    let filled = sent.map_or_else(|| resource.fill(&inputs), |sent| Ok(sent.clone()))?;
    let may = context.may(R::WRITE);
    let path = R::path(key);
    let mut beside = R::OTHERS.to_vec();
    let form = if may {
        beside.extend(inputs.names());
        let choices = R::choices(context).await?;
        // What no input is there for is said above the page.
        let form = Form {
            action: &path,
            send: "Save",
            problems: &Problems::NONE,
            fields: &[],
        };
        form.around(&inputs.draw(&filled, &choices, &problems))
    } else {
        html! {}
    };
    let page = Page {
        context,
        date_format: &date_format,
        now_ms: context.shared().clock.now_ms(),
        path: &path,
        may,
        form,
        sent: &filled,
        problems: &problems,
    };
    let rest = resource.main(&page).await?;
    let main = html! {
        (resource.head(&page))
        @if context.parameter("done") == "1" { (notice("good", &html! { (R::DONE) })) }
        @for said in problems.above(&beside) { (notice("bad", &html! { (said) })) }
        (rest)
    };
    let page = framed(
        &context.frame(R::PLACE, key.site()),
        resource.title(),
        &main,
    );
    Ok(match refused {
        Some(refused) => refused.html(page),
        None => answer::shown(page),
    })
}
