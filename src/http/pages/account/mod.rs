//! A person's own account: name, password, second factor, sessions, how times are read, the end.

mod factor;
mod preferences;
mod sessions;

use actix_web::HttpResponse;
use maud::{Markup, html};

use super::{
    answer,
    form::Sent,
    page, sent,
    visit::{Visit, told},
};
use crate::{
    fault::Fault,
    http::{
        people::{account, cookie},
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, notice, panel, sure, tick},
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

async fn show(visit: Visit) -> Result<HttpResponse, Fault> {
    let main = draw(&visit, &Problems::NONE).await?;
    Ok(visit.show(Place::Account, TITLE, &main))
}

async fn draw(visit: &Visit, problems: &Problems) -> Result<Markup, Fault> {
    let frame = visit.frame(Place::Account, None);
    let date_format = visit.date_format().await?;
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
        @if visit.parameter("done") == "1" { (notice("good", &html! { "Done." })) }
        @for said in problems.above(&NAMES) { (notice("bad", &html! { (said) })) }
        div.grid {
            (panel("Name", &form("/console/account/name", "Save").around(&html! {
                (Field::text("name", "What you are called").value(&frame.person).fills("name").draw(problems))
            })))
            (panel("How you read times", &preferences::draw(visit, problems).await?))
            (panel("Password", &form("/console/account/password", "Change it").around(&html! {
                (secret("currentPassword", "Current password", "current-password"))
                (secret("newPassword", "New password", "new-password"))
                (tick("others", "Sign out everywhere else", true))
            })))
            (panel("Second factor", &factor::summary(visit)))
        }
        (panel("Where you are signed in", &sessions::draw(visit, &date_format)?))
        (panel("Delete", &sure(
            "Delete your account…",
            "Your sessions and memberships end at once. API keys that you made stop working, and invitations that you sent are canceled. What belongs to an organization stays there. The only owner of an organization cannot go.",
            "/console/account/delete",
            "Delete it",
            &secret("password", "Your password", "current-password"),
        )))
    })
}

/// The way back to the page, or the page with what is wrong.
async fn done(visit: &Visit, outcome: Result<(), Fault>) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(()) => Ok(answer::see("/console/account?done=1")),
        Err(fault) => refused(visit, fault).await,
    }
}

async fn refused(visit: &Visit, fault: Fault) -> Result<HttpResponse, Fault> {
    let (refused, problems) = told(fault)?;
    let main = draw(visit, &problems).await?;
    Ok(visit.again(refused, Place::Account, TITLE, &main))
}

async fn rename(visit: Visit, sent: Sent) -> Result<HttpResponse, Fault> {
    let name = sent.text("name").to_owned();
    let outcome = account::renamed(visit.shared(), &visit.session, name).await;
    done(&visit, outcome).await
}

async fn password(visit: Visit, sent: Sent) -> Result<HttpResponse, Fault> {
    let [current, new] = ["currentPassword", "newPassword"].map(|name| sent.raw(name).to_owned());
    let (shared, others) = (visit.shared(), sent.is_on("others"));
    match account::new_password(shared, &visit.session, current, new, others).await {
        Ok(signed_in) => {
            let mut answer = answer::seeing("/console/account?done=1");
            Ok(cookie::sign_in(&mut answer, shared, &signed_in, true).finish())
        }
        Err(fault) => refused(&visit, fault).await,
    }
}

async fn delete(visit: Visit, sent: Sent) -> Result<HttpResponse, Fault> {
    let password = sent.raw("password").to_owned();
    match account::delete_account(visit.shared(), &visit.session, password).await {
        Ok(_) => Ok(answer::seeing("/login?done=gone")
            .insert_header(cookie::removed(visit.shared()))
            .finish()),
        Err(fault) => refused(&visit, fault).await,
    }
}
