//! A person's own account: name, password, second factor, sessions, how times are read, the end.

mod factor;
mod preferences;
mod sessions;

use actix_web::HttpResponse;
use maud::{Markup, html};

use super::{
    answer,
    context::{PageContext, told},
    form::FormData,
    page, sent,
};
use crate::{
    fault::Fault,
    http::{
        people::{account, cookie},
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, confirm, notice, panel, tick},
        problem::Problems,
    },
};

const PATH: &str = "/console/account";
const TITLE: &str = "Your account";

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![
        page(PATH, |route| route.to(show)),
        sent("/console/account/name", |route| route.to(rename)),
        sent("/console/account/password", |route| route.to(password)),
        sent("/console/account/delete", |route| route.to(delete)),
    ];
    routes.extend(preferences::routes());
    routes.extend(sessions::routes());
    routes.extend(factor::routes());
    routes
}

/// Fields that say beside themselves what is wrong with them.
const NAMES: [&str; 7] = [
    "name",
    "currentPassword",
    "newPassword",
    "password",
    "timezone",
    "dateFormat",
    "timeFormat",
];

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let main = draw(&context, &Problems::NONE).await?;
    Ok(context.show(Place::Account, TITLE, &main))
}

async fn draw(context: &PageContext, problems: &Problems) -> Result<Markup, Fault> {
    let frame = context.frame(Place::Account, None);
    let date_format = context.date_format().await?;
    // What no field is there for is said above the page.
    let calm = Problems::NONE;
    let form = |action, send| Form {
        action,
        send,
        problems: &calm,
        fields: &NAMES,
    };
    let secret = |name, label, fills| {
        let field = Field::text(name, label).kind("password").fills(fills);
        field.draw(problems)
    };
    Ok(html! {
        div.title-row { h1 { (TITLE) } span.dim { (frame.email) } }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Done." })) }
        @for said in problems.above(&NAMES) { (notice("bad", &html! { (said) })) }
        div.grid {
            (panel("Name", &form("/console/account/name", "Save").around(&html! {
                (Field::text("name", "What you are called").value(&frame.person).fills("name").draw(problems))
            })))
            (panel("How you read times", &preferences::draw(context, problems).await?))
            (panel("Password", &form("/console/account/password", "Change it").around(&html! {
                (secret("currentPassword", "Current password", "current-password"))
                (secret("newPassword", "New password", "new-password"))
                (tick("others", "Sign out everywhere else", true))
            })))
            (panel("Second factor", &factor::summary(context)))
        }
        (panel("Where you are signed in", &sessions::draw(context, &date_format)?))
        (panel("Delete", &confirm(
            "Delete your account…",
            "Your sessions and memberships end at once. API keys that you made stop working, and invitations that you sent are canceled. What belongs to an organization stays there. The only owner of an organization cannot go.",
            "/console/account/delete",
            "Delete it",
            &secret("password", "Your password", "current-password"),
        )))
    })
}

/// The way back to the page, or the page with what is wrong.
async fn done(context: &PageContext, outcome: Result<(), Fault>) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(()) => Ok(answer::see("/console/account?done=1")),
        Err(fault) => refused(context, fault).await,
    }
}

async fn refused(context: &PageContext, fault: Fault) -> Result<HttpResponse, Fault> {
    let (refused, problems) = told(fault)?;
    let main = draw(context, &problems).await?;
    Ok(context.again(refused, Place::Account, TITLE, &main))
}

async fn rename(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let name = sent.text("name").to_owned();
    let outcome = account::rename_person(context.shared(), &context.session, name).await;
    done(&context, outcome).await
}

async fn password(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let [current, new] = ["currentPassword", "newPassword"].map(|name| sent.raw(name).to_owned());
    let (shared, others) = (context.shared(), sent.is_on("others"));
    match account::set_password(shared, &context.session, current, new, others).await {
        Ok(signed_in) => {
            let mut answer = answer::seeing("/console/account?done=1");
            Ok(cookie::sign_in(&mut answer, shared, &signed_in, true).finish())
        }
        Err(fault) => refused(&context, fault).await,
    }
}

async fn delete(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let password = sent.raw("password").to_owned();
    match account::delete_account(context.shared(), &context.session, password).await {
        Ok(_) => Ok(answer::seeing("/login?done=gone")
            .insert_header(cookie::removed(context.shared()))
            .finish()),
        Err(fault) => refused(&context, fault).await,
    }
}
