//! The person's passkeys: adding, naming and removing them.

use actix_web::http::header::{HeaderValue, SET_COOKIE};

use super::{Account, factor};
use crate::{
    actors::organizations::Passkey,
    fault::Kind,
    http::{
        pages::{passkey, prelude::*},
        people::{
            passkeys::{add, remove, rename},
            two_factor::code_texts,
        },
    },
    locale::Texts,
    pages::{
        part::{Field, Form, choice, hidden, notice, panel, time},
        time::ago,
    },
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<Passkeys>();
    routes.extend([
        form_route(Passkeys::PATH, |route| route.to(start)),
        form_route("/console/account/passkeys/add", |route| route.to(finish)),
        form_route("/console/account/passkeys/rename", |route| {
            route.to(set_name)
        }),
        form_route("/console/account/passkeys/remove", |route| {
            route.to(remove_one)
        }),
    ]);
    routes
}

async fn list(context: &PageContext) -> Result<Vec<Passkey>, Fault> {
    let user = &context.session.user;
    Ok(context.shared().records.passkeys(user).await?)
}

/// How many there are, with a link to their page.
pub(super) async fn draw_summary(context: &PageContext) -> Result<Markup, Fault> {
    let own = list(context).await?;
    Ok(html! {
        @if own.is_empty() { p { span.state { "Off" } } p { "Sign in with your fingerprint, face or screen lock instead of your password." } }
        @else { p { span.state.good { "On" } } p { @for (place, one) in own.iter().enumerate() { @if place > 0 { ", " } (one.name) } } }
        p { a.button href=(Passkeys::PATH) { @if own.is_empty() { "Add passkey" } @else { "Manage passkeys" } } }
    })
}

/// The passkeys of the person.
struct Passkeys(Vec<Passkey>);

impl Resource for Passkeys {
    const PATH: &'static str = "/console/account/passkeys";
    const NAV_ITEM: NavItem = NavItem::Account;
    const DONE: &'static str = "Changes saved.";

    async fn load(context: &PageContext, _: &Key) -> Result<Self, Fault> {
        Ok(Self(list(context).await?))
    }

    fn title(&self) -> &'static str {
        "Passkeys"
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { (self.title()) } @if !self.0.is_empty() { span.state.good { "On" } } } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let names = self.0.iter();
        let names: Vec<_> = names
            .map(|one| (one.id.as_str(), one.name.as_str()))
            .collect();
        let add = Form {
            action: Self::PATH,
            send: "Add passkey",
            problems: page.problems,
            fields: &["name", "password"],
        };
        let name = Field::text("name", "Name").example("Laptop").quiet();
        let add = add.around(&html! {
            (name.draw(page.problems))
            (password("password").draw(page.problems))
        });
        Ok(html! {
            @if self.0.is_empty() { p { "No passkeys yet." } } @else { (self.draw_table(page)) }
            div.grid {
                (panel("Add passkey", &add))
                @if !names.is_empty() {
                    (panel("Rename passkey", &small_form(&page.below("rename"), "Rename passkey", &html! {
                        (choice("renamed", "Passkey", &names, ""))
                        (Field::text("newName", "New name").draw(page.problems))
                    })))
                    (panel("Remove passkey", &small_form(&page.below("remove"), "Remove passkey", &html! {
                        (choice("removed", "Passkey", &names, ""))
                        (password("currentPassword").draw(page.problems))
                    })))
                }
            }
            p { a href=(Account::PATH) { "Your account" } }
        })
    }
}

impl Passkeys {
    fn draw_table(&self, page: &Page<'_>) -> Markup {
        let (dates, now_ms) = (page.date_format, page.now_ms);
        html! {
            table.table.sites {
                caption.hide { "Passkeys, oldest first" }
                thead { tr { th scope="col" { "Name" } th scope="col" { "Synced" } th scope="col" { "Created" } th scope="col" { "Last used" } } }
                tbody { @for one in &self.0 { tr {
                    td { span.name { (one.name) } }
                    td data-label="Synced" { @if one.is_backed_up { "Yes" } @else { "No" } }
                    td data-label="Created" { (time(one.created_ms, &dates.moment(one.created_ms), dates)) }
                    td data-label="Last used" { @match one.last_used_ms { Some(at) => (time(at, &ago(at, now_ms), dates)), None => "Never" } }
                } } }
            }
        }
    }
}

/// The field that shows that it is the person.
const fn password(name: &'static str) -> Field<'static> {
    Field::text(name, "Your password")
        .kind("password")
        .fills("current-password")
        .hint("Not needed within 10 minutes of signing in.")
        .quiet()
}

fn given(form: &Submission, name: &str) -> Option<String> {
    let password = form.sent.raw(name);
    (!password.is_empty()).then(|| password.to_owned())
}

/// Shows the button that makes the passkey.
async fn start(form: Submission) -> Result<HttpResponse, Fault> {
    let shared = form.context.shared();
    let asked = add::start(shared, &form.context.session, given(&form, "password")).await;
    let question = match asked {
        Ok(question) => question,
        Err(fault) => return form.finish::<Passkeys>(Err(fault)).await,
    };
    let host = shared.passkeys.host().unwrap_or_default();
    let target = ("/console/account/passkeys/add", host);
    let inside = html! {
        (hidden("name", form.sent.text("name")))
        p { "Your browser asks where to save the passkey." }
        p.send { button.button.first type="submit" { "Create passkey" } }
    };
    let above = panel(
        "Create the passkey",
        &html! {
            (passkey::draw_form(Texts::ENGLISH, target, Some(&question.options), &inside))
            p data-no-passkey { "Your browser can't create a passkey here. Turn JavaScript on and open this page at " code { (host) } "." }
        },
    );
    let mut response = form.finish::<Passkeys>(Ok(Reply::News(above))).await?;
    let cookie = HeaderValue::from_str(&question.cookie.1).map_err(Fault::internal)?;
    response.headers_mut().append(SET_COOKIE, cookie);
    Ok(response)
}

async fn finish(form: Submission) -> Result<HttpResponse, Fault> {
    let (context, name) = (&form.context, form.sent.text("name").to_owned());
    let outcome = match passkey::read(&form.sent) {
        Ok(given) => {
            let given = (given, name);
            add::finish(context.shared(), &context.request, &context.session, given).await
        }
        Err(fault) => Err(fault),
    };
    let outcome = outcome.map(|added| match code_texts(&added.codes).as_slice() {
        [] => Reply::Redirect(Passkeys::changed_path(&Key::default())),
        codes => Reply::News(html! {
            (notice("good", &html! { "Passkey added." }))
            (panel("Backup codes", &factor::draw_backup_codes(codes)))
        }),
    });
    form.finish::<Passkeys>(outcome).await
}

async fn set_name(form: Submission) -> Result<HttpResponse, Fault> {
    let values = ["renamed", "newName"].map(|name| form.sent.text(name).to_owned());
    let [id, name] = values;
    let outcome = rename(form.context.shared(), &form.context.session, (id, name)).await;
    let outcome = outcome.map_err(|fault| beside(fault, "newName"));
    form.finish_change::<Passkeys>(outcome).await
}

async fn remove_one(form: Submission) -> Result<HttpResponse, Fault> {
    let what = (
        form.sent.text("removed").to_owned(),
        given(&form, "currentPassword"),
    );
    let outcome = remove(form.context.shared(), &form.context.session, what).await;
    let outcome = outcome.map_err(|fault| beside(fault, "currentPassword"));
    form.finish_change::<Passkeys>(outcome).await
}

/// What is wrong with the one field of a form that the page has under another name.
fn beside(mut fault: Fault, field: &str) -> Fault {
    if let Kind::Invalid { issues } = &mut fault.kind {
        for issue in issues {
            field.clone_into(&mut issue.field);
        }
    }
    fault
}
