//! Moves that are cut off, and copies that are not what they should be.

use std::{fs, path::Path};

use sea_orm::{ConnectionTrait as _, Database};
use serde_json::Value;

use super::{
    ensure_shut,
    home::{Ended, Home},
    journal, still_says,
};
use crate::app::until;

/// What a journal says at a place.
type JournalCheck = fn(&Value) -> bool;

/// A move that ends with an error at a place.
fn broken_at(home: &Home, points: &Path, place: &str, (from, to): (&str, &str)) {
    fs::write(points.join(place), "fail").unwrap();
    let ended = Ended::from_output(&home.moving(from, to, Some(points)).output().unwrap());
    assert_eq!(ended.code, Some(2), "{place}: {}", ended.wrong);
    assert!(ended.wrong.contains(place), "{}", ended.wrong);
    fs::remove_file(points.join(place)).unwrap();
}

/// A move that is killed when its journal says this, at a place where it waits.
async fn killed_at(
    home: &Home,
    points: &Path,
    (place, is_there): (&str, JournalCheck),
    (from, to): (&str, &str),
) {
    fs::write(points.join(place), "wait").unwrap();
    let mut command = home.moving(from, to, Some(points));
    let mut child = command.spawn().unwrap();
    until(place, async || {
        assert!(child.try_wait().unwrap().is_none(), "{place}: it has ended");
        journal(home).is_some_and(|journal| is_there(&journal))
    })
    .await;
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_file(points.join(place)).unwrap();
}

#[actix::test]
async fn a_move_that_is_cut_off_anywhere_goes_on_and_ends_the_same() {
    let Some(home) = Home::new().await else {
        return;
    };
    let made = home.filled().await;
    let before = home.says("embedded", &made).await;
    let points = tempfile::tempdir().unwrap();
    let mut counted: Option<Value> = None;
    for (from, to) in [("embedded", "scaled"), ("scaled", "embedded")] {
        broken_at(&home, points.path(), "move-state", (from, to));
        for stores in [from, to] {
            ensure_shut(&home, stores, "the stores are being moved");
        }
        home.refused(from, "postgres", "another move is under way");
        let places: [(&str, JournalCheck); 3] = [
            ("move-batch", |journal| {
                let written = !journal["written"].as_array().unwrap().is_empty();
                written || journal["sent"]["rows"].as_u64() > Some(0)
            }),
            ("move-compare", |journal| journal["eventsCopied"] == true),
            ("move-switch", |journal| journal["stage"] == "Switching"),
        ];
        for place in places {
            killed_at(&home, points.path(), place, (from, to)).await;
            for stores in [from, to] {
                ensure_shut(&home, stores, "the stores are being moved");
            }
        }
        let said = home.moved(from, to);
        let kinds = said["kinds"].clone();
        assert_eq!(counted.get_or_insert(kinds.clone()), &kinds);
        assert!(!home.data.path().join("moving.tmp").exists());
        still_says(&home, to, &made, &before).await;
    }
}

#[actix::test]
async fn a_row_that_was_changed_on_the_way_is_found_and_nothing_is_switched() {
    let Some(home) = Home::new().await else {
        return;
    };
    let made = home.filled().await;
    let before = home.says("embedded", &made).await;
    let points = tempfile::tempdir().unwrap();
    broken_at(&home, points.path(), "move-compare", ("embedded", "scaled"));
    let state = Database::connect(&home.postgres).await.unwrap();
    state
        .execute_unprepared("UPDATE links SET name = 'other'")
        .await
        .unwrap();
    state.close().await.unwrap();
    home.clickhouse.tell(
        "ALTER TABLE pharos_events UPDATE city = 'Atlantis' WHERE name = 'sent' SETTINGS mutations_sync = 2",
    );
    let ended = Ended::from_output(&home.moving("embedded", "scaled", None).output().unwrap());
    assert_eq!(ended.code, Some(1), "{}", ended.wrong);
    let wrong = ended.said["wrong"].to_string();
    for what in [
        "table `links`: the checksum of 1 rows is another",
        "customEvents of website ",
    ] {
        assert!(
            wrong.contains(what) && ended.wrong.contains(what),
            "{wrong}"
        );
    }
    assert_eq!(ended.said["wrong"].as_array().unwrap().len(), 2, "{wrong}");
    ensure_shut(&home, "scaled", "the stores are being moved");
    // Given up as the hint says.
    fs::remove_file(home.data.path().join("moved.json")).unwrap();
    fs::remove_dir_all(home.data.path().join("moving.tmp")).unwrap();
    still_says(&home, "embedded", &made, &before).await;
}
