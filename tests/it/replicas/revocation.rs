//! What was taken away opens nothing anywhere, from the moment of the answer on (threat T11, drill F18).

use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    time::Instant,
};

use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use url::form_urlencoded::Serializer;

use super::fleet::{Fleet, REPLICAS, rounds};
use crate::{app::Answer, oauth::flow};

/// Requests that run at the same time while something is revoked.
const CLIENTS: usize = 6;

/// A new key, made at this program: its id and secret.
async fn key(fleet: &Fleet, replica: usize) -> (String, String) {
    let fields = json!({
        "name": "drill", "scopes": ["read:data"], "organizationId": fleet.organization,
    });
    let made = fleet.as_owner(replica, "/apikeys/create", &fields).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let text = |name: &str| made.body[name].as_str().unwrap().to_owned();
    (text("id"), text("secret"))
}

fn list(fleet: &Fleet) -> Value {
    json!({ "websiteId": fleet.website })
}

#[actix::test]
async fn a_key_that_was_taken_away_starts_nothing_anywhere_once_that_was_answered() {
    let Some(mut fleet) = Fleet::start(&[("PHAROS__LIMITS__KEY_REQUESTS", "0")]).await else {
        return;
    };
    fleet.sign_in().await;
    let ways = ["revoke", "rotate", "delete", "update", "revoke", "revoke"];
    for (round, path) in ways
        .into_iter()
        .cycle()
        .take(ways.len() * rounds())
        .enumerate()
    {
        let (id, secret) = key(&fleet, round).await;
        // Known everywhere at once.
        for replica in &fleet.replicas {
            let answer = fleet
                .ask(&replica.base, &secret, "/goals/list", &list(&fleet))
                .await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        if round % ways.len() == 4 {
            // What Redis knew is gone; what is missing is read from the database.
            fleet.redis.stop();
            fleet.redis.again();
            fleet.back().await;
        }
        let (over, fleet) = (AtomicBool::new(false), &fleet);
        let clients = join_all((0..CLIENTS).map(|_| async {
            let mut seen = Vec::new();
            while !over.load(SeqCst) {
                let began = Instant::now();
                let answer = fleet
                    .ask(&fleet.proxy, &secret, "/goals/list", &list(fleet))
                    .await;
                seen.push((began, answer.status));
            }
            seen
        }));
        let revoked = async {
            let mut body = json!({ "id": id });
            if path == "update" {
                body["enabled"] = json!(false);
            }
            let answer = fleet
                .as_owner(round + 1, &format!("/apikeys/{path}"), &body)
                .await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            let at = Instant::now();
            for _ in 0..10 {
                for replica in &fleet.replicas {
                    let answer = fleet
                        .ask(&replica.base, &secret, "/goals/list", &list(fleet))
                        .await;
                    assert_eq!(answer.status, 401, "{path}: {}", answer.text);
                }
            }
            over.store(true, SeqCst);
            at
        };
        let (seen, at) = join(clients, revoked).await;
        let seen: Vec<_> = seen.into_iter().flatten().collect();
        let later = seen.iter().filter(|(began, _)| *began > at);
        assert!(later.clone().count() > 0, "nobody asked behind it");
        assert!(
            later.clone().all(|(_, status)| *status == 401),
            "{path}: {later:?}"
        );
        assert!(
            seen.iter().all(|(_, status)| [200, 401].contains(status)),
            "{seen:?}"
        );
    }
    fleet.finish();
}

#[actix::test]
async fn a_session_is_good_everywhere_at_once_and_over_everywhere_at_once() {
    let Some(fleet) = Fleet::start(&[]).await else {
        return;
    };
    let who = async |replica: usize, cookie: &str| {
        let url = format!(
            "{}/api/auth/get-session",
            fleet.replicas[replica % REPLICAS].base
        );
        Answer::send(fleet.plain().get(url).header("cookie", cookie))
            .await
            .body
    };
    for round in 0..REPLICAS {
        let cookie = fleet.cookie(round).await;
        for replica in 0..REPLICAS {
            assert!(
                who(replica, &cookie).await["user"].is_object(),
                "{round} {replica}"
            );
        }
        let base = &fleet.replicas[(round + 1) % REPLICAS].base;
        let out = fleet
            .plain()
            .post(format!("{base}/api/auth/sign-out"))
            .json(&json!({}));
        let out = Answer::send(out.header("cookie", &cookie).header("origin", base)).await;
        assert_eq!(out.status, 200, "{}", out.text);
        for replica in 0..REPLICAS {
            assert_eq!(
                who(replica, &cookie).await,
                Value::Null,
                "{round} {replica}"
            );
        }
    }
    fleet.finish();
}

/// A form that one of the programs is sent without a session.
async fn post_form(fleet: &Fleet, replica: usize, path: &str, pairs: &[(&str, &str)]) -> Answer {
    let body = Serializer::new(String::new()).extend_pairs(pairs).finish();
    let base = &fleet.replicas[replica % REPLICAS].base;
    let request = fleet.plain().post(format!("{base}{path}"));
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    Answer::send(request.body(body)).await
}

/// An app that the owner has connected, each step at another program: its client ID and its tokens.
async fn connect(fleet: &Fleet, round: usize) -> (String, String, String) {
    let base = &fleet.replicas[round % REPLICAS].base;
    let metadata = json!({ "redirect_uris": [flow::REDIRECT_URI] });
    let request = fleet.plain().post(format!("{base}/oauth/register"));
    let client = Answer::send(request.json(&metadata)).await;
    let client = client.body["client_id"].as_str().unwrap().to_owned();
    let page = fleet.visit(round + 1, &flow::question(&client, &[])).await;
    let request = flow::sealed(&page.text);
    let form = [
        ("request", request.as_str()),
        ("organization", &fleet.organization),
        ("decision", "allow"),
        ("scopes", "read:data"),
    ];
    let allowed = fleet.submit(round + 2, flow::CONSENT, &form).await;
    assert_eq!(allowed.status, 303, "{}", allowed.text);
    let code = flow::parameter(allowed.header("location"), "code").unwrap();
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", client.as_str()),
        ("code", &code),
        ("code_verifier", flow::VERIFIER),
    ];
    let tokens = post_form(fleet, round, "/oauth/token", &form).await;
    assert_eq!(tokens.status, 200, "{}", tokens.text);
    let text = |name: &str| tokens.body[name].as_str().unwrap().to_owned();
    (client, text("access_token"), text("refresh_token"))
}

/// Ends the access of an app at the program of this number, in one of the ways.
async fn end(fleet: &Fleet, round: usize, way: &str, (client, refresh): (&str, &str)) {
    let form = [
        ("grant_type", "refresh_token"),
        ("client_id", client),
        ("refresh_token", refresh),
    ];
    match way {
        "person" => {
            let apps = fleet.visit(round, "/api/auth/list-apps").await;
            let body = json!({ "id": apps.body[0]["id"] });
            let ended = fleet.as_owner(round, "/api/auth/revoke-app", &body).await;
            assert_eq!(ended.status, 200, "{}", ended.text);
        }
        "app" => {
            let ended = post_form(fleet, round, "/oauth/revoke", &[("token", refresh)]).await;
            assert_eq!(ended.status, 200, "{}", ended.text);
        }
        _ => {
            let first = post_form(fleet, round, "/oauth/token", &form).await;
            assert_eq!(first.status, 200, "{}", first.text);
            let second = post_form(fleet, round + 1, "/oauth/token", &form).await;
            assert_eq!(second.status, 400, "{}", second.text);
        }
    }
}

/// Whether nothing was started: the token is known to have ended, or a busy process can't say at this moment.
const fn refuses(status: u16) -> bool {
    matches!(status, 401 | 503)
}

#[actix::test]
async fn an_app_that_was_revoked_starts_nothing_anywhere_once_that_was_answered() {
    let Some(mut fleet) = Fleet::start(&[("PHAROS__LIMITS__QUERY_REQUESTS", "0")]).await else {
        return;
    };
    fleet.sign_in().await;
    for (round, way) in ["person", "app", "reuse"].into_iter().enumerate() {
        let (client, access, refresh) = connect(&fleet, round).await;
        let asks = async |base: &str| {
            let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
            let request = fleet.plain().post(format!("{base}/v1/mcp"));
            let request = request.header("authorization", format!("Bearer {access}"));
            Answer::send(request.json(&message)).await.status
        };
        for replica in &fleet.replicas {
            assert_eq!(asks(&replica.base).await, 200, "known everywhere at once");
        }
        let over = AtomicBool::new(false);
        let clients = join_all((0..CLIENTS).map(|nth| {
            let (asks, over, base) = (&asks, &over, &fleet.replicas[nth % REPLICAS].base);
            async move {
                let mut seen = Vec::new();
                while !over.load(SeqCst) {
                    let began = Instant::now();
                    seen.push((began, asks(base).await));
                }
                seen
            }
        }));
        let revoked = async {
            end(&fleet, round, way, (&client, &refresh)).await;
            let at = Instant::now();
            for _ in 0..3 {
                for replica in &fleet.replicas {
                    assert!(refuses(asks(&replica.base).await), "{way}");
                }
            }
            over.store(true, SeqCst);
            at
        };
        let (seen, at) = join(clients, revoked).await;
        let seen: Vec<_> = seen.into_iter().flatten().collect();
        let later: Vec<_> = seen.iter().filter(|(began, _)| *began > at).collect();
        assert!(!later.is_empty(), "nobody asked behind it");
        let mut statuses = later.iter().map(|(_, status)| *status);
        assert!(statuses.all(refuses), "{way}: {later:?}");
        assert!(later.iter().any(|(_, status)| *status == 401), "{way}");
    }
    fleet.finish();
}
