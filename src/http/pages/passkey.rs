//! The button that signs in with a passkey. The script shows it where the browser can use it.

use maud::{Markup, html};
use serde_json::Value;

use super::{context::PublicContext, prelude::*};
use crate::{
    http::{Shared, people::passkeys::sign_in},
    locale::Texts,
    pages::part::hidden,
};

/// The name of the field that the script fills with what the browser returned.
const CREDENTIAL: &str = "credential";

/// The form around the button.
pub(super) fn draw_button(
    texts: Texts,
    shared: &Shared,
    label: &'static str,
    next: &str,
) -> Markup {
    let inside = html! {
        (hidden("next", next))
        p.provider { button.button type="submit" { (texts.label(label)) } }
    };
    html! { @if let Some(host) = shared.passkeys.host() { (draw_form(texts, ("/login/passkey", host), None, &inside)) } }
}

/// A form that the script shows on pages of the host and fills before it is sent: with a new passkey where there are options for
/// one, else with the use of one.
pub(super) fn draw_form(
    texts: Texts,
    (action, host): (&str, &str),
    options: Option<&Value>,
    inside: &Markup,
) -> Markup {
    let options = options.map(Value::to_string);
    html! {
        form method="post" action=(action) data-passkey=(host) data-options=[options] hidden {
            (hidden(CREDENTIAL, ""))
            (inside)
            p.wrong role="alert" hidden { (texts.label("Your browser didn't use a passkey. Try again.")) }
        }
    }
}

/// What a form says that the browser returned.
pub(super) fn read(sent: &FormData) -> Result<Value, Fault> {
    let message = "Your browser didn't use a passkey. Try again.";
    serde_json::from_str(sent.raw(CREDENTIAL)).map_err(|_| Fault::invalid(message))
}

/// Signs in with what the form says, and leads on.
pub(super) async fn sign_in(
    public: &PublicContext,
    sent: &FormData,
    next: &str,
) -> Result<HttpResponse, Fault> {
    let (given, caller) = (read(sent)?, &public.call.caller);
    let mut answer = answer::start_redirect(next);
    sign_in::finish(&public.request, caller, public.shared(), given, &mut answer).await?;
    Ok(answer.finish())
}
