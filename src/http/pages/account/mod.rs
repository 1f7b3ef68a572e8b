//! The account of the person: name, password, second factor, sessions, date format, deletion.

mod factor;
mod preferences;
mod sessions;

use crate::{
    http::{
        pages::prelude::*,
        people::{account, cookie},
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
        form_route("/console/account/delete", |route| route.to(delete)),
    ]);
    routes.extend(preferences::routes());
    routes.extend(sessions::routes());
    routes.extend(factor::routes());
    routes
}

/// The account of the person.
struct Account;

impl Resource for Account {
    const PATH: &'static str = "/console/account";
    const NAV_ITEM: NavItem = NavItem::Account;
    const OTHERS: &'static [&'static str] = &[
        "name",
        "currentPassword",
        "newPassword",
        "password",
        "timezone",
        "dateFormat",
        "timeFormat",
    ];
    const DONE: &'static str = "Done.";

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
        let name = Field::text("name", "What you are called").value(&frame.person);
        let passwords = html! {
            (secret("currentPassword", "Current password", "current-password"))
            (secret("newPassword", "New password", "new-password"))
            (checkbox("others", "Sign out everywhere else", true))
        };
        Ok(html! {
            div.grid {
                (panel("Name", &small_form(&page.below("name"), "Save", &name.fills("name").draw(problems))))
                (panel("How you read times", &preferences::draw(page).await?))
                (panel("Password", &small_form(&page.below("password"), "Change it", &passwords)))
                (panel("Second factor", &factor::draw_summary(context)))
            }
            (panel("Where you are signed in", &sessions::draw(context, page.date_format)?))
            (panel("Delete", &confirm(
                "Delete your account…",
                "Your sessions and memberships end at once. API keys that you made stop working, and invitations that you sent are canceled. What belongs to an organization stays there. The only owner of an organization cannot go.",
                &page.below("delete"),
                "Delete it",
                &secret("password", "Your password", "current-password"),
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
