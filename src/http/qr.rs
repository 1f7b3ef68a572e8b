//! `GET /links/<id>/qr.svg` and `.png`: the address of a short link to point a camera at.

use std::fmt::Write as _;

use actix_web::{
    HttpResponse,
    http::{Method, header::CACHE_CONTROL},
    web::{self, Data, Path, Query},
};
use maud::{Markup, html};
use qrcode::{Color, EcLevel, QrCode, render::svg};
use serde::Deserialize;
use serde_json::json;

use super::{
    Host, Shared,
    auth::Caller,
    routes::{Access, Route},
};
use crate::{
    access::{Permission, Scope, authorize},
    fault::{Fault, Issue},
    ids::HostId,
};

/// Pixels of a side when the request says nothing.
const USUAL: u32 = 512;
/// Pixels of a side.
const SIZES: std::ops::RangeInclusive<u32> = 64..=2_048;
/// Empty modules around the code: cameras need four.
const MARGIN: usize = 4;

pub(super) fn routes() -> Vec<Route> {
    let image = |path, media, service: fn(actix_web::Route) -> actix_web::Route| {
        Route::new(Method::GET, Host::Base, path, service)
            .says(
                "Draw a short link's QR code",
                "The code holds the link's whole address.",
            )
            .tagged("Links")
            .takes_as(
                "size",
                "Pixels of a side",
                json!({ "type": "integer", "minimum": 64, "maximum": 2048, "default": 512 }),
            )
            .needs(Access::Scoped(Scope::ReadLinks))
            .media(media)
    };
    vec![
        image("/links/{id}/qr.svg", "image/svg+xml", |route| {
            route.to(respond)
        }),
        image("/links/{id}/qr.png", "image/png", |route| route.to(paint)),
    ]
}

#[derive(Debug, Deserialize)]
struct SizeQuery {
    size: Option<u32>,
}

impl SizeQuery {
    fn size(&self) -> Result<u32, Fault> {
        let size = self.size.unwrap_or(USUAL);
        if SIZES.contains(&size) {
            return Ok(size);
        }
        let message = "`size` is 64 to 2,048 pixels";
        let issue = Issue::new("out_of_range", "size", message);
        Err(Fault::issues(message, vec![issue]))
    }
}

async fn respond(
    id: Path<String>,
    size: Query<SizeQuery>,
    caller: Caller,
    shared: Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let (code, size) = (code(&id, &caller, &shared).await?, size.size()?);
    let mut svg = code.render::<svg::Color<'_>>();
    let image = svg.min_dimensions(size, size).quiet_zone(true).build();
    Ok(answer("image/svg+xml", image.into_bytes()))
}

async fn paint(
    id: Path<String>,
    size: Query<SizeQuery>,
    caller: Caller,
    shared: Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let (code, size) = (code(&id, &caller, &shared).await?, size.size()?);
    let image = png(&code, size).map_err(Fault::internal)?;
    Ok(answer("image/png", image))
}

fn answer(media: &'static str, image: Vec<u8>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "private, no-cache"))
        .content_type(media)
        .body(image)
}

/// The code of a link that the caller may see.
async fn code(id: &str, caller: &Caller, shared: &web::Data<Shared>) -> Result<QrCode, Fault> {
    let link = shared.links.view().by_id(id).await?;
    let owner = link.as_ref().map(|link| &link.organization);
    authorize::owned(&caller.principal, Permission::LinkRead, ("link", id), owner)?;
    let link = link.ok_or_else(|| Fault::not_found("link", id))?;
    let host = link.host.as_ref().map(HostId::as_str);
    let address = shared.short_url(host, &link.slug);
    QrCode::with_error_correction_level(address, EcLevel::M).map_err(Fault::internal)
}

/// Black and white, as many whole pixels a module as fit.
fn png(code: &QrCode, size: u32) -> Result<Vec<u8>, png::EncodingError> {
    let modules = code.width() + 2 * MARGIN;
    let each = (size as usize / modules).max(1);
    let side = each * modules;
    let mut pixels = vec![0xff_u8; side * side];
    for (at, color) in code.to_colors().into_iter().enumerate() {
        if color == Color::Light {
            continue;
        }
        let (row, column) = (at / code.width() + MARGIN, at % code.width() + MARGIN);
        for line in row * each..(row + 1) * each {
            pixels[line * side + column * each..][..each].fill(0);
        }
    }
    let mut image = Vec::new();
    let mut encoder = png::Encoder::new(&mut image, side as u32, side as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(image)
}

/// A text as a picture inside of a page; nothing where it is too long for one.
pub(super) fn picture(text: &str, label: &str) -> Markup {
    let Ok(code) = QrCode::with_error_correction_level(text, EcLevel::M) else {
        return html! {};
    };
    let colors = code.to_colors();
    let mut path = String::new();
    for (row, line) in colors.chunks(code.width()).enumerate() {
        // Dark modules beside each other are one stroke.
        let mut column = MARGIN;
        for run in line.chunk_by(|left, right| left == right) {
            if run.contains(&Color::Dark) {
                let (row, length) = (row + MARGIN, run.len());
                let _ = write!(path, "M{column} {row}h{length}v1h-{length}z");
            }
            column += run.len();
        }
    }
    let side = code.width() + 2 * MARGIN;
    html! {
        svg.qr viewBox=(format!("0 0 {side} {side}")) role="img" aria-label=(label) shape-rendering="crispEdges" {
            path d=(path) fill="#000" {}
        }
    }
}
