//! Target groups: rules that several flags of a website share.

use futures_util::future::try_join_all;
use serde_json::{Value, json};

use super::rules::Rules;
use crate::{
    http::{
        pages::{
            form::{Empty, Kind},
            prelude::*,
            resource::{creation, id_input},
        },
        procedures::{
            bodies::WebsiteIdBody,
            flags::{
                self,
                groups::{self, OneBody},
                shapes::{FlagOut, GroupOut},
            },
        },
    },
    pages::{
        number,
        part::{Heading, ListPage, checkboxes, panel, resource_table},
    },
};

const NEW: &str = "/console/target-groups/new";
/// The flag's field with its groups, and the name of their boxes.
const IDS: &str = "targetGroupIds";

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<GroupOut>();
    routes.extend(creation::<NewGroup>());
    routes.extend([
        page_route(GroupOut::LIST, |route| route.to(show)),
        form_route("/console/flag/{flag}/groups", |route| route.to(assign)),
    ]);
    routes
}

const FIELDS: Section = Section::plain(&[
    Input::line("name", "Name").required(),
    Input::line("description", "Description"),
    Input::new(Kind::Line("color"), "color", "Color").usual("#1d5fc2"),
    Input::new(Kind::Rows(&Rules), "rules", "Rules").empty(Empty::List),
]);

impl Resource for GroupOut {
    const PATH: &'static str = "/console/target-group/{group}";
    const LIST: &'static str = "/console/target-groups";
    const NAV_ITEM: NavItem = NavItem::FeatureFlags;
    const WRITE: Option<Permission> = Some(Permission::FlagWrite);
    const FORM: &'static [Section] = &[FIELDS];
    const UPDATE: Option<Procedure> = Some(groups::UPDATE.erase());
    const DELETE: Option<Action> = Some((
        "/console/target-group/{group}/delete",
        groups::DELETE.erase(),
    ));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let body = OneBody {
            id: key.id().to_owned(),
            website_id: None,
        };
        context.ask(&groups::GET_BY_ID, body).await
    }

    fn title(&self) -> &str {
        &self.name
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(self)
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        let websites = page.context.websites().into_iter();
        let website = websites.into_iter().find(|one| one.id == self.website_id);
        html! {
            div.title-row {
                h1 { (self.name) }
                @if let Some(website) = website { span.dim { (website.name) } }
                div.actions { a.button href=(Self::LIST) { "All target groups" } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        Ok(html! {
            div.grid {
                (page.settings())
                @if !page.can_change { (panel("Rules", &html! { pre { (super::fields::pretty(&self.rules)) } })) }
                (page.deletion("Delete target group…", "Flags stop targeting this group."))
            }
        })
    }
}

struct NewGroup;

impl Creation for NewGroup {
    type Resource = GroupOut;
    const PATH: &'static str = NEW;
    const TITLE: &'static str = "Create target group";
    const FORM: &'static [Section] = &[
        Section::plain(&[Input::choice("websiteId", "Website", &[]).empty(Empty::Missing)]),
        FIELDS,
    ];
    const CREATE: Procedure = groups::CREATE.erase();

    fn blank(_: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&json!({ "color": "#1d5fc2" }))
    }

    async fn choices(context: &PageContext) -> Result<Choices, Fault> {
        Ok(Choices::default().with("websiteId", context.websites()))
    }
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let websites = context.websites();
    let asked = websites.iter().map(|website| {
        let website_id = website.id.clone();
        context.ask(&groups::LIST, WebsiteIdBody { website_id })
    });
    let all = try_join_all(asked).await?;
    let groups: Vec<_> = websites
        .iter()
        .zip(&all)
        .flat_map(|(website, groups)| groups.iter().map(|group| (website.name.as_str(), group)))
        .collect();
    let can_write = context.can(Permission::FlagWrite) && !websites.is_empty();
    let page = ListPage {
        title: "Target groups",
        create: can_write.then_some((NEW, NewGroup::TITLE)),
        none: "No target groups yet",
        about: "A target group holds rules that several flags of a website share.",
        live: None,
    };
    let table = (!groups.is_empty()).then(|| table(&groups));
    Ok(context.show(
        NavItem::FeatureFlags,
        page.title,
        &page.draw(&html! {}, table),
    ))
}

fn table(groups: &[(&str, &GroupOut)]) -> Markup {
    let headings = ["Target group", "Website", "Rules"].map(Heading::Text);
    let rows = html! {
        @for (website, group) in groups { tr {
            td {
                a.name href=(GroupOut::path(&[&group.id])) { (group.name) }
                span.dim { (group.description.as_deref().unwrap_or_default()) }
            }
            td data-label="Website" { (website) }
            td data-label="Rules" { (number::with_noun(group.rules.len() as u64, "rule", "rules")) }
        } }
    };
    resource_table("Target groups by website", &headings, &rows)
}

/// The target groups of a flag, with the form that changes them. Flags without a website have none.
pub(super) async fn draw_assigned(flag: &FlagOut, page: &Page<'_>) -> Result<Markup, Fault> {
    let Some(website_id) = flag.website_id.clone() else {
        return Ok(html! {});
    };
    let groups = page
        .context
        .ask(&groups::LIST, WebsiteIdBody { website_id })
        .await?;
    let chosen: Vec<&str> = flag.target_group_ids.iter().map(String::as_str).collect();
    let among = groups
        .iter()
        .map(|group| (group.id.as_str(), group.name.as_str()));
    let boxes = checkboxes(
        IDS,
        "Targeted groups",
        "Their rules follow the rules of the flag.",
        among,
        &chosen,
        page.problems,
    );
    let inside = html! {
        @if groups.is_empty() { p.dim { "No target groups yet." } }
        @else if page.can_change { (small_form(&page.below("groups"), "Save target groups", &boxes)) }
        @else { ul { @for group in groups.iter().filter(|group| chosen.contains(&group.id.as_str())) { li { (group.name) } } } }
        p { a href=(GroupOut::LIST) { "Manage target groups" } }
    };
    Ok(panel("Target groups", &inside))
}

/// Sets the target groups of a flag. Those that it has keep their order.
async fn assign(form: Submission) -> Result<HttpResponse, Fault> {
    let outcome = async {
        let input = id_input::<FlagOut>(&form.key);
        let flag: FlagOut = form.context.submit(&flags::GET_BY_ID, input).await?;
        let wanted: Vec<String> = form.sent.all(IDS).map(str::to_owned).collect();
        let mut ids = flag.target_group_ids;
        ids.retain(|id| wanted.contains(id));
        let added: Vec<String> = wanted.into_iter().filter(|id| !ids.contains(id)).collect();
        ids.extend(added);
        let input = flags::UpdateBody {
            id: flag.id,
            patch: [(IDS.to_owned(), Value::from(ids))].into_iter().collect(),
        };
        form.context.ask(&flags::UPDATE, input).await
    };
    form.finish_change::<FlagOut>(outcome.await).await
}
