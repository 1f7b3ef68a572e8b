//! Suggestions of monitors for an address, and the form that creates the selected ones.

use serde_json::{Map, Value, json};

use super::kind_label;
use crate::{
    actors::monitors::{Suggestion, Suggestions},
    fault::Issue,
    http::{
        pages::{context::reject, prelude::*},
        procedures::{uptime, uptime_suggestions::SuggestBody},
    },
    pages::{
        frame::framed_page,
        number,
        part::{Field, Form, hidden, notice, panel},
    },
};

const PATH: &str = "/console/monitors/suggest";
const CREATE_PATH: &str = "/console/monitors/suggest/create";
const TITLE: &str = "Suggest monitors";
/// The name of the address in both forms.
const ADDRESS: &str = "address";
/// The name of the boxes, whose values are the input of `createSchedule`.
const MONITOR: &str = "monitor";
/// Monitors that are created at once.
const MAX_CREATED: usize = 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        page_route(PATH, |route| route.to(show)),
        form_route(PATH, |route| route.to(suggest)),
        form_route(CREATE_PATH, |route| route.to(create)),
    ]
}

/// The form that asks for an address.
pub(super) fn draw_form(address: &str, problems: &Problems) -> Markup {
    let field = Field::text(ADDRESS, "Address").value(address);
    let field = field.hint("A URL or host. Example: example.com.");
    let form = Form {
        action: PATH,
        send: TITLE,
        problems,
        fields: &[ADDRESS],
    };
    form.around(&field.draw(problems))
}

async fn show(context: PageContext) -> HttpResponse {
    context.show(
        NavItem::Monitors,
        TITLE,
        &draw("", &Problems::NONE, &html! {}),
    )
}

async fn suggest(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let body = SuggestBody {
        organization_id: None,
        address: sent.text(ADDRESS).to_owned(),
    };
    match context.ask(&uptime::SUGGEST, body).await {
        Ok(found) => {
            let found = draw_suggestions(&found);
            let main = draw(sent.text(ADDRESS), &Problems::NONE, &found);
            Ok(context.show(NavItem::Monitors, TITLE, &main))
        }
        Err(fault) => refuse(&context, &sent, fault, &html! {}),
    }
}

/// Creates the selected monitors. What can't be created ends it; those before are there.
async fn create(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    if !context.can(Permission::MonitorWrite) {
        return Err(Fault::forbidden("Your role can't create monitors"));
    }
    let mut count = 0;
    match create_selected(&context, &sent, &mut count).await {
        Ok(()) => Ok(answer::redirect(&format!(
            "/console/monitors?created={count}"
        ))),
        Err(fault) => {
            let text = number::with_noun(count, "monitor", "monitors");
            let created =
                html! { @if count > 0 { (notice("good", &html! { (text) " created." })) } };
            refuse(&context, &sent, fault, &created)
        }
    }
}

async fn create_selected(
    context: &PageContext,
    sent: &FormData,
    count: &mut u64,
) -> Result<(), Fault> {
    let selected: Vec<&str> = sent.all(MONITOR).take(MAX_CREATED).collect();
    let inputs: Result<Vec<Map<String, Value>>, _> =
        selected.into_iter().map(serde_json::from_str).collect();
    let inputs = inputs.map_err(|_| Fault::invalid("Suggest the monitors again."))?;
    if inputs.is_empty() {
        let issue = Issue::new("missing", "", "select at least one monitor");
        return Err(Fault::issues("Invalid form", vec![issue]));
    }
    for input in inputs {
        context.submit(&uptime::CREATE_SCHEDULE, input).await?;
        *count += 1;
    }
    Ok(())
}

/// The page of the address again, with what is wrong.
fn refuse(
    context: &PageContext,
    sent: &FormData,
    fault: Fault,
    above: &Markup,
) -> Result<HttpResponse, Fault> {
    reject(fault, |problems| {
        let main = draw(sent.text(ADDRESS), problems, above);
        framed_page(&context.frame(NavItem::Monitors, None), TITLE, &main)
    })
}

/// The page of an address, with something below its form.
fn draw(address: &str, problems: &Problems, below: &Markup) -> Markup {
    html! {
        div.title-row { h1 { (TITLE) } }
        section.panel { (draw_form(address, problems)) }
        (below)
    }
}

fn draw_suggestions(found: &Suggestions) -> Markup {
    let form = html! {
        p { (found.final_url) " answered " (found.http_code) " in " (number::millis(found.response_time as f64)) "." }
        form.form method="post" action=(CREATE_PATH) {
            (hidden(ADDRESS, &found.url))
            @for (at, one) in found.suggestions.iter().enumerate() { (draw_suggestion(at, one)) }
            p.send { button.button.first type="submit" { "Create monitors" } }
        }
    };
    panel("Suggested monitors", &form)
}

/// The box of a monitor, selected unless there is such a monitor.
fn draw_suggestion(at: usize, one: &Suggestion) -> Markup {
    let id = format!("{MONITOR}-{at}");
    let hint = format!("{id}-hint");
    let input = json!(one)["monitor"].to_string();
    let name = one.monitor.name.as_deref().unwrap_or_default();
    let exists = one.schedule_id.is_some();
    html! {
        div.tick {
            input id=(id) name=(MONITOR) type="checkbox" value=(input) checked[!exists] disabled[exists] aria-describedby=(hint);
            label for=(id) { (kind_label(one.monitor.kind)) ": " (name) }
            p.hint id=(hint) { (one.reason) @if exists { " You have this monitor already." } }
            @if let Some(problem) = &one.problem { p.wrong { "Down now: " (problem) "." } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::monitors::{Kind, MonitorFields};

    #[test]
    fn monitors_are_selected_unless_they_exist_and_say_what_is_wrong() {
        let suggestion = |schedule_id: Option<&str>, problem: Option<&str>| Suggestion {
            monitor: MonitorFields {
                kind: Kind::Tls,
                url: Some("tls://acme.example:443".to_owned()),
                name: Some("acme.example <b>".to_owned()),
                ..MonitorFields::default()
            },
            reason: "It expires.".to_owned(),
            problem: problem.map(str::to_owned),
            schedule_id: schedule_id.map(str::to_owned),
        };
        let new = draw_suggestion(0, &suggestion(None, Some("it is <old>"))).into_string();
        assert!(
            new.contains(" checked") && !new.contains(" disabled"),
            "{new}"
        );
        assert!(
            new.contains("TLS certificate: acme.example &lt;b&gt;"),
            "{new}"
        );
        assert!(new.contains("Down now: it is &lt;old&gt;."), "{new}");
        assert!(
            new.contains("&quot;url&quot;:&quot;tls://acme.example:443&quot;"),
            "{new}"
        );
        let known = draw_suggestion(0, &suggestion(Some("id"), None)).into_string();
        assert!(
            !known.contains(" checked") && known.contains(" disabled"),
            "{known}"
        );
        assert!(!known.contains("Down now"), "{known}");
    }
}
