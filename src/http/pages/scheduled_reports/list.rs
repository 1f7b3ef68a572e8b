//! All recipients of the reports of a website or a board, with the form of a new one.

use std::marker::PhantomData;

use serde_json::{Map, Value};

use super::{
    ReportRoutes,
    names::{CHANNELS, FREQUENCIES, name_channel, name_frequency},
    show::ReportPage,
};
use crate::{
    http::{
        pages::{
            form::{Empty, Kind},
            prelude::*,
            resource::submit,
        },
        procedures::scheduled_reports::{CREATE, LIST, ReportOut},
    },
    locale::Language,
    pages::{
        part::{Heading, empty, notice, panel, resource_table, time},
        time::moment,
    },
};

const LANGUAGES: &[(&str, &str)] = &Language::NAMES;

const FORM: &[Section] = &[
    Section::plain(&[
        Input::choice("frequency", "Frequency", FREQUENCIES),
        Input::choice("type", "Channel", CHANNELS),
        Input::line("recipient", "Recipient")
            .hint("An email address, the webhook URL of Slack, Discord or Teams, or a Telegram chat ID.")
            .required(),
        Input::choice("language", "Language", LANGUAGES).empty(Empty::Omit),
        Input::line("timezone", "Time zone")
            .hint("Example: Europe/Berlin. Default: UTC.")
            .empty(Empty::Omit),
        Input::new(Kind::Number(23), "hour", "Hour")
            .hint("0 to 23. Default: 8.")
            .empty(Empty::Omit),
    ]),
    Section::behind(
        "Telegram",
        &[Input::line("token", "Bot token").empty(Empty::Omit)],
    ),
];

/// The recipients of a dashboard's reports, with the form of a new one.
pub(super) struct NewReport<P>(PhantomData<P>);

impl<P: ReportRoutes> Creation for NewReport<P> {
    type Resource = ReportPage<P>;
    const PATH: &'static str = P::LIST;
    const TITLE: &'static str = "Scheduled reports";
    const SEND: &'static str = "Add recipient";
    const FORM: &'static [Section] = FORM;
    const CREATE: Procedure = CREATE.erase();

    fn blank(_: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        let zone = inputs.date_format.zone.name();
        inputs.fill(&serde_json::json!({ "timezone": zone, "hour": 8 }))
    }

    async fn draw(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let (context, id) = (draft.context, draft.key.id());
        let all = context.ask(&LIST, P::body(id)).await?;
        let form = Self::draw_form(draft, problems).await?;
        let preview = draft.key.fill(P::PREVIEW);
        let sends_mail = context.shared().scheduled_reports.sends_mail();
        Ok(html! {
            div.title-row {
                h1 { (Self::TITLE) }
                div.actions { a.button href=(preview) { "Preview report" } }
            }
            (P::back(id))
            @if context.parameter("done") == "1" { (notice("good", &html! { "Recipient added." })) }
            @if !sends_mail {
                (notice("note", &html! { "Email isn't configured. Set " code { "mail.smtp_url" } " or choose another channel." }))
            }
            section.panel {
                @if all.is_empty() {
                    (empty("No scheduled reports yet", &html! { p { (P::ABOUT) } }))
                } @else { (draw_table::<P>(id, &all, draft.inputs.date_format)) }
            }
            (panel("Add recipient", &form))
        })
    }

    async fn read(draft: &Draft<'_>) -> Result<Map<String, Value>, Fault> {
        let mut input = draft.inputs.read(draft.sent)?;
        input.insert(P::ID.to_owned(), draft.key.id().into());
        Ok(input)
    }

    async fn create(draft: &Draft<'_>) -> Result<HttpResponse, Fault> {
        submit::<Self>(draft).await?;
        let path = draft.context.request.path();
        Ok(answer::redirect(&format!("{path}?done=1")))
    }
}

fn draw_table<P: ReportRoutes>(id: &str, all: &[ReportOut], date_format: &DateFormat) -> Markup {
    let headings =
        ["Recipient", "Channel", "Frequency", "Status", "Next report"].map(Heading::Text);
    let rows = html! {
        @for report in all { tr {
            td { a.name href=(ReportPage::<P>::path(&[id, &report.id])) { (report.recipient) } }
            td data-label="Channel" { (name_channel(&report.kind)) }
            td data-label="Frequency" { (name_frequency(report.frequency)) }
            td data-label="Status" { @if report.is_confirmed { "Active" } @else { "Waiting for confirmation" } }
            td data-label="Next report" {
                @match report.next_at.as_deref().and_then(moment) {
                    Some(at) => (time(at, &date_format.moment(at), date_format)),
                    None => "–",
                }
            }
        } }
    };
    resource_table("Recipients, oldest first", &headings, &rows)
}
