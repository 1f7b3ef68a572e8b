//! One goal or funnel: its numbers, its settings, and the form of a new one.

use super::{breakdown, conversion, fields, kind::Kind, preview, suggestions};
use crate::{
    http::{
        pages::{
            prelude::*,
            site::period::{PeriodQuery, bar, filtered_address},
        },
        procedures::{bodies::IdBody, funnels, goals},
    },
    pages::part::notice,
};

/// A goal or a funnel of a website.
pub(super) struct Definition<const FUNNEL: bool> {
    name: String,
    is_active: bool,
    fields: serde_json::Value,
}

impl<const FUNNEL: bool> Definition<FUNNEL> {
    pub(super) const KIND: Kind = if FUNNEL { Kind::Funnel } else { Kind::Goal };
}

impl<const FUNNEL: bool> Resource for Definition<FUNNEL> {
    const PATH: &'static str = if FUNNEL {
        "/console/site/{id}/funnel/{funnel}"
    } else {
        "/console/site/{id}/goal/{goal}"
    };
    const LIST: &'static str = if FUNNEL {
        "/console/site/{id}/funnels"
    } else {
        "/console/site/{id}/goals"
    };
    const NAV_ITEM: NavItem = Self::KIND.place();
    const WRITE: Option<Permission> = Some(Permission::WebsiteConfigure);
    const FORM: &'static [Section] = fields::FORM;
    const UPDATE: Option<Procedure> = Some(if FUNNEL {
        funnels::UPDATE.erase()
    } else {
        goals::UPDATE.erase()
    });
    const DELETE: Option<Action> = Some(if FUNNEL {
        (
            "/console/site/{id}/funnel/{funnel}/delete",
            funnels::DELETE.erase(),
        )
    } else {
        (
            "/console/site/{id}/goal/{goal}/delete",
            goals::DELETE.erase(),
        )
    });

    fn redirect(context: &PageContext, key: &Key) -> Option<String> {
        let path = key.fill(Self::PATH);
        filtered_address(
            context.request.query_string(),
            &path,
            &[breakdown::PARAMETER],
        )
    }

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let website = context.website(key.parent()).await?;
        let id = key.id().to_owned();
        let (site, fields, name, is_active) = if FUNNEL {
            let funnel = context.ask(&funnels::GET_BY_ID, IdBody { id }).await?;
            let fields = serde_json::to_value(&funnel.listed);
            let funnel_site = funnel.website_id;
            (
                funnel_site,
                fields,
                funnel.listed.name,
                funnel.listed.is_active,
            )
        } else {
            let goal = context.ask(&goals::GET_BY_ID, IdBody { id }).await?;
            let fields = serde_json::to_value(&goal.fields);
            (
                goal.website_id,
                fields,
                goal.fields.name,
                goal.fields.is_active,
            )
        };
        if site != website.id {
            return Err(Fault::not_found(Self::KIND.noun(), key.id()));
        }
        Ok(Self {
            name,
            is_active,
            fields: fields.map_err(Fault::internal)?,
        })
    }

    fn title(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        Self::KIND.noun()
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        let mut fields = self.fields.clone();
        if !FUNNEL {
            fields["type"] = fields::usual_type(&self.fields["type"]).into();
        }
        inputs.fill(&fields)
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { (self.name) } @if !self.is_active { span.state { "Disabled" } } } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let period = PeriodQuery::load(page.context, &[breakdown::PARAMETER]).await?;
        let (site, id) = (page.key.parent(), page.key.id());
        let delete = format!("Delete {}…", Self::KIND.noun());
        Ok(html! {
            @for message in period.problems.above(&[]) { (notice("bad", &html! { (message) })) }
            (bar(&period, page.path, false, &[]))
            (conversion::draw(page.context, Self::KIND, site, id, &period).await?)
            @if FUNNEL { (breakdown::draw(page.context, &period, (site, id, page.path)).await?) }
            @if page.can_change { (suggestions::draw(page.context, site).await) }
            (page.settings())
            (page.deletion(&delete, "The events stay stored."))
        })
    }
}

pub(super) struct NewDefinition<const FUNNEL: bool>;

impl<const FUNNEL: bool> Creation for NewDefinition<FUNNEL> {
    type Resource = Definition<FUNNEL>;
    const PATH: &'static str = if FUNNEL {
        "/console/site/{id}/funnels/new"
    } else {
        "/console/site/{id}/goals/new"
    };
    const TITLE: &'static str = if FUNNEL {
        "Create funnel"
    } else {
        "Create goal"
    };
    const SEND: &'static str = Self::TITLE;
    const FORM: &'static [Section] = fields::NEW;
    const PREVIEW: &'static str = if FUNNEL { preview::BUTTON } else { "" };
    const CREATE: Procedure = if FUNNEL {
        funnels::CREATE.erase()
    } else {
        goals::CREATE.erase()
    };

    fn kind<'a>(_: &'a PageContext, _: &'a FormData) -> &'a str {
        Definition::<FUNNEL>::KIND.noun()
    }

    async fn draw(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let inputs = draft.inputs.draw(draft.sent, &Choices::default(), problems);
        let fields = html! {
            (inputs)
            @if FUNNEL { (preview::draw_button(&preview::draw(draft).await?)) }
        };
        let form = Self::form(draft, problems, &fields);
        Ok(html! {
            div.title-row { h1 { (Self::TITLE) } }
            p.lead { (Definition::<FUNNEL>::KIND.description()) }
            (suggestions::draw(draft.context, draft.key.parent()).await)
            section.panel { (form) }
        })
    }
}
