//! What several places find together, while their ways break and their programs die.

use std::time::Duration;

use pharos::actors::monitors::RemoteMonitor;
use serde_json::json;
use tempfile::TempDir;

use super::{
    OPEN, Probe, call, count_place_checks, create, rows,
    way::{Proxy, Way},
};
use crate::{
    app::{Answer, App, until},
    people::post::Post,
    uptime::{self, Target},
};

const INTERVAL: Duration = Duration::from_secs(30);
/// The timeout of the monitor, and what reports may take behind it.
const DEADLINE: Duration = Duration::from_secs(10);
const LIMITS: &str = "limits.query_requests = 0\n";

/// A place: its probe, and its way to the server.
struct Place {
    id: String,
    token: String,
    directory: TempDir,
    way: Proxy,
    ahead_ms: i64,
    probe: Probe,
}

impl Place {
    async fn open(app: &App, name: &str, ahead_ms: i64) -> Self {
        let (id, token) = create(app, name).await;
        let directory = tempfile::tempdir().unwrap();
        let way = Proxy::start(&app.base).await;
        let probe = Probe::start(directory.path(), &way.url, &token, ahead_ms);
        Self {
            id,
            token,
            directory,
            way,
            ahead_ms,
            probe,
        }
    }

    /// Kills the program, and starts it again over its directory.
    fn restart(&mut self) {
        self.probe.child.kill().unwrap();
        self.probe.child.wait().unwrap();
        let directory = self.directory.path();
        self.probe = Probe::start(directory, &self.way.url, &self.token, self.ahead_ms);
    }
}

/// A monitor of three probes, of which two have to find it down.
struct World {
    app: App,
    target: Target,
    monitor: String,
    places: [Place; 3],
}

impl World {
    async fn begin(toml: &str) -> Self {
        let app = App::with(&format!("{OPEN}{LIMITS}{toml}")).await;
        let target = Target::start().await;
        let places = [
            Place::open(&app, "Paris", 0).await,
            Place::open(&app, "Oslo", 0).await,
            // Its clock is wrong.
            Place::open(&app, "Rome", 300_000).await,
        ];
        for place in &places {
            until("the probe is connected", async || {
                place.probe.count_log_lines("\"monitors\":0") > 0
            })
            .await;
        }
        let ids: Vec<&str> = places.iter().map(|place| place.id.as_str()).collect();
        let fields = json!({
            "url": target.url, "granularity": "thirty_seconds", "timeout": 5_000, "places": ids, "quorum": 2,
        });
        let monitor = uptime::create(&app, fields).await;
        let world = Self {
            app,
            target,
            monitor,
            places,
        };
        for place in &world.places {
            until("the probe has its work", async || {
                place.probe.count_log_lines("\"monitors\":1") > 0
            })
            .await;
        }
        // It is checked at once, everywhere.
        until("the first check is decided", async || {
            !world.decisions().await.is_empty()
        })
        .await;
        assert_eq!(world.decisions().await, [1]);
        world.settle().await;
        world.go_behind_a_slot().await;
        world
    }

    /// The clock stops a second behind the first slot, and an interval later behind each further one: what goes on meanwhile in
    /// the probes, whose time does not stop, is far from the next slot.
    async fn go_behind_a_slot(&self) {
        let work = format!("{}/v1/probe/work", self.app.base);
        let work = self.app.http.get(work).bearer_auth(&self.places[0].token);
        let sent = Answer::send(work).await.body["monitors"][0].clone();
        let sent: RemoteMonitor = serde_json::from_value(sent).unwrap();
        let now = self.app.clock.now_ms();
        let schedule = sent.into_monitor().unwrap().schedule;
        let slot = schedule.next_after(now).unwrap();
        let left = Duration::from_millis((slot - now).unsigned_abs());
        self.app.clock.advance(left + Duration::from_secs(1));
        until("the first slot is decided", async || {
            self.decisions().await.len() > 1
        })
        .await;
    }

    /// What was decided, newest first.
    async fn decisions(&self) -> Vec<u64> {
        let rows = rows(&self.app, &self.monitor, "uptime_recent_checks").await;
        let statuses = rows.iter().map(|row| row["status"].as_u64().unwrap());
        statuses.collect()
    }

    /// Goes on to the next slot, and gives what is decided.
    async fn next_slot(&self) -> u64 {
        let before = self.decisions().await.len();
        self.app.clock.advance(INTERVAL);
        until("a slot is decided", async || {
            self.decisions().await.len() > before
        })
        .await;
        self.decisions().await[0]
    }

    /// Waits until each check that reached the target is one row.
    async fn settle(&self) {
        until("each check is stored once", async || {
            count_place_checks(&self.app, &self.monitor).await == self.target.hits()
        })
        .await;
    }
}

/// Two are away: one report is too few, whatever it says.
async fn see_too_few(world: &World) {
    world.places[1].way.set(Way::Cut);
    world.target.says(503);
    let downs = async || {
        let all = world.decisions().await;
        all.iter().filter(|status| **status == 0).count()
    };
    let (known, hits) = (downs().await, world.target.hits());
    world.app.clock.advance(INTERVAL);
    until("one checks", async || world.target.hits() > hits).await;
    world.app.clock.advance(DEADLINE);
    until("a slot stays unknown", async || {
        let rows = rows(&world.app, &world.monitor, "uptime_recent_checks").await;
        let newest = rows[0]["error"].as_str().unwrap_or_default();
        newest.contains("too few locations")
    })
    .await;
    assert_eq!(downs().await, known);
    world.target.says(200);
    for place in &world.places {
        place.way.set(Way::Open);
    }
    world.settle().await;
    world.app.clock.advance(INTERVAL.saturating_sub(DEADLINE));
    until("the next slot is up", async || {
        world.decisions().await[0] == 1
    })
    .await;
}

#[actix::test]
async fn three_places_agree_through_partition_restart_wrong_clock_and_revocation() {
    let mut world = Box::pin(World::begin("")).await;
    assert_eq!(world.next_slot().await, 1);
    world.target.says(503);
    assert_eq!(world.next_slot().await, 0);
    world.target.says(200);
    assert_eq!(world.next_slot().await, 1);
    world.settle().await;

    // One place is away: the others are enough, and its silence finds nothing down.
    world.places[0].way.set(Way::Cut);
    assert_eq!(world.next_slot().await, 1);
    world.target.says(503);
    assert_eq!(world.next_slot().await, 0);
    world.target.says(200);
    assert_eq!(world.next_slot().await, 1);

    see_too_few(&world).await;

    // What waits on a disk survives the program, and an answer that is lost doubles nothing.
    world.places[0].way.set(Way::NoReports);
    world.places[1].way.set(Way::NoAnswers);
    let sent = |world: &World, at: usize| world.places[at].probe.count_log_lines("sent again");
    let known = [sent(&world, 0), sent(&world, 1)];
    world.app.clock.advance(INTERVAL);
    until("both send again", async || {
        (0..2).all(|at| sent(&world, at) > known[at])
    })
    .await;
    world.places[0].restart();
    for place in &world.places {
        place.way.set(Way::Open);
    }
    world.settle().await;

    // The server was away.
    world.app.restart().await;
    for place in &world.places {
        place.way.lead_to(&world.app.base);
    }
    world.settle().await;
    assert_eq!(world.next_slot().await, 1);
    world.settle().await;

    // A check out of turn is made by all.
    let hits = world.target.hits();
    let body = json!({ "scheduleId": world.monitor });
    uptime::call_ok(&world.app, "manualCheck", body).await;
    until("all have checked", async || world.target.hits() == hits + 3).await;
    world.settle().await;

    // A token ends: the two others go on.
    let id = world.places[2].id.clone();
    let revoked = call(&world.app, "revoke", json!({ "id": id })).await;
    assert_eq!(revoked.status, 200, "{}", revoked.text);
    let probe = &mut world.places[2].probe;
    until("the probe ends", async || probe.has_ended()).await;
    assert!(world.places[2].probe.count_log_lines("the probe stops") > 0);
    world.target.says(503);
    assert_eq!(world.next_slot().await, 0);
    world.app.finish().await;
}

#[actix::test]
async fn a_silent_probe_is_told_apart_from_a_target_that_is_down_and_owners_get_one_email() {
    let post = Post::open().await;
    let mail = format!(
        "mail.smtp_url = '{}'\nmail.from = 'pharos@example.com'\n",
        post.url
    );
    let world = Box::pin(World::begin(&mail)).await;
    assert_eq!(world.next_slot().await, 1);
    world.places[0].way.set(Way::Cut);
    let status = async || {
        let listed = call(&world.app, "list", json!({})).await;
        let all = listed.body.as_array().unwrap().clone();
        let own = all.into_iter().find(|one| one["name"] == "Paris");
        own.unwrap()["status"].clone()
    };
    assert_eq!(status().await, "reporting");
    // The server noted its last request when the way was cut, or in the slots after that.
    for _ in 0..8 {
        assert_eq!(world.next_slot().await, 1);
    }
    until("it is silent", async || status().await == "silent").await;
    let emails = post.wait_for(1).await;
    assert!(
        emails[0].contains("Probe not reporting: Paris"),
        "{}",
        emails[0]
    );
    let shown = uptime::call_ok(
        &world.app,
        "getSchedule",
        json!({ "scheduleId": world.monitor }),
    )
    .await;
    assert_eq!(shown["state"], "up");
    world.places[0].way.set(Way::Open);
    until("it reports again", async || status().await == "reporting").await;
    assert_eq!(world.next_slot().await, 1);
    assert_eq!(post.emails().len(), 1);
    world.app.finish().await;
}

#[actix::test]
async fn a_change_of_work_arrives_while_the_probe_waits() {
    let world = Box::pin(World::begin("")).await;
    let body = json!({ "scheduleId": world.monitor });
    uptime::call_ok(&world.app, "pauseSchedule", body.clone()).await;
    for place in &world.places {
        until("its work is gone", async || {
            place.probe.count_log_lines("\"monitors\":0") > 1
        })
        .await;
    }
    until("the pause is a row", async || {
        world.decisions().await[0] == 4
    })
    .await;
    world.app.clock.advance(Duration::from_secs(1));
    let before = world.decisions().await.len();
    uptime::call_ok(&world.app, "resumeSchedule", body).await;
    until("it is checked at once", async || {
        world.decisions().await.len() > before
    })
    .await;
    assert_eq!(world.decisions().await[0], 1);
    world.settle().await;
    assert_eq!(world.next_slot().await, 1);
    world.settle().await;
    world.app.finish().await;
}
