//! `PUT /v1/imports/{importId}/content`: the next part of a file of events, streamed to the disk.

use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, http::Method, web};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use serde::Deserialize;
use serde_json::json;

use super::{
    Host, Shared,
    auth::Caller,
    procedures::{Call, imports::find_import},
    routes::{Access, Route},
};
use crate::{
    access::Scope,
    fault::{Fault, Issue},
    ids::ImportId,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::PUT, Host::Base, "/v1/imports/{importId}/content", |route| route.to(upload))
            .says(
                "Upload a file of events",
                "The next part of an import's file, in one request or in many. `offset` is how many bytes are uploaded; another one is refused with 409. What has come of a request that breaks off stays: get the import, and continue there.",
            )
            .tagged("Organizations")
            .needs(Access::Scoped(Scope::ManageWebsites))
            .takes_as("offset", "Bytes that are uploaded already", json!({ "type": "integer", "minimum": 0 }))
            .file()
            .or(409)
            .answers(json!({
                "type": "object", "required": ["uploaded"],
                "properties": { "uploaded": { "type": "integer", "description": "Bytes that are uploaded now" } },
            })),
    ]
}

#[derive(Debug, Deserialize)]
struct UploadParameters {
    offset: Option<u64>,
}

async fn upload(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
    id: web::Path<String>,
    query: web::Query<UploadParameters>,
    payload: web::Payload,
) -> Result<HttpResponse, Fault> {
    let call = Call {
        shared: shared.into_inner(),
        caller: caller.principal,
        address: request.extensions().get().copied(),
    };
    let import = find_import(&call, &id).await?;
    let Some(offset) = query.offset else {
        let message = "`offset` is required: how many bytes are uploaded already";
        return Err(Fault::issues(
            message,
            vec![Issue::new("required", "offset", message)],
        ));
    };
    let uploaded = store(&call.shared, (&import.id, offset), payload).await?;
    Ok(HttpResponse::Ok().json(json!({ "uploaded": uploaded })))
}

/// Writes a body behind what is uploaded; how many bytes are there then. What has come of a body that breaks off stays.
pub(super) async fn store<E: Into<actix_web::Error>>(
    shared: &Shared,
    (id, offset): (&ImportId, u64),
    mut body: impl Stream<Item = Result<Bytes, E>> + Unpin,
) -> Result<u64, Fault> {
    let mut upload = shared.imports.view().open_upload(id, offset).await?;
    while let Some(bytes) = body.next().await {
        let Ok(bytes) = bytes else {
            upload.finish().await?;
            return Err(Fault::invalid(
                "The upload broke off. Get the import, and continue at what is uploaded",
            ));
        };
        upload.write(&bytes).await?;
    }
    Ok(upload.finish().await?)
}
