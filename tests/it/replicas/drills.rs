//! Counting together, and what happens while a program, Redis or the database is away (drills F13 to F16).

use std::{
    fs,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::fleet::{Fleet, REPLICAS, rounds};
use crate::app::{Answer, until, until_met};

const MAX: usize = 40;
/// Requests of a key that run at once.
const RUNNING: usize = 20;
/// Rounds in which not all of them had a place, at most.
const SPARE: usize = 4;

fn question() -> Value {
    json!({ "parameters": ["summary_metrics"], "preset": "today" })
}

fn path(fleet: &Fleet) -> String {
    format!("/v1/query?website_id={}", fleet.website)
}

async fn event(fleet: &Fleet, replica: usize) -> Answer {
    let body = json!({ "name": "a", "websiteId": fleet.website });
    let base = &fleet.replicas[replica].track;
    fleet.ask(base, fleet.key(), "/track", &body).await
}

/// Premises: no request was refused for want of an engine slot, which uses up the window, and all of them came within
/// the minute of the window.
#[actix::test]
async fn a_window_is_one_for_all_programs_and_exact() {
    until_met(async |_| {
        let most = MAX.to_string();
        let settings = [
            ("PHAROS__LIMITS__QUERY_REQUESTS", most.as_str()),
            ("PHAROS__QUERY__DEADLINE_SECONDS", "50"),
        ];
        let Some(fleet) = Fleet::start(&settings).await else {
            return Ok(());
        };
        let outcome = is_one_window(&fleet).await;
        fleet.finish();
        outcome
    })
    .await;
}

async fn is_one_window(fleet: &Fleet) -> Result<(), String> {
    let begun = Instant::now();
    // What is left of the minute after an answer came.
    let in_time = || {
        let passed = begun.elapsed();
        let is_in_time = passed < Duration::from_secs(59);
        is_in_time.then_some(()).ok_or(format!("{passed:?} passed"))
    };
    let (path, body) = (path(fleet), question());
    let asked = (0..2 * MAX).map(|_| fleet.ask(&fleet.proxy, fleet.key(), &path, &body));
    let answers = join_all(asked).await;
    in_time()?;
    let count = |status| answers.iter().filter(|one| one.status == status).count();
    // The cap on requests that run at once refuses some as well, and those use nothing up.
    let (good, full, busy) = (count(200), count(429), count(503));
    assert_eq!(good + full + busy, 2 * MAX);
    assert!(good <= MAX, "{good}");
    if busy > 0 {
        return Err(format!("{busy} were told to come again"));
    }
    for _ in good..MAX {
        let answer = fleet.ask(&fleet.proxy, fleet.key(), &path, &body).await;
        in_time()?;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    for replica in &fleet.replicas {
        let answer = fleet.ask(&replica.base, fleet.key(), &path, &body).await;
        in_time()?;
        assert_eq!(answer.status, 429, "{}", answer.text);
        let wait: i64 = answer.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
    }
    Ok(())
}

#[actix::test]
async fn twenty_requests_of_a_key_run_at_once_and_places_of_a_program_that_dies_come_back() {
    let points = tempfile::tempdir().unwrap();
    let settings = [
        ("PHAROS_DRILL_FAILPOINTS", points.path().to_str().unwrap()),
        ("PHAROS__QUERY__CONCURRENT", "24"),
        ("PHAROS__QUERY__DEADLINE_SECONDS", "600"),
    ];
    let Some(mut fleet) = Fleet::start(&settings).await else {
        return;
    };
    let engine = points.path().join("engine");
    let list = json!({ "websiteId": fleet.website });
    let free = async |fleet: &Fleet, replica: usize| {
        let answer = fleet.at(replica, "/goals/list", &list).await;
        assert!([200, 429].contains(&answer.status), "{}", answer.text);
        answer.status == 200
    };
    let mut left = rounds() + SPARE;
    let mut met = 0;
    while met < rounds() {
        assert!(left > 0, "in no round but {met} all twenty had a place");
        left -= 1;
        fs::write(&engine, "wait").unwrap();
        let ask = |nth: usize| {
            let url = format!("{}{}", fleet.replicas[nth % REPLICAS].base, path(&fleet));
            let request = fleet.plain().post(url).header("x-api-key", fleet.key());
            tokio::spawn(Answer::send(request.json(&question())))
        };
        let mut running: Vec<_> = (0..RUNNING).map(ask).collect();
        until("all places are taken", async || {
            // A request that came while the query held the last slot was refused.
            for (nth, one) in running.iter_mut().enumerate() {
                if one.is_finished() {
                    *one = ask(nth);
                }
            }
            !free(&fleet, 0).await
        })
        .await;
        for replica in 0..REPLICAS {
            until("everywhere", async || !free(&fleet, replica).await).await;
        }
        // A client that goes away leaves its place, wherever that is asked.
        running[0].abort();
        until("its place is free", async || free(&fleet, 1).await).await;
        until("all places are taken", async || {
            if running[0].is_finished() {
                running[0] = ask(0);
            }
            !free(&fleet, 0).await
        })
        .await;
        fleet.again(1).await;
        until("the leases of the dead one end", async || {
            free(&fleet, 0).await
        })
        .await;
        fs::remove_file(&engine).unwrap();
        let ended = join_all(running).await;
        // The premise: all of the places were theirs. The place of a question that was answered may be given back so late that one of
        // the twenty is turned away for it, and the program that began anew has to be there for the next round.
        let turned_away = ended.iter().flatten().any(|answer| answer.status == 429);
        if turned_away {
            fleet.back().await;
            continue;
        }
        met += 1;
        let good = ended.iter().flatten().filter(|answer| answer.status == 200);
        assert_eq!(
            good.count(),
            RUNNING.div_ceil(REPLICAS) + RUNNING / REPLICAS
        );
    }
    fleet.finish();
}

#[actix::test]
async fn one_that_is_killed_is_not_missed() {
    let Some(mut fleet) = Fleet::start(&[]).await else {
        return;
    };
    let gone = fleet.replicas.remove(0);
    drop(gone);
    let list = json!({ "websiteId": fleet.website });
    for _ in 0..2 * REPLICAS {
        let answer = fleet
            .ask(&fleet.proxy, fleet.key(), "/goals/list", &list)
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    // Its unfinished write blocks no other process.
    let body = json!({ "name": "Next", "domain": "next.example" });
    let answer = fleet
        .ask(&fleet.proxy, fleet.key(), "/websites/create", &body)
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    fleet.finish();
}

#[actix::test]
async fn while_redis_is_away_nobody_comes_in_uncounted_or_on_old_rights() {
    let Some(mut fleet) = Fleet::start(&[]).await else {
        return;
    };
    let (path, body) = (path(&fleet), question());
    for round in 0..2 * rounds() {
        let frozen = round % 2 == 0;
        if frozen {
            fleet.redis.freeze(true);
        } else {
            fleet.redis.stop();
        }
        for replica in 0..REPLICAS {
            let base = &fleet.replicas[replica].base;
            let answer = fleet.ask(base, fleet.key(), &path, &body).await;
            assert_eq!(answer.status, 503, "{}", answer.text);
            assert_eq!(answer.header("retry-after"), "5");
            assert_eq!(event(&fleet, replica).await.status, 503);
        }
        if frozen {
            fleet.redis.freeze(false);
        } else {
            fleet.redis.again();
        }
        fleet.back().await;
        for replica in &fleet.replicas {
            let answer = fleet.ask(&replica.base, fleet.key(), &path, &body).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
    }
    fleet.finish();
}

/// Nothing is made while the database is away; what was sent to one that sleeps may be done when it wakes, so each has a name
/// of its own.
async fn refuses(fleet: &Fleet, replica: usize, name: &str) {
    let wanted = json!({ "name": "No", "domain": format!("{name}-{replica}.example") });
    let answer = fleet.at(replica, "/websites/create", &wanted).await;
    assert_eq!(answer.status, 503, "{}", answer.text);
}

#[actix::test]
async fn while_the_database_is_away_events_are_taken_in_everywhere() {
    let Some(fleet) = Fleet::start(&[]).await else {
        return;
    };
    for round in 0..rounds() {
        // It hangs: connections are accepted and not answered.
        fleet.postgres.freeze(true);
        for replica in 0..REPLICAS {
            assert_eq!(event(&fleet, replica).await.status, 200);
            refuses(&fleet, replica, &format!("asleep-{round}")).await;
        }
        fleet.postgres.freeze(false);
        fleet.back().await;
        fleet.postgres.halt();
        for replica in 0..REPLICAS {
            assert_eq!(event(&fleet, replica).await.status, 200);
            refuses(&fleet, replica, &format!("gone-{round}")).await;
        }
        fleet.postgres.resume();
        fleet.back().await;
    }
    let made = json!({ "name": "Yes", "domain": "yes.example" });
    let made = fleet.call_ok(1, "/websites/create", made).await;
    let one = json!({ "id": made["id"] });
    for replica in 0..REPLICAS {
        until("it is seen everywhere", async || {
            fleet.at(replica, "/websites/getById", &one).await.status == 200
        })
        .await;
    }
    fleet.finish();
}
