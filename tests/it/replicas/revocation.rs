//! What was taken away opens nothing anywhere, from the moment of the answer on (threat T11, drill F18).

use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    time::Instant,
};

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use super::fleet::{Fleet, REPLICAS, rounds};
use crate::app::Answer;

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
