//! The second factor: setting it up, showing it to a further app, new backup codes, turning it off.

use actix_web::HttpResponse;
use maud::{Markup, html};

use crate::{
    actors::organizations::{Code, FactorChange},
    fault::Fault,
    http::{
        pages::{
            answer,
            form::Sent,
            page, sent,
            visit::{Visit, told},
        },
        people::two_factor::{manage, prove, texts},
        qr,
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, copied, notice, panel},
        problem::Problems,
    },
};

const PATH: &str = "/console/account/factor";
const TITLE: &str = "Second factor";

pub(super) fn routes() -> Vec<Route> {
    vec![
        page(PATH, |route| route.to(show)),
        sent(PATH, |route| route.to(change)),
        sent("/console/account/factor/code", |route| route.to(confirm)),
    ]
}

/// Whether the person is asked for a code beside the password.
fn is_on(visit: &Visit) -> bool {
    let view = visit.shared().organizations.view();
    let person = view.person(&visit.session.user);
    person.is_some_and(|person| person.second_factor)
}

/// How it stands, and the way to it.
pub(super) fn summary(visit: &Visit) -> Markup {
    html! {
        @if is_on(visit) { p { span.state.good { "on" } } p { "Signing in takes your password and a code of your authenticator app." } }
        @else { p { span.state { "off" } } p { "With it, signing in takes a code of an authenticator app as well." } }
        p { a.button href=(PATH) { @if is_on(visit) { "Change it" } @else { "Set it up" } } }
    }
}

async fn show(visit: Visit) -> HttpResponse {
    let main = draw(&visit, &html! {}, &Problems::NONE);
    visit.show(Place::Account, TITLE, &main)
}

/// The page; what is shown once stands above.
fn draw(visit: &Visit, once: &Markup, problems: &Problems) -> Markup {
    let password = Field::text("password", "Your password")
        .kind("password")
        .fills("current-password");
    let choices: &[(&str, &str)] = if is_on(visit) {
        &[
            ("codes", "New backup codes"),
            ("reveal", "Show it to a further app"),
            ("disable", "Turn it off"),
        ]
    } else {
        &[("enable", "Set it up")]
    };
    html! {
        div.title-row { h1 { (TITLE) } @if is_on(visit) { span.state.good { "on" } } @else { span.state { "off" } } }
        @for said in problems.above(&["password", "code"]) { (notice("bad", &html! { (said) })) }
        (once)
        (panel(if is_on(visit) { "Change it" } else { "Set it up" }, &html! {
            form.form method="post" action=(PATH) {
                (password.draw(problems))
                p.send { @for (value, label) in choices {
                    button.button type="submit" name="change" value=(value) { (label) } " "
                } }
            }
        }))
        p { a href=(super::PATH) { "Your account" } }
    }
}

/// What an app reads: a picture, and the same as text.
fn picture(uri: &str) -> Markup {
    html! {
        (qr::picture(uri, "QR code for authenticator apps"))
        (copied("The same as text", uri))
    }
}

fn backup(codes: &[String]) -> Markup {
    html! {
        p { "Each of these codes is good once, for when the app is not at hand. Nobody can see them again: keep them, now." }
        (copied("Backup codes", &codes.join("\n")))
    }
}

/// Where the first code is typed that the app shows.
fn first_code(problems: &Problems) -> Markup {
    let form = Form {
        action: "/console/account/factor/code",
        send: "Turn it on",
        problems: &Problems::NONE,
        fields: &["code"],
    };
    let field = Field::text("code", "Code that the app shows").fills("one-time-code");
    form.around(&field.draw(problems))
}

async fn change(visit: Visit, sent: Sent) -> Result<HttpResponse, Fault> {
    let change = match sent.text("change") {
        "codes" => FactorChange::NewCodes,
        "reveal" => FactorChange::Reveal,
        "disable" => FactorChange::Disable,
        _ => FactorChange::Enable,
    };
    let password = sent.raw("password").to_owned();
    let shown = match manage(&visit.session, visit.shared(), password, change).await {
        Ok(shown) => shown,
        Err(fault) => return again(&visit, fault, &html! {}),
    };
    if change == FactorChange::Disable {
        return Ok(answer::see("/console/account?done=1"));
    }
    let (uri, codes) = texts(&shown);
    let once = html! {
        @if !uri.is_empty() { (panel("For the authenticator app", &picture(&uri))) }
        @if !codes.is_empty() { (panel("Backup codes", &backup(&codes))) }
        @if change == FactorChange::Enable { (panel("Last step", &first_code(&Problems::NONE))) }
    };
    Ok(visit.show(Place::Account, TITLE, &draw(&visit, &once, &Problems::NONE)))
}

async fn confirm(visit: Visit, sent: Sent) -> Result<HttpResponse, Fault> {
    let code = Code::App(sent.text("code").to_owned().into());
    let (mut seeing, caller) = (
        answer::seeing("/console/account?done=1"),
        &visit.call.caller,
    );
    let proven = prove(&visit.request, caller, visit.shared(), code, &mut seeing).await;
    match proven {
        Ok(_) => Ok(seeing.finish()),
        Err(fault) => {
            let retry = panel("Last step", &first_code(&Problems::NONE));
            again(&visit, fault, &retry)
        }
    }
}

fn again(visit: &Visit, fault: Fault, once: &Markup) -> Result<HttpResponse, Fault> {
    let (refused, problems) = told(fault)?;
    let main = draw(visit, once, &problems);
    Ok(visit.again(refused, Place::Account, TITLE, &main))
}
