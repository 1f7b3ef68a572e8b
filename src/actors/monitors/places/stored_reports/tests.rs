//! Reports of probes that send a lot.

use super::{testing::*, *};

/// How many reports of each probe were read.
fn count(new: &NewReports, probe: &str) -> usize {
    new.rows.iter().filter(|row| row.probe_id == probe).count()
}

#[tokio::test]
async fn a_probe_with_many_reports_leaves_room_for_the_others() {
    let (_directory, db) = open(&["p", "q"]).await;
    store(&db, "p", (1, 250), 10).await;
    store(&db, "q", (1, 3), 10).await;
    let mut read = [key("p", 0), key("q", 0)];
    let first = load_new(db.writer(), &read).await.unwrap();
    assert_eq!((count(&first, "p"), count(&first, "q")), (100, 3));
    assert!(first.has_more);
    assert_eq!(first.ends, [key("q", 3)]);
    read = [key("p", 200), key("q", 3)];
    let last = load_new(db.writer(), &read).await.unwrap();
    let numbers: Vec<i64> = last.rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, (201..=250).collect::<Vec<_>>());
    assert!(!last.has_more);
    // Reports that were deleted are not looked for again.
    delete_reports(db.writer(), &[key("p", 250)]).await.unwrap();
    let none = load_new(db.writer(), &[key("p", 249)]).await.unwrap();
    assert!(none.rows.is_empty());
    assert_eq!(none.ends, [key("p", 250)]);
}

#[tokio::test]
async fn large_reports_are_read_in_smaller_handfuls() {
    let (_directory, db) = open(&["p", "q"]).await;
    store(&db, "p", (1, 2), MAX_BYTES / 2).await;
    store(&db, "q", (1, 1), 10).await;
    let read = [key("p", 0), key("q", 0)];
    let new = load_new(db.writer(), &read).await.unwrap();
    assert_eq!((count(&new, "p"), count(&new, "q")), (2, 0));
    assert!(new.has_more);
    let turned = [key("q", 0), key("p", 0)];
    let new = load_new(db.writer(), &turned).await.unwrap();
    assert_eq!(count(&new, "q"), 1);
}

#[tokio::test]
async fn reports_are_read_again_unless_they_are_gone() {
    let (_directory, db) = open(&["p", "q"]).await;
    store(&db, "p", (1, 3), 10).await;
    store(&db, "q", (1, 1), 10).await;
    let keys = [key("p", 1), key("p", 3), key("q", 1), key("q", 2)];
    delete_reports(db.writer(), &[key("p", 3)]).await.unwrap();
    let rows = load_again(db.writer(), &keys).await.unwrap();
    let mut found: Vec<_> = rows
        .iter()
        .map(|row| (row.probe_id.as_str(), row.number))
        .collect();
    found.sort_unstable();
    assert_eq!(found, [("p", 1), ("q", 1)]);
}

#[tokio::test]
async fn reports_for_slots_to_come_are_deleted_and_no_others() {
    let (_directory, db) = open(&["p", "q"]).await;
    let text = |number: i64| format!(r#"{{"monitor":"m","slot":{}}}"#, number % 10);
    for probe in ["p", "q"] {
        store_texts(&db, probe, (1, 210), text).await;
    }
    store(&db, "p", (211, 211), 10).await;
    delete_ahead(db.writer(), &"p".into(), 7).await.unwrap();
    let left = monitor_report::Entity::find()
        .all(db.writer())
        .await
        .unwrap();
    let count = |probe: &str| left.iter().filter(|row| row.probe_id == probe).count();
    assert_eq!((count("p"), count("q")), (8 * 21 + 1, 210));
    assert!(
        left.iter()
            .all(|row| row.probe_id == "q" || row.number % 10 <= 7)
    );
}
