//! All goals or funnels of a website, with how many people went through in some days.

use std::collections::BTreeMap;

use futures_util::future::join_all;

use super::{
    conversion::{funnel_question, when},
    kind::Kind,
    show::Definition,
};
use crate::{
    http::{
        pages::{
            prelude::*,
            site::period::{PeriodQuery, bar, filtered_address},
        },
        procedures::{
            bodies::WebsiteIdBody,
            conversion::Conversion,
            funnels::{self, ListedOut},
            goals::{self, BulkBody, BulkOut, GoalOut},
        },
    },
    pages::{
        number,
        part::{ListPage, meter},
    },
};

/// Definitions with numbers.
const MAX: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    vec![
        page_route(Definition::<false>::LIST, |route| route.to(show::<false>)),
        page_route(Definition::<true>::LIST, |route| route.to(show::<true>)),
    ]
}

/// A goal or a funnel of the list.
struct Saved {
    id: String,
    name: String,
    is_active: bool,
    /// Its target or steps, in a line.
    taken: String,
}

impl From<GoalOut> for Saved {
    fn from(goal: GoalOut) -> Self {
        Self {
            id: goal.id,
            name: goal.fields.name,
            is_active: goal.fields.is_active,
            taken: goal.fields.target,
        }
    }
}

impl From<ListedOut> for Saved {
    fn from(funnel: ListedOut) -> Self {
        let steps = funnel.steps.into_iter().map(|step| step.target);
        Self {
            id: funnel.id,
            name: funnel.name,
            is_active: funnel.is_active,
            taken: steps.collect::<Vec<_>>().join(" → "),
        }
    }
}

async fn show<const FUNNEL: bool>(
    context: PageContext,
    key: web::Path<Key>,
) -> Result<HttpResponse, Fault> {
    let kind = Definition::<FUNNEL>::KIND;
    let website = context.website(key.id()).await?;
    let path = key.fill(Definition::<FUNNEL>::LIST);
    if let Some(address) = filtered_address(context.request.query_string(), &path, &[]) {
        return Ok(answer::redirect(&address));
    }
    let period = PeriodQuery::load(&context, &[]).await?;
    let all = load_saved(&context, kind, &website.id).await?;
    let numbers = load_numbers(&context, kind, &website.id, &period, &all).await?;
    let (new, label) = (format!("{path}/new"), format!("Create {}", kind.noun()));
    let can_write = context.can(Permission::WebsiteConfigure);
    let page = ListPage {
        title: kind.title(),
        create: can_write.then_some((new.as_str(), label.as_str())),
        none: &format!("No {}s yet", kind.noun()),
        about: kind.description(),
        live: None,
    };
    let table =
        (!all.is_empty()).then(|| draw_table::<FUNNEL>(&website.id, &period, &all, &numbers));
    let main = page.draw(&bar(&period, &path, false, &[]), table);
    Ok(context.show_site(kind.place(), &website.id, kind.title(), &main))
}

async fn load_saved(context: &PageContext, kind: Kind, site: &str) -> Result<Vec<Saved>, Fault> {
    let body = WebsiteIdBody {
        website_id: site.to_owned(),
    };
    Ok(match kind {
        Kind::Goal => {
            let goals = context.ask(&goals::LIST, body).await?.into_iter();
            goals.map(Saved::from).collect()
        }
        Kind::Funnel => {
            let funnels = context.ask(&funnels::LIST, body).await?.into_iter();
            funnels.map(Saved::from).collect()
        }
    })
}

/// The numbers of each, if the query succeeds.
async fn load_numbers(
    context: &PageContext,
    kind: Kind,
    site: &str,
    period: &PeriodQuery,
    all: &[Saved],
) -> Result<BTreeMap<String, Conversion>, Fault> {
    let ids: Vec<String> = all.iter().take(MAX).map(|one| one.id.clone()).collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    if kind == Kind::Goal {
        let body = BulkBody {
            website_id: site.to_owned(),
            goal_ids: ids,
            when: when(period).into(),
        };
        let found = context.ask(&goals::BULK_ANALYTICS, body).await?;
        let good = |(id, one)| match one {
            BulkOut::Good { data, .. } => Some((id, data.conversion)),
            BulkOut::Bad { .. } => None,
        };
        return Ok(found.into_iter().filter_map(good).collect());
    }
    let one = async |id: String| {
        let body = funnel_question(period, site, &id);
        let found = context.ask(&funnels::GET_ANALYTICS, body).await;
        Some((id, found.ok()?.conversion))
    };
    let found = join_all(ids.into_iter().map(one)).await;
    Ok(found.into_iter().flatten().collect())
}

fn draw_table<const FUNNEL: bool>(
    site: &str,
    period: &PeriodQuery,
    all: &[Saved],
    numbers: &BTreeMap<String, Conversion>,
) -> Markup {
    let kind = Definition::<FUNNEL>::KIND;
    let none = || number::NONE.to_owned();
    let [whole, did, share, _] = kind.numbers();
    html! {
        table.table.list.sites {
            caption.hide { (kind.title()) ", newest first" }
            thead { tr { th scope="col" { "Name" } th.num scope="col" { (whole) } th.num scope="col" { (did) } th.num scope="col" { (share) } } }
            tbody { @for one in all {
                @let found = numbers.get(&one.id);
                tr {
                    td {
                        (meter(found.map_or(0.0, |found| found.overall_conversion_rate)))
                        span.word { a.name href=(period.view.address(&Definition::<FUNNEL>::path(&[site, &one.id]))) { (one.name) } @if !one.is_active { " " span.state { "Disabled" } } " " span.dim.small { (one.taken) } }
                    }
                    td.num data-label=(whole) { (found.map_or_else(none, |found| number::full(found.total_users_entered))) }
                    td.num data-label=(did) { (found.map_or_else(none, |found| number::full(found.total_users_completed))) }
                    td.num data-label=(share) { (found.map_or_else(none, |found| number::percent(found.overall_conversion_rate))) }
                }
            } }
        }
    }
}
