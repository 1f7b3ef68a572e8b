//! `/`: all websites at a glance.

use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            bodies::OrganizationBody,
            websites::{
                self,
                charts::{ChartOut, ChartsOut},
            },
        },
    },
    pages::{
        chart::spark,
        frame::{framed_page, site_path},
        number,
        part::{Field, Form, change, empty},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    if context.session.active_organization.is_none() {
        return Ok(answer::page(draw_welcome(&context, "", &Problems::NONE)));
    }
    let all = OrganizationBody::default();
    let charts = context
        .ask(&websites::charts::LIST_WITH_CHARTS, all)
        .await?;
    let can_add = context.can(Permission::WebsiteManage);
    let main = draw(&charts, can_add);
    Ok(context.show(NavItem::Home, "Websites", &main))
}

fn draw(charts: &ChartsOut, can_add: bool) -> Markup {
    let now: u64 = charts.active_users.values().sum();
    html! {
        div.title-row {
            h1 { "Websites" }
            @if !charts.websites.is_empty() {
                (on(now))
                @if can_add {
                    div.actions { a.button.first href="/console/sites/new" { "Add a website" } }
                }
            }
        }
        @if charts.websites.is_empty() {
            div.panel {
                (empty("There is no website yet", &html! {
                    @if can_add {
                        p { "Add the first one, put a line into its pages, and its visitors show up here." }
                        a.button.first href="/console/sites/new" { "Add a website" }
                    } @else {
                        p { "An owner or admin of the organization can add one." }
                    }
                }))
            }
        } @else {
            div #sites.panel data-live="30" { (table(charts)) }
        }
    }
}

fn table(charts: &ChartsOut) -> Markup {
    html! {
        table.table.sites {
            caption.hide { "Websites with their last seven days" }
            thead { tr {
                th scope="col" { "Website" }
                th scope="col" { "Now" }
                th.num scope="col" { "Visitors, 7 days" }
                th.num scope="col" { "Change" }
                th.num scope="col" { "Views, 7 days" }
                th scope="col" { "Views a day" }
            } }
            tbody {
                @for website in &charts.websites {
                    @let chart = charts.chart_data.get(&website.id);
                    @let now = charts.active_users.get(&website.id).copied().unwrap_or(0);
                    tr {
                        td {
                            a.name href=(site_path(&website.id)) { (website.name.as_deref().unwrap_or_default()) }
                            span.dim { (website.domain) @if website.is_public { " · public" } }
                        }
                        td { (on(now)) }
                        @match chart {
                            Some(chart) if chart.has_any_data => (row(chart)),
                            _ => td colspan="4" {
                                span.dim { "No event in two weeks. " }
                                a href=(format!("/console/site/{}/setup", website.id)) { "Set up tracking" }
                            },
                        }
                    }
                }
            }
        }
    }
}

fn row(chart: &ChartOut) -> Markup {
    let values: Vec<u64> = chart.data.iter().map(|point| point.value).collect();
    let list = values.iter().map(|value| number::full(*value));
    let list = list.collect::<Vec<_>>().join(", ");
    html! {
        td.num data-label="Visitors" title=(number::full(chart.total_visitors)) { (number::short(chart.total_visitors)) }
        td.num data-label="Change" { (change(chart.visitors_change, true)) }
        td.num data-label="Views" title=(number::full(chart.total_views)) { (number::short(chart.total_views)) }
        td { (spark(&values, &format!("Views of seven days, oldest first: {list}"))) }
    }
}

/// The visitors who are online.
fn on(now: u64) -> Markup {
    html! { span.now.on[now > 0] { (number::full(now)) " now" } }
}

/// The page of a person without an active organization.
pub(super) fn draw_welcome(context: &PageContext, name: &str, problems: &Problems) -> Markup {
    let frame = context.frame(NavItem::Home, None);
    let form = Form {
        action: "/console/organization/new",
        send: "Make it",
        problems,
        fields: &["name"],
    };
    let field = Field::text("name", "Name of the organization").value(name);
    let main = html! {
        h1 { "Welcome" }
        section.panel {
            @if frame.organizations.is_empty() {
                p { "You are in no organization yet. Open the link of an invitation, or make an organization of your own." }
            } @else {
                p { "Choose an organization in the menu with your name, or make another one." }
            }
            (form.around(&field.draw(problems)))
        }
    };
    framed_page(&frame, "Welcome", &main)
}
