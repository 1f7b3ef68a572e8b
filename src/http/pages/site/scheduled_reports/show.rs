//! One recipient of a website's reports, and the preview of a report.

use maud::PreEscaped;

use super::list::{name_channel, name_frequency};
use crate::{
    actors::scheduled_reports::Frequency,
    http::{
        pages::{prelude::*, site::site_name},
        procedures::{
            bodies::IdBody,
            scheduled_reports::{DELETE, GET_BY_ID, PREVIEW, PreviewBody, ReportOut},
        },
    },
    locale::Language,
    pages::part::panel,
};

const PREVIEW_PATH: &str = "/console/site/{id}/scheduled-reports/preview";

pub(super) fn routes() -> Vec<Route> {
    vec![page_route(PREVIEW_PATH, |route| route.to(preview))]
}

impl Resource for ReportOut {
    const PATH: &'static str = "/console/site/{id}/scheduled-report/{report}";
    const LIST: &'static str = "/console/site/{id}/scheduled-reports";
    const NAV_ITEM: NavItem = NavItem::ScheduledReports;
    const WRITE: Option<Permission> = Some(Permission::WebsiteConfigure);
    const DELETE: Option<Action> = Some((
        "/console/site/{id}/scheduled-report/{report}/delete",
        DELETE.erase(),
    ));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let website = context.website(key.parent()).await?;
        let id = key.id().to_owned();
        let report = context.ask(&GET_BY_ID, IdBody { id }).await?;
        if report.website_id != website.id {
            return Err(Fault::not_found("scheduled report", key.id()));
        }
        Ok(report)
    }

    fn title(&self) -> &str {
        &self.recipient
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.recipient) }
                @if !self.is_confirmed { span.state { "Waiting for confirmation" } }
                div.actions { a href=(page.key.fill(Self::LIST)) { "Scheduled reports" } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let report = draw(
            page.context,
            &self.website_id,
            (self.frequency, self.language),
            &self.timezone,
        )
        .await?;
        Ok(html! {
            p.lead { (name_frequency(self.frequency)) " by " (name_channel(self.kind)) " at " (self.hour) ":00, " (self.timezone) }
            (panel("Preview", &report))
            (page.deletion("Delete recipient…", "No more reports are sent there."))
        })
    }
}

/// The report of the last period, as recipients see it.
async fn draw(
    context: &PageContext,
    website: &str,
    (frequency, language): (Frequency, Language),
    timezone: &str,
) -> Result<Markup, Fault> {
    let body = PreviewBody {
        website_id: website.to_owned(),
        frequency,
        timezone: Some(timezone.to_owned()),
        language,
    };
    let report = context.ask(&PREVIEW, body).await?;
    Ok(html! {
        div.rows {
            p.dim { "Subject: " (report.title) }
            // Its texts are escaped where they are put into it.
            div.preview.said { (PreEscaped(report.html)) }
            details.behind { summary { "Plain text" } pre tabindex="0" { (report.text) } }
        }
    })
}

async fn preview(context: PageContext, key: web::Path<Key>) -> Result<HttpResponse, Fault> {
    let website = context.website(key.id()).await?;
    let named = context.parameter("frequency");
    let frequency = Frequency::parse(&named).unwrap_or_default();
    let zone = context.date_format().await?.zone;
    let kind = (frequency, Language::default());
    let report = draw(&context, &website.id, kind, zone.name()).await?;
    let path = key.fill(PREVIEW_PATH);
    let main = html! {
        div.title-row {
            h1 { "Preview report" }
            div.actions { a href=(key.fill(ReportOut::LIST)) { "Scheduled reports" } }
        }
        section.panel {
            div.rows {
                nav.tabs aria-label="Frequency" {
                    @for one in [Frequency::Daily, Frequency::Weekly, Frequency::Monthly] {
                        a href=(format!("{path}?frequency={}", one.as_str())) aria-current=[(one == frequency).then_some("true")] { (name_frequency(one)) }
                    }
                }
                (report)
            }
        }
    };
    let title = format!("Preview report: {}", site_name(&website));
    Ok(context.show_site(NavItem::ScheduledReports, &website.id, &title, &main))
}
