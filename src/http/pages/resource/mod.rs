//! Pages by description.
//!
//! A [`Resource`] has the paths, the loading, the drawing and the procedures of a page with forms; [`routes`] serves it.
//! A [`Creation`] has the page and the form of a new resource; [`creation()`] serves it.

mod creation;
mod serve;

use futures_util::stream::LocalBoxStream;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value};

pub(super) use self::{
    creation::{Creation, Draft, creation, submit},
    serve::{Reply, Submission, id_input, routes},
};
use super::{
    context::PageContext,
    form::{Choices, FormData, Inputs, Section},
};
use crate::{
    access::Permission,
    fault::Fault,
    http::procedures::Procedure,
    pages::{
        frame::NavItem,
        part::{Form, confirm, panel},
        problem::Problems,
        time::DateFormat,
    },
};

/// The panel of what cannot be undone.
pub(super) const DANGER: &str = "Danger zone";
/// The beginning of the paths of pages about one website.
const SITE: &str = "/console/site/{id}";

/// The values in the path of a request, in their order.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Key(Vec<String>);

impl Key {
    /// The id of the resource, which is the last value.
    pub(super) fn id(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// The id of what the resource belongs to, which is the first value.
    pub(super) fn parent(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// Whether the resource belongs to something that the path names, too.
    fn is_below(&self) -> bool {
        self.0.len() > 1
    }

    /// The website of a page with this pattern, where it is about one.
    fn site(&self, pattern: &str) -> Option<&str> {
        pattern.starts_with(SITE).then(|| self.parent())
    }

    /// The path of a pattern, with these values.
    pub(super) fn fill(&self, pattern: &str) -> String {
        fill_path(pattern, self.0.iter().map(String::as_str))
    }
}

/// The path of a pattern, with these values for its `{…}`.
fn fill_path<'a>(pattern: &'a str, values: impl IntoIterator<Item = &'a str>) -> String {
    let mut values = values.into_iter();
    let segments = pattern.split('/').map(|segment| match segment {
        place if place.starts_with('{') => values.next().unwrap_or_default(),
        word => word,
    });
    segments.collect::<Vec<_>>().join("/")
}

/// What follows on a page, part by part.
pub(super) type Tail = LocalBoxStream<'static, Markup>;

/// The path that a button posts to, and the procedure that it calls.
pub(super) type Action = (&'static str, Procedure);

/// Something that has a page of its own.
pub(super) trait Resource: Sized + 'static {
    /// The pattern of its page: `/console/link/{link}`.
    const PATH: &'static str;
    /// The pattern of the page with all of its kind, which follows a deletion.
    const LIST: &'static str = "/";
    const NAV_ITEM: NavItem;
    /// The name of its id in the input of its procedures.
    const ID: &'static str = "id";
    /// The right to change it; `None` = everybody who sees it.
    const WRITE: Option<Permission> = None;
    const FORM: &'static [Section] = &[];
    /// The notice after a change.
    const DONE: &'static str = "Saved.";
    /// The procedure of the form.
    const UPDATE: Option<Procedure> = None;
    /// Buttons whose procedures need nothing but the id.
    const ACTIONS: &'static [Action] = &[];
    const DELETE: Option<Action> = None;

    /// Where its page is, or that of another of its kind.
    fn path(ids: &[&str]) -> String {
        fill_path(Self::PATH, ids.iter().copied())
    }

    /// The address after a change.
    fn changed_path(key: &Key) -> String {
        format!("{}?done=1", key.fill(Self::PATH))
    }

    /// The usual address of the page, if another one was requested.
    fn redirect(_: &PageContext, _: &Key) -> Option<String> {
        None
    }

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault>;

    fn title(&self) -> &str;

    /// Which of the inputs it has; `""` = all of them.
    fn kind(&self) -> &'static str {
        ""
    }

    /// The form with its stored values.
    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&())
    }

    /// The input of the procedure.
    fn read(&self, inputs: &Inputs<'_>, sent: &FormData) -> Result<Map<String, Value>, Fault> {
        inputs.read(sent)
    }

    async fn change(&self, edit: &Edit<'_>) -> Result<Reply, Fault> {
        submit_change(self, edit).await
    }

    /// The options of its inputs.
    async fn choices(_: &PageContext) -> Result<Choices, Fault> {
        Ok(Choices::default())
    }

    fn draw_inputs(
        inputs: &Inputs<'_>,
        sent: &FormData,
        choices: &Choices,
        problems: &Problems,
    ) -> Markup {
        inputs.draw(sent, choices, problems)
    }

    /// The beginning of its page: title, state, buttons.
    fn head(&self, page: &Page<'_>) -> Markup;

    /// The rest of its page.
    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault>;

    /// What takes longer and is sent behind the rest, but not after a form.
    fn tail(&self, _: &Page<'_>) -> Option<Tail> {
        None
    }
}

/// Calls the procedure, and leads back to the page.
pub(super) async fn submit_change<R: Resource>(
    resource: &R,
    edit: &Edit<'_>,
) -> Result<Reply, Fault> {
    let mut input = resource.read(&edit.inputs, edit.sent)?;
    input.insert(R::ID.to_owned(), edit.key.id().into());
    edit.context.invoke(edit.procedure, input).await?;
    Ok(Reply::Redirect(R::changed_path(edit.key)))
}

/// A form that was sent to change a resource.
pub(super) struct Edit<'a> {
    pub(super) context: &'a PageContext,
    pub(super) key: &'a Key,
    pub(super) inputs: Inputs<'a>,
    pub(super) sent: &'a FormData,
    procedure: Procedure,
}

/// The page of a resource while it is drawn.
#[derive(Debug)]
pub(super) struct Page<'a> {
    pub(super) context: &'a PageContext,
    pub(super) key: &'a Key,
    pub(super) date_format: &'a DateFormat,
    pub(super) now_ms: i64,
    /// Where it is.
    pub(super) path: &'a str,
    /// Whether the reader may change it.
    pub(super) can_change: bool,
    form: Markup,
    /// The form that was sent, or else its stored values.
    pub(super) sent: &'a FormData,
    /// What another form of the page sent, or nothing.
    pub(super) other: &'a FormData,
    pub(super) problems: &'a Problems,
}

impl Page<'_> {
    /// A path below the page's own.
    pub(super) fn below(&self, last: &str) -> String {
        format!("{}/{last}", self.path)
    }

    /// The panel that deletes it, if the reader may.
    pub(super) fn deletion(&self, label: &str, consequence: &str) -> Markup {
        let (action, send) = (self.below("delete"), label.trim_end_matches('…'));
        let confirm = confirm(label, consequence, &action, send, &html! {});
        html! { @if self.can_change { (panel(DANGER, &confirm)) } }
    }

    /// The panel with its form, if the reader may change it.
    pub(super) fn settings(&self) -> Markup {
        html! { @if self.can_change { (panel("Settings", &self.form)) } }
    }
}

/// A form of a resource's page, which shows problems without a field above all forms.
pub(super) fn small_form(action: &str, send: &str, fields: &Markup) -> Markup {
    let form = Form {
        action,
        send,
        problems: &Problems::NONE,
        fields: &[],
    };
    form.around(fields)
}
