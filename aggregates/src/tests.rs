//! The aggregates say what the engine's own do, of any rows and groups.

use std::sync::Arc;

use duckdb::types::Value;
use proptest::{collection::vec, option, prelude::*, sample::select};

use crate::{Database, FULL, Handle, RUN};

fn engine(limit: usize) -> (Arc<Database>, Handle) {
    let settings = [("threads", "3".to_owned())];
    let database = Database::open(&settings, limit).unwrap();
    let handle = database.connect().unwrap();
    (database, handle)
}

fn rows(engine: &Handle, text: &str) -> Vec<Vec<Value>> {
    engine.run(|connection, run| {
        let mut statement = connection.prepare(&text.replace(RUN, run)).unwrap();
        let mut found = statement.query([]).unwrap();
        let mut rows = Vec::new();
        while let Some(row) = found.next().unwrap() {
            let width = row.as_ref().column_count();
            rows.push((0..width).map(|at| row.get(at).unwrap()).collect());
        }
        rows
    })
}

/// What both ways say of rows `g, id, views, seconds, actions`, in total and of each group.
fn check(engine: &Handle, from: &str) {
    for (keys, grouped) in [("", ""), ("g, ", " GROUP BY g")] {
        let own = format!(
            "SELECT {keys}ids, seldom, s.sessions, s.bounces, s.median_duration, round(s.mean_duration, 6) FROM (SELECT {keys}\
             distinct_ids(id, {{run}}) AS ids, distinct_ids(CASE WHEN views > 0 THEN id END, {{run}}) AS seldom, \
             session_sums(id, views, seconds, actions, {{run}}) AS s FROM {from}{grouped}) ORDER BY ALL"
        );
        let by = if keys.is_empty() {
            "true"
        } else {
            "a.g IS NOT DISTINCT FROM b.g"
        };
        let spelled = format!(
            "SELECT {}ids, seldom, coalesce(sessions, 0), coalesce(bounces, 0), median, mean FROM (SELECT {keys}count(DISTINCT CASE \
             WHEN id <> 0 THEN id END) AS ids, count(DISTINCT CASE WHEN views > 0 AND id <> 0 THEN id END) AS seldom FROM \
             {from}{grouped}) a LEFT JOIN (SELECT {keys}count(*) AS sessions, count(CASE WHEN seen = 1 AND spent < 10 AND acts = 0 \
             THEN 1 END) AS bounces, quantile_cont(spent, 0.5) AS median, round(avg(spent), 6) AS mean FROM (SELECT {keys}id, \
             sum(views) AS seen, sum(seconds) AS spent, sum(actions) AS acts FROM {from} WHERE id <> 0 AND views IS NOT NULL AND \
             seconds IS NOT NULL AND actions IS NOT NULL GROUP BY {keys}id HAVING sum(views) > 0){grouped}) b ON {by} ORDER BY ALL",
            if keys.is_empty() { "" } else { "a.g, " }
        );
        assert_eq!(
            rows(engine, &own),
            rows(engine, &spelled),
            "{from}{grouped}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_rows_are_counted_as_the_engine_counts_them(
        rows in vec((
            option::of(0..4_i32),
            option::of(select(vec![0, 1, 2, 3, 7, u64::MAX])),
            option::of(0..3_i32),
            option::of(select(vec![0.0, 2.5, 9.75, 10.0, 61.0])),
            option::of(0..2_i32),
        ), 0..60),
    ) {
        let (_database, engine) = engine(1 << 20);
        engine.execute_batch("CREATE TABLE t (g INTEGER, id UBIGINT, views INTEGER, seconds DOUBLE, actions INTEGER)").unwrap();
        let mut insert = engine.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)").unwrap();
        for row in rows {
            insert.execute(duckdb::params![row.0, row.1, row.2, row.3, row.4]).unwrap();
        }
        drop(insert);
        check(&engine, "t");
    }
}

#[test]
fn many_groups_and_ids_in_several_threads_are_counted_alike() {
    let (database, engine) = engine(512 << 20);
    for (groups, ids) in [(1, 300_000), (7, 40_000), (30_000, 5), (1_000, 300)] {
        engine
            .execute_batch(&format!(
                "CREATE OR REPLACE TABLE t AS SELECT CAST(hash(range) % {groups} AS INTEGER) AS g, hash(range * 3 % {ids}) % 1000000 AS \
                 id, CAST(range % 3 AS INTEGER) AS views, CAST(range % 50 AS DOUBLE) AS seconds, CAST(range % 2 AS INTEGER) AS actions \
                 FROM range(400000)"
            ))
            .unwrap();
        check(&engine, "t");
    }
    assert_eq!(database.taken(), 0, "everything is given back");
}

#[test]
fn the_first_and_the_last_value_in_time_are_those_that_the_engine_finds() {
    let (database, engine) = engine(64 << 20);
    engine
        .execute_batch(
            "CREATE TABLE t AS SELECT range % 300 AS g, CASE WHEN hash(range) % 7 > 0 THEN CAST(hash(range) % 9 \
             AS BIGINT) END AS moment, CASE WHEN hash(range) % 3 > 0 THEN hash(range * 7) % 4 END AS id, CASE WHEN hash(range) % 4 > 0 THEN \
             repeat(chr(CAST(97 + hash(range * 5) % 20 AS INTEGER)), CAST(hash(range * 3) % 50 AS INTEGER)) END AS name FROM range(60000)",
        )
        .unwrap();
    for value in ["id", "CAST(id AS BIGINT)", "name"] {
        for (keys, grouped) in [("", ""), ("g, ", " GROUP BY g")] {
            let ask = |first: &str, last: &str| {
                rows(
                    &engine,
                    &format!("SELECT {keys}{first}, {last} FROM t{grouped} ORDER BY ALL"),
                )
            };
            let own = ask(
                &format!("earliest_by({value}, moment, {{run}})"),
                &format!("latest_by({value}, moment, {{run}})"),
            );
            let spelled = |how: &str| {
                format!("{how}({value}, (moment, {value})) FILTER (moment IS NOT NULL)")
            };
            assert_eq!(
                own,
                ask(&spelled("arg_min"), &spelled("arg_max")),
                "{value}{grouped}"
            );
        }
        let none = rows(
            &engine,
            &format!("SELECT latest_by({value}, moment, {{run}}) FROM t WHERE g < 0"),
        );
        assert_eq!(none, [[Value::Null]]);
    }
    assert_eq!(database.taken(), 0);
}

const PORTIONS: &str = "[0.5, 0.75, 0.9, 0.95, 0.99, 0.0, 1.0]";

/// What both ways say of percentiles of `value`, in total and of each group.
fn check_quantiles(engine: &Handle, from: &str) {
    for (keys, grouped) in [("", ""), ("g, ", " GROUP BY g")] {
        let ask = |list: &str, median: &str| {
            let text = format!("SELECT {keys}{list}, {median} FROM {from}{grouped} ORDER BY ALL");
            rows(engine, &text)
        };
        assert_eq!(
            ask(
                &format!("quantiles(value, {PORTIONS}, {{run}})"),
                "quantiles(value, [0.5], {run})[1]"
            ),
            ask(
                &format!("quantile_cont(value, {PORTIONS})"),
                "quantile_cont(value, 0.5)"
            ),
            "{from}{grouped}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn percentiles_are_those_of_the_engine(
        rows in vec((
            option::of(0..4_i32),
            option::of(prop_oneof![
                select(vec![0.0, 0.1, 2_500.0, -7.25, 1e300, -1e300, f64::MIN_POSITIVE]),
                -1e6..1e6_f64,
            ]),
        ), 0..60),
    ) {
        let (database, engine) = engine(1 << 20);
        engine.execute_batch("CREATE TABLE t (g INTEGER, value DOUBLE)").unwrap();
        let mut insert = engine.prepare("INSERT INTO t VALUES (?, ?)").unwrap();
        for (group, value) in rows {
            insert.execute(duckdb::params![group, value]).unwrap();
        }
        drop(insert);
        check_quantiles(&engine, "t");
        assert_eq!(database.taken(), 0);
    }
}

#[test]
fn percentiles_of_many_groups_and_numbers_in_several_threads_are_those_of_the_engine() {
    let (database, engine) = engine(64 << 20);
    for groups in [1, 7, 30_000] {
        engine
            .execute_batch(&format!(
                "CREATE OR REPLACE TABLE t AS SELECT CAST(hash(range) % {groups} AS INTEGER) AS g, CASE WHEN hash(range) % 5 > 0 THEN \
                 CAST(hash(range * 3) % 100000 AS DOUBLE) / 7 - 900 END AS value FROM range(400000)"
            ))
            .unwrap();
        check_quantiles(&engine, "t");
    }
    assert_eq!(database.taken(), 0);
}

/// The numbers of a statement's rows, or why it failed.
fn ask(engine: &Handle, text: &str) -> Result<i64, String> {
    engine.run(|connection, run| {
        let counted = connection.query_row(&text.replace(RUN, run), [], |row| row.get(0));
        counted.map_err(|error| error.to_string())
    })
}

#[test]
fn a_statement_that_ends_early_gives_everything_back() {
    for threads in [1, 8] {
        let settings = [("threads", threads.to_string())];
        let database = Database::open(&settings, 4 << 20).unwrap();
        let engine = database.connect().unwrap();
        engine
            .execute_batch(
                "CREATE TABLE t AS SELECT hash(range + 1) AS id, range AS n FROM range(1000000)",
            )
            .unwrap();
        let failing = "CASE WHEN n = 999999 THEN error('no more') ELSE id END";
        for (aggregate, grouped, why) in [
            ("distinct_ids(id, {run})", "", FULL),
            ("distinct_ids(id, {run})", " GROUP BY n % 1000", FULL),
            ("session_sums(id, 1, 0.5, 0, {run})", "", FULL),
            ("latest_by(repeat('a', 99), 1, {run})", " GROUP BY id", FULL),
            ("quantiles(id, [0.5], {run})", "", FULL),
            ("quantiles(id, [0.5], {run})", " GROUP BY n % 1000", FULL),
            (
                &format!("distinct_ids({failing} % 20000, {{run}})"),
                "",
                "no more",
            ),
            (
                &format!("distinct_ids({failing} % 2000, {{run}})"),
                " GROUP BY n % 7",
                "no more",
            ),
        ] {
            let text = format!("SELECT count(v) FROM (SELECT {aggregate} AS v FROM t{grouped})");
            let refused = ask(&engine, &text).unwrap_err();
            assert!(refused.contains(why), "{aggregate}{grouped}: {refused}");
            assert_eq!(database.taken(), 0, "{aggregate}{grouped}");
        }
        assert_eq!(
            ask(
                &engine,
                "SELECT distinct_ids(id, {run}) FROM t WHERE n < 1000"
            ),
            Ok(1_000)
        );
        assert_eq!(database.taken(), 0);
    }
}

#[test]
fn a_result_that_no_one_reads_to_its_end_stops_before_its_memory_goes() {
    let settings = [("threads", "8".to_owned())];
    let database = Database::open(&settings, 512 << 20).unwrap();
    let engine = database.connect().unwrap();
    engine
        .execute_batch("CREATE TABLE t AS SELECT hash(range + 1) AS id, range % 300000 AS g FROM range(1200000)")
        .unwrap();
    let text = "SELECT g, distinct_ids(id, {run}), session_sums(id, 1, 0.5, 0, {run}), repeat(latest_by(CAST(id AS VARCHAR), 1, {run}), 9) \
        FROM t GROUP BY g";
    for rows in [0, 1, 5_000] {
        let read = engine.run(|connection, run| {
            let mut statement = connection.prepare(&text.replace(RUN, run)).unwrap();
            drop(statement.stream_arrow([]).unwrap());
            let mut found = statement.raw_query();
            let mut read = 0;
            while read < rows && found.next().unwrap().is_some() {
                read += 1;
            }
            read
        });
        assert_eq!((read, database.taken()), (rows, 0));
        assert_eq!(
            ask(&engine, "SELECT distinct_ids(id, {run}) FROM t WHERE g < 9"),
            Ok(36)
        );
    }
}

#[test]
fn an_aggregate_knows_no_run_that_has_ended() {
    let (_database, engine) = engine(1 << 20);
    for run in ["0", "17", "NULL"] {
        let text = format!("SELECT distinct_ids(CAST(range AS UBIGINT), {run}) FROM range(5)");
        let refused = ask(&engine, &text).unwrap_err();
        assert!(refused.contains("has ended"), "{refused}");
    }
}

#[test]
fn large_tables_of_the_same_size_are_merged_fast_enough_to_wait_for() {
    let (_database, engine) = engine(512 << 20);
    engine
        .execute_batch("CREATE TABLE t AS SELECT hash(range + 1) AS id FROM range(3000000)")
        .unwrap();
    assert_eq!(
        ask(&engine, "SELECT distinct_ids(id, {run}) FROM t"),
        Ok(3_000_000)
    );
}

#[test]
fn connections_outlive_the_instance_that_made_them() {
    let (database, first) = engine(1 << 20);
    let second = database.connect().unwrap();
    drop((database, first));
    let text = "SELECT distinct_ids(CAST(range AS UBIGINT), {run}) FROM range(5)";
    assert_eq!(ask(&second, text), Ok(4));
}
