//! Filters under a name: saved from the filters of an address, and put into addresses again.

use serde_json::json;

use super::filters::{self, Filters};
use crate::{
    http::{
        pages::{
            form::{Empty, Kind},
            prelude::*,
            resource::submit,
        },
        procedures::{
            bodies::{IdBody, WebsiteIdBody},
            segments::{self, SegmentOut},
        },
    },
    pages::{
        frame::site_path,
        part::{Heading, empty, panel, resource_table},
        view::View,
    },
};

impl Resource for SegmentOut {
    const PATH: &'static str = "/console/site/{id}/segment/{segment}";
    const LIST: &'static str = "/console/site/{id}/segments";
    const NAV_ITEM: NavItem = NavItem::Segments;
    const WRITE: Option<Permission> = Some(Permission::WebsiteConfigure);
    const FORM: &'static [Section] = &[Section::plain(&[
        Input::line("name", "Name").required(),
        Input::new(Kind::Rows(&Filters("Filters")), filters::WHOLE, "Filters").empty(Empty::List),
        Input::line("description", "Description"),
    ])];
    const UPDATE: Option<Procedure> = Some(segments::UPDATE.erase());
    const DELETE: Option<Action> = Some((
        "/console/site/{id}/segment/{segment}/delete",
        segments::DELETE.erase(),
    ));

    fn changed_path(key: &Key) -> String {
        key.fill(Self::LIST)
    }

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let website = context.website(key.parent()).await?;
        let id = key.id().to_owned();
        let segment = context.ask(&segments::GET_BY_ID, IdBody { id }).await?;
        if segment.website_id != website.id {
            return Err(Fault::not_found("segment", key.id()));
        }
        Ok(segment)
    }

    fn title(&self) -> &str {
        &self.fields.name
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&self.fields)
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        let address = filters::to_view(&self.fields.filters).address(&site_path(page.key.parent()));
        html! {
            div.title-row {
                h1 { (self.fields.name) }
                div.actions { a.button href=(address) { "Open dashboard" } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        Ok(html! {
            p.lead { (filters::describe(&self.fields.filters)) }
            (page.settings())
            (page.deletion("Delete segment…", "Links with these filters keep working."))
        })
    }
}

/// All segments of a website, with the form of a new one.
pub(super) struct NewSegment;

impl Creation for NewSegment {
    type Resource = SegmentOut;
    const PATH: &'static str = SegmentOut::LIST;
    const TITLE: &'static str = "Segments";
    const SEND: &'static str = "Save segment";
    const CREATE: Procedure = segments::CREATE.erase();

    fn blank(context: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        let view = View::read(context.request.query_string(), &[]);
        inputs.fill(&json!({ "filters": filters::from_view(&view) }))
    }

    async fn draw(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let (context, site) = (draft.context, draft.key.id());
        let website_id = site.to_owned();
        let all = context
            .ask(&segments::LIST, WebsiteIdBody { website_id })
            .await?;
        let form = Self::draw_form(draft, problems).await?;
        Ok(html! {
            div.title-row { h1 { (Self::TITLE) } span.dim { "Saved filters" } }
            section.panel {
                @if all.is_empty() { (empty("No segments yet", &html! { p { "Save the filters that you use often. Create a segment here or on the dashboard." } })) }
                @else { (draw_table(site, &all)) }
            }
            @if context.can(Permission::WebsiteConfigure) { (panel("Create segment", &form)) }
        })
    }

    async fn create(draft: &Draft<'_>) -> Result<HttpResponse, Fault> {
        submit::<Self>(draft).await?;
        Ok(answer::redirect(draft.context.request.path()))
    }
}

fn draw_table(site: &str, all: &[SegmentOut]) -> Markup {
    let headings = [
        Heading::Text("Segment"),
        Heading::Text("Filters"),
        Heading::Hidden("Use"),
    ];
    let rows = html! {
        @for one in all { tr {
            td { a.name href=(SegmentOut::path(&[site, &one.id])) { (one.fields.name) } span.dim { (one.fields.description.as_deref().unwrap_or_default()) } }
            td.wide data-label="Filters" { (filters::describe(&one.fields.filters)) }
            td { a.button.small href=(filters::to_view(&one.fields.filters).address(&site_path(site))) { "Open dashboard" } }
        } }
    };
    resource_table("Segments, newest first", &headings, &rows)
}
