//! Figures for people, not for the suite: `cargo test --release analytics::tests::speed -- --ignored --nocapture`.

use std::time::Instant;

use serde_json::json;

use super::{NOW, ORGANIZATION, WEBSITE, ask, store::Bare, target};
use crate::analytics::catalogue;

#[tokio::test]
#[ignore = "measures; proves nothing"]
async fn every_type_over_four_million_rows() {
    let directory = tempfile::tempdir().unwrap();
    let store = Bare::new(&[]);
    let made = format!(
        "INSERT INTO t BY NAME SELECT {ORGANIZATION}::BIGINT AS organization, {WEBSITE}::BIGINT AS website, \
         {NOW} - 7776000000 + i * 1944 AS time, time AS received, (CASE WHEN i % 10 < 8 THEN 1 \
         WHEN i % 10 = 8 THEN 4 ELSE 2 END)::UTINYINT AS kind, \
         CASE WHEN i % 10 < 5 THEN 'screen_view' WHEN i % 10 < 8 THEN 'page_exit' WHEN i % 10 = 8 THEN 'LCP' \
         ELSE 'signup' END AS name, hash(i // 8 % 300000) AS visitor, hash(i // 8) AS session, \
         '/page/' || (hash(i) % 2000)::VARCHAR AS path, 0::UTINYINT AS bot, 0::UTINYINT AS trust, \
         (hash(i) % 60)::FLOAT AS time_on_page, (hash(i) % 4000)::DOUBLE AS value, \
         ['DE', 'US', 'FR', 'GB'][1 + (hash(i // 8) % 4)::BIGINT] AS country, 'google.com' AS referrer_domain \
         FROM range(4000000) r(i)"
    );
    {
        let connection = store.connection.lock().unwrap();
        connection.execute_batch("SET threads = 2").unwrap();
        connection.execute_batch(&made).unwrap();
        // As sealed segments are written; text is far slower in an unsealed table.
        let file = directory.path().join("segment.parquet");
        let seal = format!(
            "COPY t TO '{0}' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE 20000); \
             DROP TABLE t; CREATE VIEW t AS FROM read_parquet('{0}')",
            file.display()
        );
        connection.execute_batch(&seal).unwrap();
        // What `query.memory` allows by default.
        connection
            .execute_batch("SET memory_limit = '192MB'; SET temp_directory = ''")
            .unwrap();
    }
    for kind in catalogue::all() {
        let body = json!({"parameters": [kind.name], "preset": "last_90d"});
        let mut best = f64::MAX;
        for _ in 0..2 {
            let start = Instant::now();
            let answer = ask(&store, &target(), &body).await.unwrap();
            if answer["data"][0]["success"] != json!(true) {
                eprintln!("{:32} fails", kind.name);
                break;
            }
            best = best.min(start.elapsed().as_secs_f64() * 1_000.0);
        }
        eprintln!("{:32} {best:7.0} ms", kind.name);
    }
}
