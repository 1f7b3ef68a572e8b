//! The account of the person: name, password, two-factor authentication, passkeys, sessions, connected apps, date format, deletion.

mod apps;
mod factor;
mod passkeys;
mod preferences;
mod sessions;

pub(super) use apps::{Place, draw_apps};

use crate::{
    http::{
        pages::{prelude::*, providers},
        people::{account, cookie, identities},
    },
    pages::part::{Field, checkbox, confirm, panel},
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<Account>();
    routes.extend([
        form_route("/console/account/name", |route| route.to(rename)),
        form_route("/console/account/password", |route| {
            route.to(change_password)
        }),
        form_route("/console/account/unlink", |route| route.to(unlink)),
        form_route("/console/account/delete", |route| route.to(delete)),
    ]);
    routes.extend(preferences::routes());
    routes.extend(sessions::routes());
    routes.extend(apps::routes());
    routes.extend(factor::routes());
    routes.extend(passkeys::routes());
    routes
}

/// The account of the person.
struct Account;

impl Resource for Account {
    const PATH: &'static str = "/console/account";
    const NAV_ITEM: NavItem = NavItem::Account;
    const DONE: &'static str = "Changes saved.";

    async fn load(_: &PageContext, _: &Key) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn title(&self) -> &'static str {
        "Your account"
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        let frame = page.context.frame(Self::NAV_ITEM, None);
        html! { div.title-row { h1 { (self.title()) } span.dim { (frame.email) } } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let (context, problems) = (page.context, page.problems);
        let frame = context.frame(Self::NAV_ITEM, None);
        let secret = |name, label, fills| {
            let field = Field::text(name, label).kind("password").fills(fills);
            field.draw(problems)
        };
        let name = Field::text("name", "Name").value(&frame.person);
        // Password managers learn from it whose password it is.
        let whose = html! { input type="text" name="email" value=(frame.email) autocomplete="username" readonly hidden; };
        let passwords = html! {
            (whose)
            (secret("currentPassword", "Current password", "current-password"))
            (secret("newPassword", "New password", "new-password"))
            (checkbox("others", "Sign out of all other sessions", true))
        };
        let linked = context
            .shared()
            .records
            .identities(&context.session.user)
            .await?;
        Ok(html! {
            div.grid {
                (panel("Name", &small_form(&page.below("name"), "Save name", &name.fills("name").draw(problems))))
                (panel("Date and time", &preferences::draw(page).await?))
                (panel("Password", &small_form(&page.below("password"), "Change password", &passwords)))
                (panel("Two-factor authentication", &factor::draw_summary(context)))
                @if context.shared().passkeys.host().is_some() { (panel("Passkeys", &passkeys::draw_summary(context).await?)) }
                @if context.shared().federation.providers.iter().next().is_some() || !linked.is_empty() {
                    (panel("Linked sign-ins", &providers::draw_links(context, &linked, page.date_format)?))
                }
            }
            (panel("Active sessions", &sessions::draw(context, page.date_format)?))
            (panel("Connected apps", &apps::draw(context, page.date_format).await?))
            (panel(resource::DANGER, &confirm(
                "Delete account…",
                "Your sessions and memberships end immediately. API keys that you created stop working. Invitations that you sent are canceled. Data of an organization stays there. The only owner of an organization can't delete their account.",
                &page.below("delete"),
                "Delete account",
                &html! { (whose) (secret("password", "Your password", "current-password")) },
            )))
        })
    }
}

async fn rename(form: Submission) -> Result<HttpResponse, Fault> {
    let name = form.sent.text("name").to_owned();
    let outcome = account::rename_person(form.context.shared(), &form.context.session, name).await;
    form.finish_change::<Account>(outcome).await
}

async fn change_password(form: Submission) -> Result<HttpResponse, Fault> {
    let [current, new] =
        ["currentPassword", "newPassword"].map(|name| form.sent.raw(name).to_owned());
    let (shared, others) = (form.context.shared(), form.sent.is_on("others"));
    let signed_in =
        account::set_password(shared, &form.context.session, current, new, others).await;
    let outcome = signed_in.map(|signed_in| {
        let mut answer = answer::start_redirect(&Account::changed_path(&Key::default()));
        cookie::sign_in(&mut answer, shared, &signed_in, true).finish()
    });
    form.finish::<Account>(outcome.map(Reply::Response)).await
}

async fn unlink(form: Submission) -> Result<HttpResponse, Fault> {
    let id = form.sent.text("id").to_owned();
    let (shared, session) = (form.context.shared(), &form.context.session);
    let outcome = identities::unlink_identity(shared, session, id).await;
    form.finish_change::<Account>(outcome).await
}

async fn delete(form: Submission) -> Result<HttpResponse, Fault> {
    let password = form.sent.raw("password").to_owned();
    let deleted =
        account::delete_account(form.context.shared(), &form.context.session, password).await;
    let outcome = deleted.map(|_| {
        let mut answer = answer::start_redirect("/login?done=gone");
        let cookie = cookie::removed(form.context.shared());
        answer.insert_header(cookie).finish()
    });
    form.finish::<Account>(outcome.map(Reply::Response)).await
}
