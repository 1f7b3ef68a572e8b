//! `GET /v1/query/websites`.

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use super::{query::answer, target::may_list};
use crate::{
    access::authorize,
    clock::iso_ms,
    fault::Fault,
    http::{Shared, auth::Caller},
};

pub(super) async fn list(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    may_list(&caller.principal)?;
    let view = shared.websites.view();
    let mut websites: Vec<Value> = Vec::new();
    for organization in caller.principal.organizations() {
        for website in view.owned_by(organization) {
            let proof = authorize::read_website(&caller.principal, Some(&website.site()));
            if proof.is_ok_and(|proof| !proof.public_only()) {
                websites.push(json!({
                    "id": website.id,
                    "name": website.name,
                    "domain": website.domain,
                    "isPublic": website.is_public,
                    "createdAt": iso_ms(website.created_ms),
                }));
            }
        }
    }
    let total = websites.len();
    Ok(answer(
        &request,
        json!({ "success": true, "websites": websites, "total": total }),
    ))
}

pub(super) fn schema() -> Value {
    json!({
        "type": "object", "required": ["success", "websites", "total"],
        "properties": {
            "success": { "const": true }, "requestId": { "type": "string" },
            "websites": { "type": "array", "items": {
                "type": "object", "required": ["id", "name", "domain", "isPublic", "createdAt"],
                "properties": {
                    "id": { "type": "string" }, "name": { "type": "string" }, "domain": { "type": "string" },
                    "isPublic": { "type": "boolean" }, "createdAt": { "type": "string", "format": "date-time" },
                },
            } },
            "total": { "type": "integer" },
        },
    })
}
