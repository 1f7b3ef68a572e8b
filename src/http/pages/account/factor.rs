//! The second factor: setting it up, showing it to a further app, new backup codes, turning it off.

use actix_web::HttpResponse;
use maud::{Markup, html};

use crate::{
    actors::organizations::{Code, FactorChange},
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
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
fn is_on(context: &PageContext) -> bool {
    let view = context.shared().organizations.view();
    let person = view.person(&context.session.user);
    person.is_some_and(|person| person.second_factor)
}

/// How it stands, and the way to it.
pub(super) fn summary(context: &PageContext) -> Markup {
    html! {
        @if is_on(context) { p { span.state.good { "on" } } p { "Signing in takes your password and a code of your authenticator app." } }
        @else { p { span.state { "off" } } p { "With it, signing in takes a code of an authenticator app as well." } }
        p { a.button href=(PATH) { @if is_on(context) { "Change it" } @else { "Set it up" } } }
    }
}

async fn show(context: PageContext) -> HttpResponse {
    let main = draw(&context, &html! {}, &Problems::NONE);
    context.show(Place::Account, TITLE, &main)
}

/// The page; what is shown once stands above.
fn draw(context: &PageContext, once: &Markup, problems: &Problems) -> Markup {
    let password = Field::text("password", "Your password")
        .kind("password")
        .fills("current-password");
    let choices: &[(&str, &str)] = if is_on(context) {
        &[
            ("codes", "New backup codes"),
            ("reveal", "Show it to a further app"),
            ("disable", "Turn it off"),
        ]
    } else {
        &[("enable", "Set it up")]
    };
    html! {
        div.title-row { h1 { (TITLE) } @if is_on(context) { span.state.good { "on" } } @else { span.state { "off" } } }
        @for said in problems.above(&["password", "code"]) { (notice("bad", &html! { (said) })) }
        (once)
        (panel(if is_on(context) { "Change it" } else { "Set it up" }, &html! {
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

async fn change(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let change = match sent.text("change") {
        "codes" => FactorChange::NewCodes,
        "reveal" => FactorChange::Reveal,
        "disable" => FactorChange::Disable,
        _ => FactorChange::Enable,
    };
    let password = sent.raw("password").to_owned();
    let shown = match manage(&context.session, context.shared(), password, change).await {
        Ok(shown) => shown,
        Err(fault) => return again(&context, fault, &html! {}),
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
    Ok(context.show(
        Place::Account,
        TITLE,
        &draw(&context, &once, &Problems::NONE),
    ))
}

async fn confirm(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let code = Code::App(sent.text("code").to_owned().into());
    let (mut seeing, caller) = (
        answer::seeing("/console/account?done=1"),
        &context.call.caller,
    );
    let proven = prove(
        &context.request,
        caller,
        context.shared(),
        code,
        &mut seeing,
    )
    .await;
    match proven {
        Ok(_) => Ok(seeing.finish()),
        Err(fault) => {
            let retry = panel("Last step", &first_code(&Problems::NONE));
            again(&context, fault, &retry)
        }
    }
}

fn again(context: &PageContext, fault: Fault, once: &Markup) -> Result<HttpResponse, Fault> {
    let (refused, problems) = told(fault)?;
    let main = draw(context, once, &problems);
    Ok(context.again(refused, Place::Account, TITLE, &main))
}
