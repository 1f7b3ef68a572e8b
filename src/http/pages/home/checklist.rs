//! The first steps of an organization, until they are done or dismissed.

use super::attention::Attention;
use crate::{
    events::demo::DOMAIN,
    http::{
        pages::{cookies, prelude::*},
        procedures::{
            bodies::WebsiteIdBody,
            goals,
            websites::{WebsiteOut, charts::ChartsOut},
        },
    },
    pages::{
        frame::site_path,
        part::{button, panel},
    },
};

const COOKIE: &str = "pharos_checklist";

pub(super) fn routes() -> Vec<Route> {
    vec![form_route("/console/checklist/dismiss", |route| {
        route.to(dismiss)
    })]
}

/// A step: its label, its address, and whether it is done.
struct Step {
    label: &'static str,
    path: String,
    is_done: bool,
}

pub(super) struct Checklist(Vec<Step>);

impl Checklist {
    /// The steps, if some are open and the person may take them.
    pub(super) async fn load(
        context: &PageContext,
        charts: &ChartsOut,
        attention: &Attention,
    ) -> Option<Self> {
        let is_dismissed = cookies::read(&context.request, COOKIE).is_some();
        if is_dismissed || !context.can(Permission::WebsiteManage) {
            return None;
        }
        let website = find_website(charts);
        let site = website.map(|website| site_path(&website.id));
        let below = |last: &str| match &site {
            Some(site) => format!("{site}/{last}"),
            None => "/console/sites/new".to_owned(),
        };
        let step = |label, path: String, is_done| Step {
            label,
            path,
            is_done,
        };
        let steps = vec![
            step("Add website", below("settings"), website.is_some()),
            step(
                "Install the script and receive the first event",
                below("setup"),
                website.is_some_and(|website| has_data(charts, website)),
            ),
            step(
                "Create goal",
                below("goals/new"),
                has_goals(context, website).await,
            ),
            step(
                "Create monitor",
                "/console/monitors/new".to_owned(),
                !attention.monitors.is_empty(),
            ),
            step(
                "Create alert",
                "/console/alarms/new".to_owned(),
                !attention.alarms.is_empty(),
            ),
        ];
        steps
            .iter()
            .any(|step| !step.is_done)
            .then_some(Self(steps))
    }

    pub(super) fn draw(&self) -> Markup {
        let done = self.0.iter().filter(|step| step.is_done).count();
        let next = self.0.iter().position(|step| !step.is_done);
        panel(
            "Get started",
            &html! {
                p.dim { (done) " of " (self.0.len()) " steps done" }
                ol.checklist {
                    @for (place, step) in self.0.iter().enumerate() {
                        li {
                            @if step.is_done { span.state.good { span.hide { "Done: " } (step.label) } }
                            @else if Some(place) == next { a.button.first href=(step.path) { (step.label) } }
                            @else { a href=(step.path) { (step.label) } }
                        }
                    }
                }
                (button("/console/checklist/dismiss", "Dismiss checklist"))
            },
        )
    }
}

fn has_data(charts: &ChartsOut, website: &WebsiteOut) -> bool {
    let chart = charts.chart_data.get(&website.id);
    chart.is_some_and(|chart| chart.has_any_data)
}

/// The website that the steps are about: one with data, or the first.
fn find_website(charts: &ChartsOut) -> Option<&WebsiteOut> {
    let mut own: Vec<&WebsiteOut> = charts.websites.iter().collect();
    own.retain(|website| website.domain != DOMAIN);
    let active = own
        .iter()
        .copied()
        .find(|website| has_data(charts, website));
    active.or(own.last().copied())
}

async fn has_goals(context: &PageContext, website: Option<&WebsiteOut>) -> bool {
    let Some(website) = website else {
        return false;
    };
    let body = WebsiteIdBody {
        website_id: website.id.clone(),
    };
    let goals = context.ask(&goals::LIST, body).await;
    goals.is_ok_and(|goals| !goals.is_empty())
}

async fn dismiss(context: PageContext) -> HttpResponse {
    let mut answer = answer::start_redirect("/");
    cookies::keep(context.shared(), &mut answer, (COOKIE, "done")).finish()
}
