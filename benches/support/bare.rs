//! What ingestion is compared with: actix-web alone, whose handler parses the body and answers a constant.

use std::{borrow::Cow, net::SocketAddr};

use actix_web::{
    App, HttpResponse, HttpServer, Responder,
    web::{self, Bytes},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::program::WORKERS;

/// A custom event, read as cheaply as serde can.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    dead_code,
    clippy::struct_field_names,
    reason = "only parsing the wire's names is measured"
)]
struct Event<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    properties: Option<&'a RawValue>,
    #[serde(borrow)]
    event_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    path: Option<Cow<'a, str>>,
    #[serde(borrow)]
    anonymous_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    session_id: Option<Cow<'a, str>>,
    timestamp: Option<i64>,
    #[serde(borrow)]
    website_id: Option<Cow<'a, str>>,
}

/// Serves at `address` until the process is killed.
pub(crate) async fn serve(address: SocketAddr) -> anyhow::Result<()> {
    let server = HttpServer::new(|| {
        App::new()
            .app_data(web::PayloadConfig::new(2 << 20))
            .route("/track", web::post().to(track))
    })
    .workers(WORKERS)
    .tcp_nodelay(true)
    .bind(address)?;
    server.run().await?;
    Ok(())
}

async fn track(body: Bytes) -> impl Responder {
    let count = if body.first() == Some(&b'[') {
        serde_json::from_slice::<Vec<Event<'_>>>(&body).map(|events| events.len())
    } else {
        serde_json::from_slice::<Event<'_>>(&body).map(|_| 1)
    };
    match count {
        Ok(count) => {
            std::hint::black_box(count);
            HttpResponse::Ok()
                .content_type("application/json")
                .body(r#"{"status":"success","type":"custom_event","count":1}"#)
        }
        Err(_) => HttpResponse::BadRequest().finish(),
    }
}
