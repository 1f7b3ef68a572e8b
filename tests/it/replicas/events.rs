//! Events of three programs in one ClickHouse: each is stored once, whichever of them it was sent to, and all of them see it.

use serde_json::{Value, json};

use super::fleet::{Fleet, REPLICAS, rounds};
use crate::{
    app::{Answer, until},
    clickhouse::Server,
};

/// Events of a request.
const EACH: usize = 20;

/// Sends events with these ids to one of the programs.
async fn send(fleet: &Fleet, replica: usize, ids: impl Iterator<Item = usize>) {
    let event = |id| json!({ "name": "order", "websiteId": fleet.website, "eventId": format!("order-{id}") });
    let events: Vec<Value> = ids.map(event).collect();
    let track = &fleet.replicas[replica % REPLICAS].track;
    let answer = fleet
        .ask(track, fleet.key(), "/track", &json!(events))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["count"], events.len(), "{}", answer.text);
}

/// Bytes that one of the programs has not shipped.
async fn waiting(fleet: &Fleet, replica: usize) -> f64 {
    figure(fleet, replica, "pharos_ship_backlog_bytes").await
}

async fn figure(fleet: &Fleet, replica: usize, name: &str) -> f64 {
    let url = format!("{}/metrics", fleet.replicas[replica].base);
    let text = Answer::send(fleet.plain().get(url)).await.text;
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let (_, value) = lines.find(|(found, _)| *found == name).unwrap();
    value.parse().unwrap()
}

#[actix::test]
async fn an_event_that_is_sent_to_every_server_is_stored_once_whoever_is_killed() {
    let Some(clickhouse) = Server::start() else {
        return;
    };
    let url = clickhouse.url();
    let settings = [
        ("PHAROS__EVENTS__STORE", "clickhouse"),
        ("PHAROS__EVENTS__CLICKHOUSE_URL", url.as_str()),
        ("PHAROS__LIMITS__KEY_REQUESTS", "0"),
        ("PHAROS__LIMITS__TRACK_REQUESTS", "0"),
    ];
    let Some(mut fleet) = Fleet::start(&settings).await else {
        return;
    };
    let rounds = 2 * rounds();
    for round in 0..rounds {
        let ids = |part: usize| {
            let first = (3 * round + part) * EACH;
            first..first + EACH
        };
        for part in 0..3 {
            // All three at once, then the last one again.
            futures_util::future::join_all(
                (0..REPLICAS).map(|replica| send(&fleet, replica, ids(part))),
            )
            .await;
            send(&fleet, part, ids(part)).await;
        }
        fleet.again(round % REPLICAS).await;
        send(&fleet, round, ids(0)).await;
    }
    for replica in 0..REPLICAS {
        until("everything is shipped", async || {
            waiting(&fleet, replica).await == 0.0
        })
        .await;
    }
    let all = (3 * rounds * EACH) as u64;
    let count = |what: &str| {
        let counted = clickhouse.tell(&format!("SELECT {what} FROM pharos_events WHERE kind = 2"));
        counted.trim().parse::<u64>().unwrap()
    };
    assert_eq!(count("uniqExact(dedup_key)"), all);
    assert_eq!(count("count()"), all, "nothing is there twice");
    for replica in 0..REPLICAS {
        let path = format!("/v1/query?website_id={}", fleet.website);
        let body = json!({ "parameters": ["custom_events"], "preset": "last_7d" });
        let rows = fleet.at(replica, &path, &body).await.rows(0);
        assert_eq!(rows[0]["total_events"], all, "{rows:?}");
        let unclaimed = figure(&fleet, replica, "pharos_ship_unclaimed_total").await;
        assert!(unclaimed < 1.0, "Redis was there");
    }
    fleet.finish();
}
