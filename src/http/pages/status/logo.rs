//! The logo of a status page: its upload and its removal.

use actix_web::HttpRequest;
use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::load_page;
use crate::{
    http::{
        pages::{form::uploaded_file, prelude::*},
        procedures::status_page::{
            bodies::LogoBody,
            pages::SET_LOGO,
            wire::{PageOut, WholePageOut},
        },
    },
    pages::part::button,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route("/console/status-page/{page}/logo", |route| route.to(upload)),
        form_route("/console/status-page/{page}/logo/remove", |route| {
            route.to(remove)
        }),
    ]
}

/// The inside of the panel.
pub(super) fn draw(page: &PageOut, own: &str, problems: &Problems) -> Markup {
    let action = format!("{own}/logo");
    html! {
        @if page.has_logo { img.logo-preview src=(format!("/status/{}/logo", page.fields.slug)) alt="Current logo"; }
        form.form method="post" action=(action) enctype="multipart/form-data" {
            div.field {
                label for="logo" { "Image" }
                input #logo name="logo" type="file" required accept="image/png,image/jpeg,image/webp,image/gif" aria-describedby="logo-hint";
                p.hint #logo-hint { "PNG, JPEG, WebP or GIF, at most 128 KiB. It replaces the logo URL." }
                @for message in problems.beside("data") { p.wrong { (message) } }
            }
            p.send { button.button type="submit" { "Upload logo" } }
        }
        @if page.has_logo { (button(&format!("{action}/remove"), "Remove logo")) }
    }
}

async fn upload(
    context: PageContext,
    key: web::Path<Key>,
    request: HttpRequest,
    body: web::Bytes,
) -> Result<HttpResponse, Fault> {
    let data = STANDARD.encode(uploaded_file(request.headers(), &body));
    let form = Submission {
        context,
        key: key.into_inner(),
        sent: FormData::default(),
    };
    set(form, Some(data)).await
}

async fn remove(form: Submission) -> Result<HttpResponse, Fault> {
    set(form, None).await
}

async fn set(form: Submission, data: Option<String>) -> Result<HttpResponse, Fault> {
    // Refuses a page that the person may not see before it looks at the picture.
    load_page(&form.context, form.key.id()).await?;
    let input = LogoBody {
        status_page_id: form.key.id().to_owned(),
        data,
    };
    let outcome = form.context.ask(&SET_LOGO, input).await;
    form.finish_change::<WholePageOut>(outcome).await
}
