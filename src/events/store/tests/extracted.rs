//! Extracts say what the events say, wherever the events are.

use std::{fs, path::Path, sync::Arc};

use proptest::{collection::vec, option, prelude::*, sample::select};

use super::{NOW, open, seal, seal_next, segment_files};
use crate::events::store::{Accepted, EventStore};
use crate::events::{
    event::{Details, Event, Page},
    extracts::{Extract, QUARTER, VERSION},
    files::file::checksum,
    segments::{FAN_IN, Manifest, SegmentRow},
    statement::{Cell, Scope, Statement},
    tables::COLUMNS,
    versions::SCHEMA,
    words::Words,
};

/// What every test asks about.
const ORGANIZATION: i64 = 1;

fn details() -> impl Strategy<Value = (&'static str, Details)> {
    // Their sums are the same in any order.
    let number = || option::of(select(vec![-1.0_f32, 0.0, 2.5, 30.0]));
    let page = (number(), number(), option::of(0..3_u32), number(), number());
    let page = page.prop_map(
        |(time_on_page, scroll_depth, interactions, load_time, ttfb)| {
            Details::Page(Page {
                time_on_page,
                scroll_depth,
                interactions,
                load_time,
                ttfb,
                ..Page::default()
            })
        },
    );
    let names = select(vec!["screen_view", "page_exit", "tab_hidden"]);
    prop_oneof![
        6 => (names, page),
        1 => Just(("screen_view", Details::Custom)),
        2 => Just(("LCP", Details::Vital { value: 1.0 })),
    ]
}

fn event() -> impl Strategy<Value = Accepted> {
    let whose = (6..9_i64, 0..3_u64, 0..4_u64);
    let texts = (
        select(vec!["/", "/a"]),
        option::of(select(vec!["DE", "FR"])),
        option::of(select(vec!["anna", "ben"])),
    );
    let rest = (0..3 * QUARTER, option::of(0..3_u32), select(vec![0, 0, 1]));
    (whose, details(), texts, rest).prop_map(|(whose, (name, details), texts, rest)| {
        let (website, visitor, session) = whose;
        let time = NOW - rest.0;
        let event = Event {
            organization: ORGANIZATION + rest.2,
            website,
            time,
            received: NOW,
            visitor,
            session,
            name: name.into(),
            path: texts.0.into(),
            country: texts.1.map(Into::into),
            profile: texts.2.map(Into::into),
            bot_signals: rest.1.unwrap_or_default(),
            details,
            ..Event::default()
        };
        Accepted {
            event,
            event_id: None,
        }
    })
}

/// What every test asks for.
const ASKED: &str =
    "website, time, visitor, session, country, profile, bot_signals, path, min(opened)";

/// What becomes of a part of the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExtractState {
    Tail,
    Sealed,
    /// Its extracts are lost.
    Bare,
    /// Its extracts are damaged.
    Damaged,
    /// Its extracts are those of the first version.
    Earlier,
}

async fn answer(store: &EventStore, rows: String, figures: &str, scope: Scope) -> Vec<Vec<Cell>> {
    let statement = Statement {
        spilling: None,
        text: format!(
            "SELECT {ASKED}, {figures} FROM (SELECT r.* REPLACE (time - time % {QUARTER} AS time) FROM {rows} r) \
             GROUP BY ALL ORDER BY ALL"
        ),
        binds: Vec::new(),
        scope,
    };
    Arc::unwrap_or_clone(store.query(statement).await.unwrap().rows)
}

/// The sums of an extract in this version, as aggregates.
fn sums(extract: Extract, version: u32) -> String {
    let sums = extract.figures(version).filter(|name| *name != "opened");
    let sums: Vec<String> = sums.map(|sum| format!("sum({sum})")).collect();
    sums.join(", ")
}

async fn check(store: &EventStore, scope: &Scope) {
    for extract in Extract::ALL {
        let relation = format!("{{{}}}", extract.name());
        let path = |rows: String| match extract {
            Extract::Visits => format!("(SELECT *, '' AS path FROM {rows})"),
            Extract::Pages => rows,
        };
        for version in 1..=VERSION {
            let sums = sums(extract, version);
            let asked = format!("{ASKED}, {sums}");
            let events = extract.event_relation(&Words::new(&asked), (SCHEMA, "{events}"), "true");
            let wanted = path(format!("({events})"));
            let wanted = answer(store, wanted, &sums, scope.clone()).await;
            let got = answer(store, path(relation.clone()), &sums, scope.clone()).await;
            assert_eq!(got, wanted, "{extract:?} {version} {scope:?}");
        }
    }
}

/// Writes a segment's extracts as the first version would have.
fn write_earlier(segments: &Path, row: &mut SegmentRow) {
    for extract in &mut row.extracts {
        let file = segments.join(extract.extract.file_name(&row.id));
        let shared = COLUMNS.iter().map(|column| column.name);
        let shared = shared.filter(|name| extract.extract.has(name));
        let columns: Vec<&str> = shared.chain(extract.extract.figures(1)).collect();
        let columns = columns.join(", ");
        let written = file.with_extension("earlier");
        let copy = format!(
            "COPY (SELECT {columns} FROM read_parquet('{}')) TO '{}' (FORMAT parquet)",
            file.display(),
            written.display()
        );
        let engine = duckdb::Connection::open_in_memory().unwrap();
        engine.execute_batch(&copy).unwrap();
        fs::rename(&written, &file).unwrap();
        extract.version = 1;
        extract.bytes = fs::metadata(&file).unwrap().len();
        extract.checksum = checksum(&file).unwrap();
    }
}

fn all_of_a_website() -> Scope {
    Scope {
        organization: ORGANIZATION,
        website: Some(7),
        from: 0,
        to: i64::MAX,
    }
}

fn scopes() -> impl Strategy<Value = Vec<Scope>> {
    let edge = || {
        prop_oneof![
            (-1..5_i64).prop_map(|quarters| (NOW - NOW % QUARTER) - quarters * QUARTER),
            (0..3 * QUARTER).prop_map(|before| NOW - before),
        ]
    };
    let scope = (option::of(6..9_i64), edge(), edge()).prop_map(|(website, from, to)| Scope {
        organization: ORGANIZATION,
        website,
        from: from.min(to),
        to: from.max(to),
    });
    vec(scope, 4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn extracts_add_up_to_their_events_wherever_these_are(
        parts in vec((vec(event(), 1..40), select(vec![ExtractState::Sealed, ExtractState::Tail, ExtractState::Bare, ExtractState::Damaged, ExtractState::Earlier])), 1..4),
        scopes in scopes(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let directory = tempfile::tempdir().unwrap();
            let segments = directory.path().join("segments");
            let mut manifest = Manifest::default();
            let store = open(directory.path(), &manifest);
            for (events, place) in parts {
                store.append(events).await.unwrap();
                if place == ExtractState::Tail {
                    continue;
                }
                store.freeze().await;
                while seal_next(&store, &mut manifest).await {}
                let Some(row) = manifest.segments.last_mut() else {
                    continue;
                };
                match place {
                    ExtractState::Bare => {
                        for file in row.files().skip(1) {
                            fs::remove_file(segments.join(file)).unwrap();
                        }
                        row.extracts.clear();
                    }
                    ExtractState::Damaged => {
                        for file in row.files().skip(1) {
                            let mut bytes = fs::read(segments.join(&file)).unwrap_or_default();
                            if let Some(byte) = bytes.get_mut(40) {
                                *byte ^= 0xff;
                            }
                            fs::write(segments.join(&file), bytes).unwrap();
                        }
                    }
                    ExtractState::Earlier => write_earlier(&segments, row),
                    ExtractState::Tail | ExtractState::Sealed => {}
                }
                store.adopt(&manifest);
            }
            for scope in &scopes {
                check(&store, scope).await;
            }
            assert_eq!(store.damaged_segments(), Vec::<String>::new());
            store.close();
        });
    }
}

#[tokio::test]
async fn extracts_are_read_in_place_of_events_are_merged_and_go_with_their_segments() {
    let directory = tempfile::tempdir().unwrap();
    let segments = directory.path().join("segments");
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    let visit = |session: u64| Accepted {
        event: Event {
            organization: ORGANIZATION,
            website: 7,
            time: NOW,
            received: NOW,
            visitor: session,
            session,
            name: "screen_view".into(),
            details: Details::Page(Page::default()),
            ..Event::default()
        },
        event_id: None,
    };
    for _ in 0..FAN_IN {
        store
            .append(vec![visit(1), visit(1), visit(2)])
            .await
            .unwrap();
        seal(&store, &mut manifest).await;
    }
    let merged = store.compact(false).await.unwrap().unwrap();
    manifest.segments = merged.segments;
    store.adopt(&manifest);
    let scope = all_of_a_website();
    let statement = Statement {
        spilling: None,
        text: "SELECT session, sum(seen) FROM {visits} GROUP BY session ORDER BY session".into(),
        binds: Vec::new(),
        scope: scope.clone(),
    };
    let id = manifest.segments[0].id.clone();
    let reads = store.reads(&statement).segments;
    assert_eq!((reads.len(), reads[0].rows), (1, 2));
    assert_eq!(reads[0].file, format!("{id}.visits.parquet"));
    // Nothing but the extract is read.
    let file = segments.join(format!("{id}.parquet"));
    let rows = store.query(statement.clone()).await.unwrap().rows;
    let says = |session, views| [Cell::Int(session), Cell::Int(views)];
    assert_eq!(*rows, [says(1, 32), says(2, 16)]);
    check(&store, &scope).await;
    // A restart keeps what the manifest names.
    store.close();
    let store = open(directory.path(), &manifest);
    assert_eq!(store.query(statement).await.unwrap().rows, rows);
    assert!(file.exists());
    manifest.segments.clear();
    store.adopt(&manifest);
    assert_eq!(segment_files(directory.path()), 0);
    store.close();
}

#[tokio::test]
async fn extracts_of_an_earlier_version_are_written_again_at_rest() {
    let directory = tempfile::tempdir().unwrap();
    let segments = directory.path().join("segments");
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    let event = Event {
        organization: ORGANIZATION,
        website: 7,
        time: NOW,
        received: NOW,
        visitor: 1,
        session: 1,
        name: "page_exit".into(),
        details: Details::Page(Page {
            scroll_depth: Some(30.0),
            ..Page::default()
        }),
        ..Event::default()
    };
    let accepted = Accepted {
        event,
        event_id: None,
    };
    store.append(vec![accepted]).await.unwrap();
    seal(&store, &mut manifest).await;
    write_earlier(&segments, &mut manifest.segments[0]);
    store.adopt(&manifest);
    assert!(store.compact(false).await.unwrap().is_none());
    let written = store.compact(true).await.unwrap().unwrap();
    manifest.segments = written.segments;
    store.adopt(&manifest);
    let versions = manifest.segments[0].extracts.iter();
    let versions: Vec<u32> = versions.map(|extract| extract.version).collect();
    assert_eq!(versions, [VERSION; 2]);
    let scope = all_of_a_website();
    check(&store, &scope).await;
    assert!(store.compact(true).await.unwrap().is_none());
    store.close();
}
