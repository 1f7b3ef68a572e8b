//! One recipient of reports, and the preview of a report.

use std::marker::PhantomData;

use maud::PreEscaped;

use super::{
    ReportRoutes,
    names::{name_channel, name_frequency},
};
use crate::{
    actors::scheduled_reports::Frequency,
    http::{
        pages::prelude::*,
        procedures::{
            bodies::IdBody,
            scheduled_reports::{DELETE, GET_BY_ID, PREVIEW, PreviewBody, ReportOut},
        },
    },
    locale::Language,
    pages::part::panel,
};

/// The page of a recipient.
pub(super) struct ReportPage<P> {
    report: ReportOut,
    parent: PhantomData<P>,
}

impl<P: ReportRoutes> Resource for ReportPage<P> {
    const PATH: &'static str = P::ONE;
    const LIST: &'static str = P::LIST;
    const NAV_ITEM: NavItem = P::NAV_ITEM;
    const WRITE: Option<Permission> = Some(P::WRITE);
    const DELETE: Option<Action> = Some((P::DELETE, DELETE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        P::name(context, key.parent()).await?;
        let id = key.id().to_owned();
        let report = context.ask(&GET_BY_ID, IdBody { id }).await?;
        let about = report.website_id.as_ref().or(report.board_id.as_ref());
        if about.is_none_or(|id| id != key.parent()) {
            return Err(Fault::not_found("scheduled report", key.id()));
        }
        Ok(Self {
            report,
            parent: PhantomData,
        })
    }

    fn title(&self) -> &str {
        &self.report.recipient
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.report.recipient) }
                @if !self.report.is_confirmed { span.state { "Waiting for confirmation" } }
                div.actions { a href=(page.key.fill(Self::LIST)) { "Scheduled reports" } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let (kind, timezone) = (
            (self.report.frequency, self.report.language),
            self.report.timezone.as_str(),
        );
        let report = draw::<P>(page.context, page.key.parent(), kind, timezone).await?;
        Ok(html! {
            p.lead { (name_frequency(self.report.frequency)) " by " (name_channel(&self.report.kind)) " at " (self.report.hour) ":00, " (self.report.timezone) }
            (panel("Preview", &report))
            (page.deletion("Delete recipient…", "No more reports are sent there."))
        })
    }
}

/// The report of the last period, as recipients see it.
async fn draw<P: ReportRoutes>(
    context: &PageContext,
    id: &str,
    (frequency, language): (Frequency, Language),
    timezone: &str,
) -> Result<Markup, Fault> {
    let body = PreviewBody {
        dashboard: P::body(id),
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

pub(super) async fn preview<P: ReportRoutes>(
    context: PageContext,
    key: web::Path<Key>,
) -> Result<HttpResponse, Fault> {
    let name = P::name(&context, key.id()).await?;
    let named = context.parameter("frequency");
    let frequency = Frequency::parse(&named).unwrap_or_default();
    let zone = context.date_format().await?.zone;
    let kind = (frequency, Language::default());
    let report = draw::<P>(&context, key.id(), kind, zone.name()).await?;
    let path = key.fill(P::PREVIEW);
    let main = html! {
        div.title-row {
            h1 { "Preview report" }
            div.actions { a href=(key.fill(P::LIST)) { "Scheduled reports" } }
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
    let title = format!("Preview report: {name}");
    Ok(P::show(&context, P::NAV_ITEM, key.id(), &title, &main))
}
