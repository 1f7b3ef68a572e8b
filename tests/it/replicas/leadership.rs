//! What runs by the clock runs in one process, whichever is there to do it (drill F19).

use rustix::process::Signal;
use serde_json::{Value, json};

use super::fleet::{Fleet, REPLICAS};
use crate::{
    app::{until, until_met},
    postgres::Server,
    process::{pharos, start},
    receiver::Receiver,
    uptime::Target,
};

/// What a program says that does it.
pub const BEGINS: &str = "what runs by the clock is done here";

/// A monitor that is checked at its creation and on demand, and else at New Year: these programs use the machine's clock.
async fn watch(fleet: &Fleet, replica: usize, target: &Target, nth: usize) -> Value {
    let url = format!("{}?{nth}", target.url);
    let fields = json!({ "url": url, "name": "API", "cron": "0 0 1 1 *", "retries": 0 });
    fleet
        .call_ok(replica, "/uptime/createSchedule", fields)
        .await
}

/// The program that is on duty, of those that there are, once there is one.
async fn is_leader(fleet: &Fleet) -> usize {
    let said = || {
        fleet
            .replicas
            .iter()
            .position(|one| one.count_log_lines(BEGINS) > 0)
    };
    until("one begins", async || said().is_some()).await;
    said().unwrap()
}

async fn checked(target: &Target, times: usize) {
    until(&format!("{times} checks"), async || target.hits() >= times).await;
    assert_eq!(target.hits(), times, "nobody else checks");
}

#[actix::test]
async fn one_process_checks_and_another_goes_on_when_it_is_killed_or_stands_still() {
    let Some(mut fleet) = Fleet::start(&[]).await else {
        return;
    };
    let target = Target::start().await;
    let first = is_leader(&fleet).await;
    assert_eq!(
        (0..REPLICAS)
            .filter(|at| fleet.replicas[*at].count_log_lines(BEGINS) > 0)
            .count(),
        1
    );
    // One process checks it, whichever created it, and all see the result.
    let mut made = Vec::new();
    for nth in 0..REPLICAS {
        made.push(watch(&fleet, nth, &target, nth).await);
        checked(&target, nth + 1).await;
    }
    for one in &made {
        let id = json!({ "scheduleId": one["scheduleId"] });
        for replica in 0..REPLICAS {
            until("the check is seen", async || {
                let shown = fleet.at(replica, "/uptime/getSchedule", &id).await;
                shown.status == 200 && shown.text.contains("\"up\"")
            })
            .await;
        }
    }
    // Asked through a process that does not check.
    let id = json!({ "scheduleId": made[0]["scheduleId"] });
    fleet
        .call_ok(first + 1, "/uptime/manualCheck", id.clone())
        .await;
    checked(&target, REPLICAS + 1).await;

    // Killed: another one begins within the lease.
    drop(fleet.replicas.remove(first));
    let second = is_leader(&fleet).await;
    fleet.call_ok(0, "/uptime/manualCheck", id.clone()).await;
    checked(&target, REPLICAS + 2).await;

    // Standing still, and going on when another one has taken over: what it believes counts for nothing.
    fleet.replicas[second].signal(Signal::STOP);
    let third = 1 - second;
    until("the last one begins", async || {
        fleet.replicas[third].count_log_lines(BEGINS) > 0
    })
    .await;
    let base = fleet.replicas[third].base.clone();
    let answer = fleet
        .ask(&base, fleet.key(), "/uptime/manualCheck", &id)
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    checked(&target, REPLICAS + 3).await;
    fleet.replicas[second].signal(Signal::CONT);
    fleet.call_ok(second, "/uptime/manualCheck", id).await;
    // It may look before it learns that it is not its turn any more, as often as a turn ends so: once.
    until("the last check", async || target.hits() >= REPLICAS + 4).await;
    assert!(target.hits() <= REPLICAS + 5, "{}", target.hits());
    fleet.finish();
}

#[actix::test]
async fn whoever_comes_back_in_the_directory_of_one_that_was_killed_goes_on_at_once() {
    let Some(postgres) = Server::start() else {
        return;
    };
    let (url, home) = (
        postgres.database("alone").await,
        tempfile::tempdir().unwrap(),
    );
    let run = async || {
        let mut command = pharos(home.path());
        command.env("PHAROS__DATABASE__URL", &url);
        start(command).await
    };
    let mut process = run().await;
    for _ in 0..2 {
        // Before it listens, not when the lease of the one before is over.
        assert_eq!(process.count_log_lines(BEGINS), 1);
        process.signal(Signal::KILL);
        drop(process);
        process = run().await;
    }
    process.stop();
}

/// The premise: one program does all of it. One that is starved of the machine until its lease ends is followed by another,
/// and what it had under way is done again, which other tests are about.
#[actix::test]
async fn a_message_is_sent_once_whoever_wrote_it() {
    until_met(async |_| {
        let Some(fleet) = Fleet::start(&[]).await else {
            return Ok(());
        };
        is_leader(&fleet).await;
        let (target, receiver) = (Target::start().await, Receiver::start().await);
        let sent = count_messages(&fleet, &target, &receiver).await;
        let begins: usize = fleet
            .replicas
            .iter()
            .map(|one| one.count_log_lines(BEGINS))
            .sum();
        fleet.finish();
        if begins > 1 {
            return Err(format!("{begins} took turns"));
        }
        assert_eq!(target.hits(), 3, "nobody else checks");
        assert_eq!(sent, [1, 2]);
        Ok(())
    })
    .await;
}

/// How many messages there are after a monitor has gone down, and after it is up again.
async fn count_messages(fleet: &Fleet, target: &Target, receiver: &Receiver) -> [usize; 2] {
    let alarm = json!({
        "name": "Prod", "triggerType": "uptime",
        "destinations": [{ "type": "webhook", "identifier": format!("{}/hook", receiver.url) }],
    });
    fleet.call_ok(1, "/alarms/create", alarm).await;
    let made = watch(fleet, 2, target, 0).await;
    until("the first check", async || target.hits() > 0).await;
    target.says(500);
    let id = json!({ "scheduleId": made["scheduleId"] });
    fleet.call_ok(0, "/uptime/manualCheck", id.clone()).await;
    let down = receiver.wait_for(1).await.len();
    target.says(200);
    fleet.call_ok(1, "/uptime/manualCheck", id).await;
    [down, receiver.wait_for(2).await.len()]
}
