//! The second factor: setting it up, showing it to a further app, new backup codes, turning it off.

use super::Account;
use crate::{
    actors::organizations::{Code, FactorChange, FactorSecrets},
    http::{
        pages::prelude::*,
        people::two_factor::{manage, prove, texts},
        qr,
    },
    pages::part::{Field, Form, copyable, panel},
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<SecondFactor>();
    routes.extend([
        form_route(SecondFactor::PATH, |route| route.to(change)),
        form_route("/console/account/factor/code", |route| route.to(confirm)),
    ]);
    routes
}

/// Whether the sign-in needs a code beside the password.
fn is_on(context: &PageContext) -> bool {
    let view = context.shared().organizations.view();
    let person = view.person(&context.session.user);
    person.is_some_and(|person| person.second_factor)
}

/// Its state, with a link to its page.
pub(super) fn draw_summary(context: &PageContext) -> Markup {
    html! {
        @if is_on(context) { p { span.state.good { "on" } } p { "Signing in takes your password and a code of your authenticator app." } }
        @else { p { span.state { "off" } } p { "With it, signing in takes a code of an authenticator app as well." } }
        p { a.button href=(SecondFactor::PATH) { @if is_on(context) { "Change it" } @else { "Set it up" } } }
    }
}

/// The second factor of the person.
struct SecondFactor {
    is_on: bool,
}

impl Resource for SecondFactor {
    const PATH: &'static str = "/console/account/factor";
    const NAV_ITEM: NavItem = NavItem::Account;
    const OTHERS: &'static [&'static str] = &["password", "code"];

    async fn load(context: &PageContext, _: &Key) -> Result<Self, Fault> {
        Ok(Self {
            is_on: is_on(context),
        })
    }

    fn title(&self) -> &'static str {
        "Second factor"
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { (self.title()) } @if self.is_on { span.state.good { "on" } } @else { span.state { "off" } } } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let password = Field::text("password", "Your password")
            .kind("password")
            .fills("current-password");
        let choices: &[(&str, &str)] = if self.is_on {
            &[
                ("codes", "New backup codes"),
                ("reveal", "Show it to a further app"),
                ("disable", "Turn it off"),
            ]
        } else {
            &[("enable", "Set it up")]
        };
        Ok(html! {
            // A code that was refused is typed again.
            @if page.sent.is_on("code") { (panel("Last step", &draw_first_code())) }
            (panel(if self.is_on { "Change it" } else { "Set it up" }, &html! {
                form.form method="post" action=(Self::PATH) {
                    (password.draw(page.problems))
                    p.send { @for (value, label) in choices {
                        button.button type="submit" name="change" value=(value) { (label) } " "
                    } }
                }
            }))
            p { a href=(Account::PATH) { "Your account" } }
        })
    }
}

/// The address for an app, as a picture and as text.
fn draw_uri(uri: &str) -> Markup {
    html! {
        (qr::picture(uri, "QR code for authenticator apps"))
        (copyable("The same as text", uri))
    }
}

fn draw_backup_codes(codes: &[String]) -> Markup {
    html! {
        p { "Each of these codes is good once, for when the app is not at hand. Nobody can see them again: keep them, now." }
        (copyable("Backup codes", &codes.join("\n")))
    }
}

/// The form for the first code that the app shows.
fn draw_first_code() -> Markup {
    let form = Form {
        action: "/console/account/factor/code",
        send: "Turn it on",
        problems: &Problems::NONE,
        fields: &[],
    };
    let field = Field::text("code", "Code that the app shows").fills("one-time-code");
    form.around(&field.draw(&Problems::NONE))
}

async fn change(form: Submission) -> Result<HttpResponse, Fault> {
    let change = match form.sent.text("change") {
        "codes" => FactorChange::NewCodes,
        "reveal" => FactorChange::Reveal,
        "disable" => FactorChange::Disable,
        _ => FactorChange::Enable,
    };
    let password = form.sent.raw("password").to_owned();
    let shown = manage(
        &form.context.session,
        form.context.shared(),
        password,
        change,
    )
    .await;
    let outcome = shown.map(|shown| match change {
        FactorChange::Disable => Reply::Redirect(Account::changed_path(&Key::default())),
        _ => Reply::News(draw_secrets(change, &shown)),
    });
    form.finish::<SecondFactor>(outcome).await
}

/// The secrets of a change, which are shown once.
fn draw_secrets(change: FactorChange, shown: &FactorSecrets) -> Markup {
    let (uri, codes) = texts(shown);
    html! {
        @if !uri.is_empty() { (panel("For the authenticator app", &draw_uri(&uri))) }
        @if !codes.is_empty() { (panel("Backup codes", &draw_backup_codes(&codes))) }
        @if change == FactorChange::Enable { (panel("Last step", &draw_first_code())) }
    }
}

async fn confirm(form: Submission) -> Result<HttpResponse, Fault> {
    let code = Code::App(form.sent.text("code").to_owned().into());
    let (request, caller) = (&form.context.request, &form.context.call.caller);
    let mut seeing = answer::start_redirect(&Account::changed_path(&Key::default()));
    let proven = prove(request, caller, form.context.shared(), code, &mut seeing).await;
    let outcome = proven.map(|_| Reply::Response(seeing.finish()));
    form.finish::<SecondFactor>(outcome).await
}
