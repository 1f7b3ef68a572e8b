//! The tables, made from [`COLUMNS`].
//!
//! A row carries a `dedup_key` beside its columns. The table keeps one row of each key: batches are sent again until their
//! outcome is known, and what neither the token of a batch nor the memory of ids has caught falls together when parts are
//! merged. Partitions are days of receipt, so a retry lands where the first one did.

use std::fmt::Write as _;

use super::address::{NotAnAddress, name};
use crate::events::{column::Column, tables::COLUMNS, versions::SCHEMA};

/// The table that statements read and batches go to.
pub const TABLE: &str = "pharos_events";
/// With a cluster: the table of each server, behind [`TABLE`].
const LOCAL: &str = "pharos_events_local";
/// Which version of the tables there is.
pub const VERSIONS: &str = "pharos_schema";
/// Column with the unique key of an event.
pub const KEY: &str = "dedup_key";
/// Batches whose tokens are remembered, on every server.
const WINDOW: u32 = 10_000;

/// Names and statements of the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    cluster: Option<String>,
}

impl Schema {
    /// Plain tables, or those of a cluster.
    ///
    /// # Errors
    /// The cluster has a name with other signs than letters, digits and `_`.
    pub fn new(cluster: Option<String>) -> Result<Self, NotAnAddress> {
        if let Some(cluster) = &cluster {
            name(cluster)?;
        }
        Ok(Self { cluster })
    }

    /// Makes version [`SCHEMA`] of the tables where there are none.
    pub fn creation(&self) -> Vec<String> {
        let mut columns = String::new();
        for column in COLUMNS {
            let _ = write!(columns, "{}, ", declared(column));
        }
        let _ = write!(columns, "{KEY} UInt128");
        let sorted = format!(
            "PARTITION BY intDiv(received, 86400000) ORDER BY (organization, website, time, {KEY})"
        );
        let versions = "version Int32, applied DateTime DEFAULT now()";
        match &self.cluster {
            None => vec![
                format!(
                    "CREATE TABLE IF NOT EXISTS {VERSIONS} ({versions}) ENGINE = MergeTree ORDER BY version"
                ),
                format!(
                    "CREATE TABLE IF NOT EXISTS {TABLE} ({columns}) ENGINE = ReplacingMergeTree {sorted} \
                     SETTINGS non_replicated_deduplication_window = {WINDOW}"
                ),
            ],
            Some(cluster) => vec![
                // One replication group for all servers: whatever shard, the version is the same.
                format!(
                    "CREATE TABLE IF NOT EXISTS {VERSIONS} ON CLUSTER {cluster} ({versions}) \
                     ENGINE = ReplicatedMergeTree('/clickhouse/tables/{{database}}/{VERSIONS}', '{{shard}}-{{replica}}') \
                     ORDER BY version"
                ),
                format!(
                    "CREATE TABLE IF NOT EXISTS {LOCAL} ON CLUSTER {cluster} ({columns}) \
                     ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{{shard}}/{{database}}/{LOCAL}', '{{replica}}') \
                     {sorted} SETTINGS replicated_deduplication_window = {WINDOW}, \
                     replicated_deduplication_window_seconds = 604800"
                ),
                // All rows of a website are on one shard, where they are deduplicated and joined.
                format!(
                    "CREATE TABLE IF NOT EXISTS {TABLE} ON CLUSTER {cluster} AS {LOCAL} \
                     ENGINE = Distributed({cluster}, currentDatabase(), {LOCAL}, sipHash64(website))"
                ),
            ],
        }
    }

    /// Brings tables of an earlier version to [`SCHEMA`].
    pub fn upgrade(&self, from: i32) -> Vec<String> {
        let added: Vec<String> = COLUMNS
            .iter()
            .filter(|column| column.since > from)
            .map(|column| format!("ADD COLUMN IF NOT EXISTS {}", declared(column)))
            .collect();
        if added.is_empty() {
            return Vec::new();
        }
        let on = self.on_cluster();
        let mut tables = vec![self.stored()];
        if self.cluster.is_some() {
            // Rows first: a table may not promise columns that are not there.
            tables.push(TABLE);
        }
        let altered = tables.iter();
        altered
            .map(|table| format!("ALTER TABLE {table}{on} {}", added.join(", ")))
            .collect()
    }

    /// Notes the version of the tables.
    pub fn noted() -> String {
        format!("INSERT INTO {VERSIONS} (version) VALUES ({SCHEMA})")
    }

    /// Rows of the table, as a `FROM` clause names them.
    pub fn selection(&self, predicate: &str) -> String {
        let columns: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        format!(
            "(SELECT {} FROM {TABLE} WHERE {predicate})",
            columns.join(", ")
        )
    }

    /// Takes a batch of rows, whose columns are in the order of [`COLUMNS`], the key behind them.
    ///
    /// Synchronous, and known by its token: repeating one of the last ten thousand batches changes nothing.
    pub fn insertion(&self, token: &str) -> String {
        let columns: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        let replicated = if self.cluster.is_some() {
            ", insert_quorum = 'auto', distributed_foreground_insert = 1"
        } else {
            ""
        };
        format!(
            "INSERT INTO {TABLE} ({}, {KEY}) SETTINGS async_insert = 0, insert_deduplicate = 1, \
             insert_deduplication_token = '{token}', max_partitions_per_insert_block = 0{replicated} FORMAT RowBinary",
            columns.join(", ")
        )
    }

    /// Deletes rows for good, and answers when that is done everywhere.
    pub fn deletion(&self, predicate: &str) -> String {
        format!(
            "ALTER TABLE {}{} DELETE WHERE {predicate} SETTINGS mutations_sync = 2",
            self.stored(),
            self.on_cluster()
        )
    }

    /// Lets rows go when their time has come; `rules` are pairs of days and a condition. Existing parts follow as they are merged.
    pub fn expiry(&self, rules: &[(u32, String)]) -> String {
        let (table, on) = (self.stored(), self.on_cluster());
        if rules.is_empty() {
            return format!("ALTER TABLE {table}{on} REMOVE TTL");
        }
        let rules: Vec<String> = rules
            .iter()
            .map(|(days, condition)| {
                format!(
                    "toDateTime(intDiv(greatest(time, 0), 1000)) + toIntervalDay({days}) DELETE WHERE {condition}"
                )
            })
            .collect();
        format!("ALTER TABLE {table}{on} MODIFY TTL {}", rules.join(", "))
    }

    /// The table that rows lie in.
    fn stored(&self) -> &'static str {
        if self.cluster.is_some() { LOCAL } else { TABLE }
    }

    fn on_cluster(&self) -> String {
        let named = self.cluster.as_ref();
        named.map_or_else(String::new, |cluster| format!(" ON CLUSTER {cluster}"))
    }
}

fn declared(column: &Column) -> String {
    format!("{} {}", column.name, column.read.clickhouse_type())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(cluster: Option<&str>) -> String {
        let schema = Schema::new(cluster.map(str::to_owned)).unwrap();
        let mut all = schema.creation();
        all.extend(schema.upgrade(1));
        all.push(Schema::noted());
        all.push(schema.insertion("node:1-2"));
        all.push(schema.deletion("organization = 1"));
        all.push(schema.expiry(&[(30, "time >= 0".to_owned())]));
        all.push(schema.expiry(&[]));
        // A line each, and of the many columns the first and the last ones.
        let columns: Vec<String> = COLUMNS.iter().map(declared).collect();
        let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        let few = |list: &[String]| {
            format!(
                "{}, …, {}",
                list[..5].join(", "),
                list[list.len() - 2..].join(", ")
            )
        };
        let (declared, named) = (columns.join(", "), names.join(", "));
        let short = few(&columns);
        let short_names = few(&names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>());
        all.join(";\n")
            .replace(&declared, &short)
            .replace(&named, &short_names)
    }

    #[test]
    fn statements_of_plain_tables_are_these() {
        insta::assert_snapshot!("plain", statements(None));
    }

    /// What the engine of the tests cannot run.
    #[test]
    fn statements_of_a_cluster_are_these() {
        insta::assert_snapshot!("cluster", statements(Some("main")));
    }

    #[test]
    fn a_cluster_has_a_name_and_nothing_else() {
        assert!(Schema::new(Some("main_2".into())).is_ok());
        for name in ["", "a b", "a'", "1a", "a; DROP TABLE x"] {
            assert!(Schema::new(Some(name.into())).is_err(), "{name}");
        }
    }
}
