//! `GET /px.jpg`: events of pages that may not run scripts' requests.
//!
//! The answer is always the image. A broken picture on a customer's page helps no one, so a refusal is shown nowhere
//! but in our own figures; [`shield`] makes images of the refusals that no handler sees.

use actix_web::{
    HttpRequest, HttpResponse,
    dev::ServiceRequest,
    error::InternalError,
    http::{Method, header::HeaderName},
    web::Data,
};

use super::{authorize::Sender, named::website_id};
use crate::{
    events::accept::{Context, IMAGE, pixel},
    fault::Fault,
    http::{Host, Shared, auth::Caller, edge::Answer},
};

pub(super) const PATH: &str = "/px.jpg";

/// Pages that isolate themselves show pictures of others only with this.
const ANY_PAGE: (HeaderName, &str) = (
    HeaderName::from_static("cross-origin-resource-policy"),
    "cross-origin",
);

fn image() -> HttpResponse {
    // `Cache-Control: no-store` comes from the edge, as everywhere.
    HttpResponse::Ok()
        .content_type("image/gif")
        .insert_header(ANY_PAGE)
        .body(IMAGE)
}

pub(super) async fn pixel(
    request: HttpRequest,
    caller: Caller,
    shared: Data<Shared>,
) -> Result<HttpResponse, Fault> {
    if request.method() == Method::HEAD {
        // A check whether there is an image; no page was seen.
        return Ok(image());
    }
    let sender = Sender::new(&shared, &request, &caller);
    let grant = sender.ask_website(website_id(&request).as_deref()).await?;
    let visit = sender.visit().await?;
    if sender.is_left_out(&visit, &grant) {
        return Ok(image());
    }
    let context = Context {
        visit: &visit,
        target: grant.target(),
    };
    sender
        .append(pixel::accept(request.query_string(), &context)?)
        .await?;
    Ok(image())
}

/// Whatever goes wrong with the image, the answer is the image.
pub(in crate::http) async fn shield(
    host: Host,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Answer,
) -> Answer {
    let is_pixel = host == Host::Track
        && request.match_info().as_str() == PATH
        && matches!(*request.method(), Method::GET | Method::HEAD);
    let answer = next(request).await;
    if !is_pixel {
        return answer;
    }
    match answer {
        Ok(response) if response.status().is_success() => Ok(response),
        Ok(response) => Ok(response.into_response(image())),
        Err(_) => Err(InternalError::from_response("", image()).into()),
    }
}
