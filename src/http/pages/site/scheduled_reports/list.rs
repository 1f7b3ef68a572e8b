//! All recipients of a website's reports, with the form of a new one.

use crate::{
    actors::{delivery::ChannelKind, scheduled_reports::Frequency},
    http::{
        pages::{
            form::{Empty, Kind},
            prelude::*,
            resource::submit,
        },
        procedures::{
            bodies::WebsiteIdBody,
            scheduled_reports::{CREATE, LIST, ReportOut},
        },
    },
    locale::Language,
    pages::{
        part::{Heading, empty, notice, panel, resource_table, time},
        time::moment,
    },
};

/// Frequencies with their names.
const FREQUENCIES: &[(&str, &str)] = &[
    ("weekly", "Weekly"),
    ("daily", "Daily"),
    ("monthly", "Monthly"),
];

/// Kinds of channels with their names.
const CHANNELS: &[(&str, &str)] = &[
    ("email", "Email"),
    ("slack", "Slack"),
    ("discord", "Discord"),
    ("teams", "Microsoft Teams"),
    ("telegram", "Telegram"),
];

fn name_in(names: &[(&'static str, &'static str)], own: &str) -> &'static str {
    let mut names = names.iter().filter(|(value, _)| *value == own);
    names.next().map_or("", |(_, name)| name)
}

pub(super) fn name_frequency(frequency: Frequency) -> &'static str {
    name_in(FREQUENCIES, frequency.as_str())
}

pub(super) fn name_channel(kind: ChannelKind) -> &'static str {
    name_in(CHANNELS, kind.as_str())
}

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

/// The recipients of a website's reports, with the form of a new one.
pub(super) struct NewReport;

impl Creation for NewReport {
    type Resource = ReportOut;
    const PATH: &'static str = ReportOut::LIST;
    const TITLE: &'static str = "Scheduled reports";
    const SEND: &'static str = "Add recipient";
    const FORM: &'static [Section] = FORM;
    const CREATE: Procedure = CREATE.erase();

    fn blank(_: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        let zone = inputs.date_format.zone.name();
        inputs.fill(&serde_json::json!({ "timezone": zone, "hour": 8 }))
    }

    async fn draw(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let (context, site) = (draft.context, draft.key.id());
        let website_id = site.to_owned();
        let all = context.ask(&LIST, WebsiteIdBody { website_id }).await?;
        let form = Self::draw_form(draft, problems).await?;
        let preview = format!("{}/preview", draft.key.fill(ReportOut::LIST));
        let sends_mail = context.shared().scheduled_reports.sends_mail();
        Ok(html! {
            div.title-row {
                h1 { (Self::TITLE) }
                div.actions { a.button href=(preview) { "Preview report" } }
            }
            @if context.parameter("done") == "1" { (notice("good", &html! { "Recipient added." })) }
            @if !sends_mail {
                (notice("note", &html! { "Email isn't configured. Set " code { "mail.smtp_url" } " or choose another channel." }))
            }
            section.panel {
                @if all.is_empty() {
                    (empty("No scheduled reports yet", &html! { p { "Send visitors, top pages, sources and countries to an inbox or a channel: daily, weekly or monthly." } }))
                } @else { (draw_table(site, &all, draft.inputs.date_format)) }
            }
            (panel("Add recipient", &form))
        })
    }

    async fn create(draft: &Draft<'_>) -> Result<HttpResponse, Fault> {
        submit::<Self>(draft).await?;
        let path = draft.context.request.path();
        Ok(answer::redirect(&format!("{path}?done=1")))
    }
}

fn draw_table(site: &str, all: &[ReportOut], date_format: &DateFormat) -> Markup {
    let headings =
        ["Recipient", "Channel", "Frequency", "Status", "Next report"].map(Heading::Text);
    let rows = html! {
        @for report in all { tr {
            td { a.name href=(ReportOut::path(&[site, &report.id])) { (report.recipient) } }
            td data-label="Channel" { (name_channel(report.kind)) }
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
