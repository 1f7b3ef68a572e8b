//! One alert: its state, its settings, its tests, and the form of a new one.

use serde_json::json;

use super::{
    KINDS, SECRET, SHOWN_ONCE, backtest::run_backtest, conditions, deliveries, destinations,
    draw_state, fields, new_secrets,
};
use crate::{
    actors::{alarms::Phase, delivery::ChannelKind},
    http::{
        pages::{prelude::*, resource::id_input},
        procedures::{
            alarms::{self, AcknowledgeBody, RotateBody},
            alarms_wire::{AlarmOut, StandingOut},
            uptime,
            uptime_wire::ScheduleOut,
        },
    },
    pages::{
        frame::Choice,
        number,
        part::{button, confirm, copyable, hidden, notice, panel, time},
        time::moment,
    },
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<AlarmOut>();
    routes.extend([
        form_route("/console/alarm/{alarm}/test", |route| route.to(test)),
        form_route("/console/alarm/{alarm}/acknowledge", |route| {
            route.to(acknowledge)
        }),
        form_route("/console/alarm/{alarm}/rotate", |route| route.to(rotate)),
    ]);
    routes
}

impl Resource for AlarmOut {
    const PATH: &'static str = "/console/alarm/{alarm}";
    const LIST: &'static str = "/console/alarms";
    const NAV_ITEM: NavItem = NavItem::Alerts;
    const ID: &'static str = "alarmId";
    const WRITE: Option<Permission> = Some(Permission::AlarmWrite);
    const FORM: &'static [Section] = fields::FORM;
    const DONE: &'static str = "Done.";
    const UPDATE: Option<Procedure> = Some(alarms::UPDATE.erase());
    const DELETE: Option<Action> = Some(("/console/alarm/{alarm}/delete", alarms::DELETE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let input = id_input::<Self>(key);
        context.submit(&alarms::GET, input).await
    }

    fn title(&self) -> &str {
        &self.fields.name
    }

    fn kind(&self) -> &'static str {
        self.fields.trigger_type.as_str()
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        fields::fill(self, inputs)
    }

    /// Runs a backtest of the settings, or saves them.
    async fn change(&self, edit: &Edit<'_>) -> Result<Reply, Fault> {
        let (context, sent) = (edit.context, edit.sent);
        if sent.is_on("backtest") {
            let past = run_backtest(context, fields::read_trigger(sent)?).await?;
            return Ok(Reply::Preview(past));
        }
        let can_write = context.can(Permission::AlarmWrite);
        let mut body = fields::read(sent, edit.inputs.date_format, can_write)?;
        body.insert("alarmId".to_owned(), json!(edit.key.id()));
        let alarm = context.submit(&alarms::UPDATE, body).await?;
        let secrets = new_secrets(&alarm).map(Reply::News);
        Ok(secrets.unwrap_or_else(|| Reply::Redirect(Self::changed_path(edit.key))))
    }

    async fn choices(context: &PageContext) -> Result<Choices, Fault> {
        let choices = Choices::default().with("websiteId", context.websites());
        let view = context.shared().alarms.view();
        let channels = destinations::channels(view.channels(), view.sends_mail());
        let choices = choices
            .with(destinations::CHANNELS, channels)
            .with_channels(view.channels().clone());
        Ok(choices.with(conditions::MONITORS, monitors(context).await?))
    }

    fn draw_inputs(
        inputs: &Inputs<'_>,
        sent: &FormData,
        choices: &Choices,
        problems: &Problems,
    ) -> Markup {
        fields::draw(inputs, sent, choices, problems)
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.fields.name) }
                (draw_state(self))
                @if page.can_change { div.actions { (button(&page.below("test"), "Send test")) } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let messages =
            deliveries::draw(page.context, self, page.can_change, page.date_format).await?;
        Ok(html! {
            (panel("Status", &draw_standings(self, page)))
            (panel("Messages", &messages))
            @if page.can_change {
                div.grid {
                    (page.settings())
                    (panel(resource::DANGER, &html! { div.rows {
                        @for to in self.destinations.iter().filter(|to| to.kind.as_str() == ChannelKind::WEBHOOK) {
                            (confirm(&format!("Rotate secret of {}…", to.identifier), "Messages are signed with both secrets for one day. The new secret is shown once.", &page.below("rotate"), "Rotate secret", &hidden("destination", &to.id)))
                        }
                        (confirm("Delete alert…", "If the alert is firing, its channels get a message that it is resolved.", &page.below("delete"), "Delete alert", &html! {}))
                    } }))
                }
            }
        })
    }
}

/// The monitors that an alarm can be limited to.
async fn monitors(context: &PageContext) -> Result<Vec<Choice>, Fault> {
    let all = context.ask(&uptime::LIST_SCHEDULES, uptime::ListBody::default());
    let choice = |monitor: ScheduleOut| {
        let fields = monitor.fields;
        let names = [fields.name, fields.url, Some(monitor.id.clone())];
        let name = names.into_iter().flatten().find(|name| !name.is_empty());
        Choice {
            id: monitor.id,
            name: name.unwrap_or_default(),
        }
    };
    Ok(all.await?.into_iter().map(choice).collect())
}

/// The state of an alarm about one subject, in a word.
fn draw_standing(standing: &StandingOut) -> Markup {
    let (class, word) = match standing.status {
        Phase::Firing => ("bad", "Firing"),
        Phase::Recovering => ("warn", "Recovering"),
        Phase::Pending => ("warn", "Pending"),
        Phase::Quiet => ("good", "OK"),
    };
    html! { span class={ "state " (class) } { (word) } @if standing.acknowledged { span.dim { " acknowledged" } } }
}

fn draw_standings(alarm: &AlarmOut, page: &Page<'_>) -> Markup {
    let date_format = page.date_format;
    html! {
        @if alarm.standings.is_empty() { p.dim { "No alerts yet. This page shows what fires and when it is resolved." } }
        @else {
            table.table.sites {
                caption.hide { "Status by subject" }
                thead { tr { th scope="col" { "Subject" } th scope="col" { "Status" } th scope="col" { "Since" } th scope="col" { span.hide { "Actions" } } } }
                tbody { @for one in &alarm.standings { tr {
                    td { span.name { @if one.name.is_empty() { (alarm.fields.name) } @else { (one.name) } } span.dim { (date_format.localize_times(&one.evidence)) } }
                    td { (draw_standing(one)) }
                    td data-label="Since" { @match one.since.as_deref().and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => span.dim { (number::NONE) } } }
                    td { @if page.can_change && one.status.is_firing() && !one.acknowledged {
                        form.plain method="post" action=(page.below("acknowledge")) {
                            (hidden("subject", &one.subject))
                            button.button.small type="submit" { "Acknowledge" }
                        }
                    } }
                } } }
            }
        }
        @for to in &alarm.destinations { @if let Some(why) = &to.disabled {
            (notice("warn", &html! { "Messages to " (to.kind.as_str()) " " (to.identifier) " are disabled: " (why) ". Save the settings to try again." }))
        } }
    }
}

/// The title of the page after a creation that made secrets.
const CREATED: &str = "Alert created";

pub(super) struct NewAlarm;

impl Creation for NewAlarm {
    type Resource = AlarmOut;
    const PATH: &'static str = "/console/alarms/new";
    const TITLE: &'static str = "Create alert";
    const PREVIEW: &'static str = "backtest";
    const CREATE: Procedure = alarms::CREATE.erase();

    fn kind<'a>(context: &'a PageContext, sent: &'a FormData) -> &'a str {
        let about = context.parameter("about");
        let known = KINDS.iter().find(|(kind, _)| *kind == about);
        let kind = sent.some("triggerType").or(known.map(|(kind, _)| *kind));
        kind.unwrap_or(KINDS[0].0)
    }

    fn blank(_: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        fields::blank(inputs)
    }

    async fn draw(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let past = if draft.sent.is_on(Self::PREVIEW) && problems.is_empty() {
            run_backtest(draft.context, fields::read_trigger(draft.sent)?).await?
        } else {
            html! {}
        };
        let form = Self::draw_form(draft, problems).await?;
        Ok(html! {
            div.title-row {
                h1 { (Self::TITLE) }
                nav.tabs aria-label="Alert type" {
                    @for (kind, label) in KINDS {
                        a href=(format!("{}?about={kind}", Self::PATH)) aria-current=[(kind == draft.inputs.kind).then_some("true")] { (label) }
                    }
                }
            }
            (past)
            section.panel { (form) }
        })
    }

    async fn create(draft: &Draft<'_>) -> Result<HttpResponse, Fault> {
        let context = draft.context;
        let can_write = context.can(Permission::AlarmWrite);
        let body = fields::read(draft.sent, draft.inputs.date_format, can_write)?;
        let alarm = context.submit(&alarms::CREATE, body).await?;
        let path = AlarmOut::path(&[&alarm.id]);
        let Some(secrets) = new_secrets(&alarm) else {
            return Ok(answer::redirect(&path));
        };
        let main = html! {
            div.title-row { h1 { (CREATED) } }
            (secrets)
            p { a.button href=(path) { "View alert" } }
        };
        Ok(context.show(NavItem::Alerts, CREATED, &main))
    }
}

async fn test(form: Submission) -> Result<HttpResponse, Fault> {
    let input = id_input::<AlarmOut>(&form.key);
    let tests = form.context.submit(&alarms::TEST, input).await;
    let news = tests.map(|tests| Reply::News(html! {
        @for one in &tests.results {
            @if one.success { (notice("good", &html! { (one.channel.as_str()) ": test delivered." })) }
            @else { (notice("bad", &html! { (one.channel.as_str()) ": " (one.error.as_deref().unwrap_or("the test wasn't delivered")) })) }
        }
    }));
    form.finish::<AlarmOut>(news).await
}

async fn acknowledge(form: Submission) -> Result<HttpResponse, Fault> {
    let input = AcknowledgeBody {
        alarm_id: form.key.id().to_owned(),
        subject: form.sent.some("subject").map(str::to_owned),
    };
    let outcome = form.context.change(&alarms::ACKNOWLEDGE, input).await;
    form.finish_change::<AlarmOut>(outcome).await
}

async fn rotate(form: Submission) -> Result<HttpResponse, Fault> {
    let input = RotateBody {
        alarm_id: form.key.id().to_owned(),
        destination_id: form.sent.text("destination").to_owned(),
    };
    let fresh = form.context.change(&alarms::ROTATE_SECRET, input).await;
    let news = fresh.map(|fresh| {
        Reply::News(html! {
            (notice("good", &html! { p { strong { "Secret rotated. " } (SHOWN_ONCE) } }))
            section.panel { (copyable(SECRET, &fresh.secret)) }
        })
    });
    form.finish::<AlarmOut>(news).await
}
