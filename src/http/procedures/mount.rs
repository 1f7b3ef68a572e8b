//! Serves the table on both mounts.

use std::sync::Arc;

use actix_web::{HttpMessage, HttpRequest, HttpResponse, Resource, http::header, web};
use bytes::Bytes;
use serde_json::{Map, Value};

use super::{Call, Procedure, all};
use crate::{
    fault::{Fault, Issue},
    http::{
        Shared,
        auth::Caller,
        wire::{
            Enveloped,
            envelope::{self, Opened},
        },
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mount {
    /// `/<group>/<name>`: plain JSON.
    Plain,
    /// `/rpc/<router>/<name>`: plain JSON or the envelope.
    Rpc,
}

/// Registers every procedure twice. What only reads can be asked with `GET ?data=…` on the RPC mount; what changes
/// something cannot, because browsers send cookies along with links of other pages.
pub(in crate::http) fn mount(config: &mut web::ServiceConfig, shared: &Arc<Shared>) {
    for procedure in all() {
        let plain = format!("/{}/{}", procedure.group, procedure.name);
        config.service(resource(Mount::Plain, &plain, &procedure, shared));
        let rpc = format!("/rpc/{}/{}", procedure.router, procedure.name);
        config.service(resource(Mount::Rpc, &rpc, &procedure, shared));
    }
}

fn resource(mount: Mount, path: &str, procedure: &Procedure, shared: &Arc<Shared>) -> Resource {
    let serve = |read: fn(&HttpRequest, &[u8]) -> Result<Value, Fault>| {
        let (shared, procedure) = (Arc::clone(shared), *procedure);
        move |request: HttpRequest, caller: Caller, body: Bytes| {
            let call = Call {
                shared: Arc::clone(&shared),
                caller: caller.principal,
                address: request.extensions().get().copied(),
            };
            let given = read(&request, &body);
            answer(mount, procedure, call, request, given)
        }
    };
    let resource = web::resource(path).route(web::post().to(serve(|_, body| parse(body))));
    let (resource, allow) = if mount == Mount::Rpc && procedure.reads {
        let get = web::get().to(serve(|request, _| read_query(request.query_string())));
        (resource.route(get), "GET, POST")
    } else {
        (resource, "POST")
    };
    resource.default_service(web::to(move || async move {
        HttpResponse::MethodNotAllowed()
            .insert_header((header::ALLOW, allow))
            .finish()
    }))
}

async fn answer(
    mount: Mount,
    procedure: Procedure,
    call: Call,
    request: HttpRequest,
    given: Result<Value, Fault>,
) -> Result<HttpResponse, Fault> {
    let Opened { input, enveloped } = match given {
        Ok(value) if mount == Mount::Rpc => envelope::open(value),
        plain => Opened {
            input: plain,
            enveloped: false,
        },
    };
    if enveloped {
        request.extensions_mut().insert(Enveloped);
    }
    // Before what is wrong with the input.
    procedure.needs.admit(&call.caller)?;
    let output = procedure.invoke(call, input?).await?;
    Ok(HttpResponse::Ok().json(if enveloped {
        envelope::close(&output)
    } else {
        output
    }))
}

/// The input in a query string: `data`, as JSON.
fn read_query(query: &str) -> Result<Value, Fault> {
    envelope::data(query).map_or_else(|| parse(b""), |data| parse(data.as_bytes()))
}

/// The body as JSON; an empty one is an empty input.
pub(super) fn parse(body: &[u8]) -> Result<Value, Fault> {
    if body.trim_ascii().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    serde_json::from_slice(body).map_err(|error| {
        Fault::issues(
            "Input validation failed",
            vec![Issue::new(
                "invalid_json",
                "",
                format!("the input is not JSON: {error}"),
            )],
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_empty_body_is_an_empty_input_and_anything_else_must_be_json() {
        assert_eq!(parse(b" \n").unwrap(), json!({}));
        assert!(parse(b"{").is_err());
    }

    #[test]
    fn the_input_of_a_get_is_its_data() {
        let one = "x=1&data=%7B%22id%22%3A%22a+b%22%7D";
        assert_eq!(read_query(one).unwrap(), json!({ "id": "a b" }));
        assert_eq!(read_query("").unwrap(), json!({}));
        assert!(read_query("data={").is_err());
        assert!(envelope::asks("data=%7B%22json%22%3A1%7D"));
        assert!(!envelope::asks(one) && !envelope::asks("data=%FF"));
    }
}
