//! Two-factor authentication: setting it up, adding an app, new backup codes, turning it off.

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
    person.is_some_and(|person| person.second_factors.app)
}

/// Its state, with a link to its page.
pub(super) fn draw_summary(context: &PageContext) -> Markup {
    html! {
        @if is_on(context) { p { span.state.good { "On" } } p { "You sign in with your password and a code from your authenticator app." } }
        @else { p { span.state { "Off" } } p { "Protect your account with a code from an authenticator app." } }
        p { a.button href=(SecondFactor::PATH) { @if is_on(context) { "Manage two-factor authentication" } @else { (SET_UP) } } }
    }
}

/// The label of what sets it up.
const SET_UP: &str = "Set up two-factor authentication";
/// The title of the last step of the setup.
const CONFIRM: &str = "Confirm the code";

/// The second factor of the person.
struct SecondFactor {
    is_on: bool,
}

impl Resource for SecondFactor {
    const PATH: &'static str = "/console/account/factor";
    const NAV_ITEM: NavItem = NavItem::Account;

    async fn load(context: &PageContext, _: &Key) -> Result<Self, Fault> {
        Ok(Self {
            is_on: is_on(context),
        })
    }

    fn title(&self) -> &'static str {
        "Two-factor authentication"
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { (self.title()) } @if self.is_on { span.state.good { "On" } } @else { span.state { "Off" } } } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let password = Field::text("password", "Your password")
            .kind("password")
            .fills("current-password");
        let choices: &[(&str, &str)] = if self.is_on {
            &[
                ("codes", "Create new backup codes"),
                ("reveal", "Add another app"),
                ("disable", "Turn off"),
            ]
        } else {
            &[("enable", SET_UP)]
        };
        Ok(html! {
            // A code that was refused is typed again.
            @if page.sent.is_on("code") { (panel(CONFIRM, &draw_first_code())) }
            (panel(if self.is_on { "Settings" } else { SET_UP }, &html! {
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
        (copyable("Setup key", uri))
    }
}

pub(super) fn draw_backup_codes(codes: &[String]) -> Markup {
    html! {
        p { "Use a backup code when you can't use your app or passkey. Each code works once. Save them now. They aren't shown again." }
        (copyable("Backup codes", &codes.join("\n")))
    }
}

/// The form for the first code that the app shows.
fn draw_first_code() -> Markup {
    let form = Form {
        action: "/console/account/factor/code",
        send: "Turn on",
        problems: &Problems::NONE,
        fields: &[],
    };
    let field = Field::text("code", "Code from your app").fills("one-time-code");
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
        @if !uri.is_empty() { (panel("Authenticator app", &draw_uri(&uri))) }
        @if !codes.is_empty() { (panel("Backup codes", &draw_backup_codes(&codes))) }
        @if change == FactorChange::Enable { (panel(CONFIRM, &draw_first_code())) }
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
