//! Every route.

use std::collections::HashSet;

use pharos::{
    access::Scope,
    http::{
        Host,
        routes::{Access, Route},
        tables,
    },
};
use reqwest::Method;
use serde_json::json;

use super::{Caller, Matrix};
use crate::{app::Answer, cast::Proof};

/// One call of a route, with parameters that mean nothing.
async fn call(matrix: &Matrix, route: &Route, proof: &Proof) -> u16 {
    call_about(matrix, route, proof, "").await
}

/// The same about a website: some events have none.
async fn call_about(matrix: &Matrix, route: &Route, proof: &Proof, website: &str) -> u16 {
    let app = &matrix.cast.app;
    let host = match route.host {
        Host::Base => &app.base,
        Host::Track => &app.track,
        Host::Links => &app.links,
    };
    let mut path = String::new();
    for piece in route.path.split('{') {
        path.push_str(piece.split_once('}').map_or(piece, |(_, rest)| rest));
        path.push('x');
    }
    path.pop();
    if !website.is_empty() {
        path.extend(["?website_id=", website, "&client_id=", website]);
    }
    let method = Method::from_bytes(route.method.as_str().as_bytes()).unwrap();
    let request = app.http.request(method, format!("{host}{path}"));
    let request = match route.method.as_str() {
        "GET" => request,
        _ => request.json(&json!({ "name": "x", "parameters": ["country"], "preset": "today" })),
    };
    Answer::send(proof.on(request)).await.status
}

#[actix::test]
async fn every_route_answers_everybody_as_the_table_says() {
    let matrix = Matrix::open().await;
    let mut seen = HashSet::new();
    for route in tables() {
        let place = format!("{} {:?} {}", route.method, route.host, route.path);
        assert!(seen.insert(place.clone()), "{place} is declared twice");
        for dead in [&matrix.revoked, &matrix.expired] {
            let answered = call(&matrix, &route, dead).await;
            // The image is an image whatever happens.
            let expected = if route.may_fail { 401 } else { answered };
            assert_eq!(answered, expected, "{place}");
        }
        let scope = match route.access {
            Access::Public => continue,
            // Neither keys nor sessions: only a token of an identity provider, or of a probe.
            Access::Session | Access::Scim | Access::Probe => None,
            Access::AnyKey | Access::Known => {
                let nobody = call(&matrix, &route, &Proof::Nobody).await;
                assert_eq!(nobody, 401, "{place}");
                let any = matrix.cast.key(&[Scope::TrackEvents]).await;
                let answered = call(&matrix, &route, &any).await;
                assert!(![401, 403].contains(&answered), "{place}: {answered}");
                continue;
            }
            Access::Scoped(scope) | Access::Keyed(scope) => Some(scope),
            Access::Ingest => Some(Scope::TrackEvents),
        };
        if !route.may_fail {
            continue;
        }
        let nobody = call(&matrix, &route, &Proof::Nobody).await;
        assert_eq!(nobody, 401, "{place}");
        if scope.is_some() {
            let others = matrix.proof(Caller::Others, scope).await;
            let answered = call(&matrix, &route, &others).await;
            // What a path names may be looked for first, and there is none.
            let unseen = route.path.contains('{') && answered == 404;
            assert!(answered == 403 || unseen, "{place}: {answered}");
            let right = matrix.proof(Caller::Right, scope).await;
            let answered = call_about(&matrix, &route, &right, &matrix.cast.app.website).await;
            assert!(![401, 403].contains(&answered), "{place}: {answered}");
        } else {
            let every = matrix.cast.key(&Scope::ALL).await;
            let answered = call(&matrix, &route, &every).await;
            assert!([401, 403].contains(&answered), "{place}: {answered}");
        }
    }
    for route in tables() {
        let plain = route.path.split(':').next().unwrap();
        let known = matrix.document["paths"].as_object().unwrap().keys();
        assert!(
            known.into_iter().any(|path| path.starts_with(plain)),
            "{plain}"
        );
    }
    matrix.cast.app.finish().await;
}
