//! The same questions as SQL written by hand, over one sorted file, run by the engine alone.
//!
//! The relation `mine` is the website's rows of the range without bots. Every statement gives as many rows as the
//! type does; what a `pageview`, a `session` or a `bounce` is follows the catalogue's definitions.

use std::{collections::HashMap, time::Instant};

use duckdb::{Config, Connection, types::Value};
use pharos::{config::Settings, events::engine::quoted};

use crate::built::{Built, END};

const DAY_MS: i64 = 86_400_000;

/// The engine without anything around it.
pub(crate) struct Alone(Connection);

/// What it took to answer.
pub(crate) struct Answer {
    /// Milliseconds.
    pub(crate) took: f64,
    /// Rows.
    pub(crate) rows: usize,
    /// Sums of the columns that hold whole numbers; compared with the type's columns of the same name.
    pub(crate) sums: HashMap<String, i64>,
}

impl Alone {
    /// Opens it with the threads and the memory that the program's engine has.
    pub(crate) fn open(built: &Built, settings: &Settings) -> anyhow::Result<Self> {
        let config = Config::default()
            .with("threads", settings.query.thread_count().to_string())?
            .with("memory_limit", format!("{}B", settings.query.memory.0))?;
        let connection = Connection::open_in_memory_with_flags(config)?;
        // The range of `last_90d`: whole days, today included.
        let to = (END / DAY_MS + 1) * DAY_MS;
        let from = to - 90 * DAY_MS;
        connection.execute_batch(&format!(
            "SET temp_directory = {spill};
             SET preserve_insertion_order = false;
             SET enable_progress_bar = false;
             CREATE VIEW mine AS SELECT * FROM read_parquet({file})
             WHERE website = {website} AND time >= {from} AND time < {to} AND bot = 0;
             CREATE VIEW views AS SELECT * FROM mine WHERE kind = 1 AND name = 'screen_view';",
            spill = quoted(&built.sorted.with_extension("spill").to_string_lossy()),
            file = quoted(&built.sorted.to_string_lossy()),
            website = built.website_number,
        ))?;
        Ok(Self(connection))
    }

    /// Asks and reads every value; `None` where there is no statement.
    pub(crate) fn ask(&self, kind: &str) -> anyhow::Result<Option<Answer>> {
        let Some(statement) = statement(kind) else {
            return Ok(None);
        };
        let start = Instant::now();
        let mut prepared = self.0.prepare(&statement)?;
        let mut found = prepared.query([])?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let width = row.as_ref().column_count();
            let values = (0..width).map(|at| row.get::<_, Value>(at));
            rows.push(values.collect::<Result<Vec<_>, duckdb::Error>>()?);
        }
        let took = start.elapsed().as_secs_f64() * 1e3;
        drop(found);
        let names = prepared.column_names();
        let sums = names.into_iter().enumerate().filter_map(|(at, name)| {
            let whole = rows.iter().map(|row| whole(&row[at]));
            Some((name, whole.sum::<Option<i64>>()?))
        });
        Ok(Some(Answer {
            took,
            rows: rows.len(),
            sums: sums.collect(),
        }))
    }
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::BigInt(number) => Some(*number),
        Value::HugeInt(number) => i64::try_from(*number).ok(),
        _ => None,
    }
}

fn statement(kind: &str) -> Option<String> {
    let text = match kind {
        "summary_metrics" => SUMMARY,
        "session_metrics" => SESSION_METRICS,
        "session_list" => SESSION_LIST,
        "page_performance" => PAGE_PERFORMANCE,
        "vitals_overview" => VITALS,
        "custom_events" => CUSTOM_EVENTS,
        "recent_errors" => RECENT_ERRORS,
        "error_summary" => ERROR_SUMMARY,
        "top_pages" => return Some(top("path")),
        "traffic_sources" => return Some(top_of_sessions("source")),
        "browser_name" => return Some(top("browser_name")),
        "os_name" => return Some(top("os_name")),
        "device_types" => return Some(top("device_type")),
        "country" => return Some(top("country")),
        "city" => return Some(top("city, country")),
        "top_referrers" => return Some(top_of_sessions("referrer_domain")),
        "profile_list" => PROFILE_LIST,
        "outbound_links" => OUTBOUND_LINKS,
        "outbound_domains" => OUTBOUND_DOMAINS,
        "interaction_summary" => INTERACTION,
        "frustration_by_page" => FRUSTRATION,
        "form_abandonment_by_page" => FORM_ABANDONMENT,
        "scroll_depth_summary" => SCROLL_DEPTH,
        "engagement_quality_by_page" => ENGAGEMENT_QUALITY,
        _ => return None,
    };
    Some(text.to_owned())
}

/// The hundred values with most views.
fn top(keys: &str) -> String {
    format!(
        "SELECT {keys}, count(*) AS pageviews, count(DISTINCT nullif(visitor, 0)) AS visitors,
                100.0 * count(*) / sum(count(*)) OVER () AS percentage
         FROM views GROUP BY {keys} ORDER BY pageviews DESC, {keys} LIMIT 100"
    )
}

const SUMMARY: &str = "
    WITH visits AS (
        SELECT time // 86400000 AS day, session,
               count(*) FILTER (WHERE kind = 1 AND name = 'screen_view') AS views,
               coalesce(sum(time_on_page) FILTER (WHERE kind = 1 AND name = 'page_exit' AND time_on_page > 0), 0) AS stay,
               count(*) FILTER (WHERE kind <> 1 OR name NOT IN ('screen_view', 'page_exit')) AS acts
        FROM mine WHERE kind <= 3 AND session <> 0 GROUP BY ALL HAVING views > 0),
    sessions AS (
        SELECT day, count(*) AS sessions,
               100.0 * count(*) FILTER (WHERE views = 1 AND stay < 10 AND acts = 0) / count(*) AS bounce_rate,
               median(stay) AS median_session_duration
        FROM visits GROUP BY day),
    days AS (
        SELECT time // 86400000 AS day, count(*) FILTER (WHERE kind = 1 AND name = 'screen_view') AS pageviews,
               count(DISTINCT CASE WHEN kind = 1 AND name = 'screen_view' THEN nullif(visitor, 0) END) AS visitors,
               count(*) AS total_events
        FROM mine WHERE kind <= 3 GROUP BY day)
    SELECT * FROM days LEFT JOIN sessions USING (day) ORDER BY day";

const SESSION_METRICS: &str = "
    WITH visits AS (
        SELECT session, count(*) FILTER (WHERE kind = 1 AND name = 'screen_view') AS views,
               coalesce(sum(time_on_page) FILTER (WHERE kind = 1 AND name = 'page_exit' AND time_on_page > 0), 0) AS stay,
               count(*) FILTER (WHERE kind <> 1 OR name NOT IN ('screen_view', 'page_exit')) AS acts, count(*) AS events
        FROM mine WHERE kind <= 3 GROUP BY session)
    SELECT count(*) FILTER (WHERE seen) AS sessions, median(stay) FILTER (WHERE seen) AS median_stay,
           avg(stay) FILTER (WHERE seen) AS mean_stay,
           100.0 * count(*) FILTER (WHERE seen AND views = 1 AND stay < 10 AND acts = 0)
               / nullif(count(*) FILTER (WHERE seen), 0) AS bounce_rate,
           sum(views) / nullif(count(*) FILTER (WHERE seen), 0) AS pages_per_session, sum(events) AS total_events
    FROM (SELECT *, session <> 0 AND views > 0 AS seen FROM visits)";

const SESSION_LIST: &str = "
    WITH newest AS (
        SELECT session, min(time) AS first_visit, max(time) AS last_visit,
               count(*) FILTER (WHERE kind = 1 AND name = 'screen_view') AS page_views, count(*) AS total_events
        FROM mine WHERE kind <= 3 AND session <> 0 GROUP BY session HAVING page_views > 0
        ORDER BY first_visit DESC, session LIMIT 100)
    SELECT session, first_visit, last_visit, page_views, total_events, min_by(visitor, time), min_by(country, time),
           min_by(referrer, time), min_by(device_type, time), min_by(browser_name, time), min_by(os_name, time),
           list({'time': time, 'name': name, 'path': path, 'properties': properties} ORDER BY time)
    FROM newest JOIN (SELECT * FROM mine WHERE kind <= 3) USING (session)
    GROUP BY ALL ORDER BY first_visit DESC, session";

const PAGE_PERFORMANCE: &str = "
    SELECT path, count(*) FILTER (WHERE name = 'screen_view') AS pageviews,
           count(DISTINCT CASE WHEN name = 'screen_view' THEN nullif(visitor, 0) END) AS visitors,
           avg(time_on_page) FILTER (WHERE name = 'page_exit' AND time_on_page > 0) AS time_on_page,
           avg(load_time) FILTER (WHERE load_time > 0) AS load_time, avg(ttfb) FILTER (WHERE ttfb > 0) AS ttfb
    FROM mine WHERE kind = 1 AND name IN ('screen_view', 'page_exit')
    GROUP BY path HAVING pageviews > 0 ORDER BY pageviews DESC, path LIMIT 100";

const VITALS: &str = "
    SELECT name, count(*) AS samples, quantile_cont(value, 0.5), quantile_cont(value, 0.75), quantile_cont(value, 0.9),
           quantile_cont(value, 0.95), quantile_cont(value, 0.99), avg(value)
    FROM mine WHERE kind = 4 AND value IS NOT NULL GROUP BY name ORDER BY name LIMIT 100";

const CUSTOM_EVENTS: &str = "
    SELECT name, count(*) AS total_events, count(DISTINCT nullif(visitor, 0)) AS unique_users,
           count(DISTINCT nullif(session, 0)) AS unique_sessions, max(time), min(time),
           count(*) FILTER (WHERE properties NOT IN ('', '{}', 'null')) AS events_with_properties,
           100.0 * count(*) / sum(count(*)) OVER () AS percentage
    FROM mine WHERE kind = 2 GROUP BY name ORDER BY total_events DESC, name LIMIT 100";

const RECENT_ERRORS: &str = "
    SELECT time, name, message, stack, filename, line, column_number, path, visitor, session, browser_name,
           browser_version, os_name, device_type, country
    FROM mine WHERE kind = 5 ORDER BY time DESC LIMIT 100";

const OUTBOUND_LINKS: &str = "
    SELECT href, link_text, count(*) AS total_clicks, count(DISTINCT nullif(visitor, 0)) AS unique_users,
           count(DISTINCT nullif(session, 0)) AS unique_sessions, max(time),
           100.0 * count(*) / sum(count(*)) OVER () AS percentage
    FROM mine WHERE kind = 3 AND href LIKE 'http%.%'
    GROUP BY href, link_text ORDER BY total_clicks DESC, href, link_text LIMIT 100";

/// Views by the source of their session, which is its first view that came from elsewhere.
fn top_of_sessions(key: &str) -> String {
    format!(
        "WITH came AS (SELECT session, min_by(coalesce({key}, ''), time) AS origin FROM views
             WHERE source <> '' OR referrer_domain <> '' OR utm_campaign <> '' GROUP BY session)
         SELECT coalesce(came.origin, '') AS name, count(*) AS pageviews, count(DISTINCT nullif(visitor, 0)) AS visitors,
                100.0 * count(*) / sum(count(*)) OVER () AS percentage
         FROM views LEFT JOIN came USING (session) GROUP BY 1 ORDER BY pageviews DESC, 1 LIMIT 100"
    )
}

const PROFILE_LIST: &str = "
    WITH named AS (SELECT *, coalesce(nullif(profile, ''), visitor::VARCHAR) AS person FROM mine
                   WHERE kind <= 3 AND (visitor <> 0 OR profile <> '')),
    newest AS (SELECT person, min(time) AS first_visit, max(time) AS last_visit, count(*) AS total_events
               FROM named GROUP BY person ORDER BY last_visit DESC, person LIMIT 100)
    SELECT person, first_visit, last_visit, total_events,
           count(DISTINCT CASE WHEN kind = 1 AND name = 'screen_view' THEN nullif(session, 0) END) AS session_count,
           count(DISTINCT CASE WHEN kind = 1 AND name = 'screen_view' THEN path END) AS unique_pages,
           max_by(country, time), max_by(region, time), max_by(city, time), max_by(device_type, time),
           max_by(browser_name, time), max_by(os_name, time), min_by(referrer, time)
    FROM newest JOIN named USING (person) GROUP BY ALL ORDER BY last_visit DESC, person";

const OUTBOUND_DOMAINS: &str = "
    SELECT lower(regexp_extract(href, '^https?://(?:www[.])?([^/:?#]+)', 1)) AS domain, count(*) AS total_clicks,
           count(DISTINCT nullif(visitor, 0)) AS unique_users, count(DISTINCT href) AS unique_links,
           100.0 * count(*) / sum(count(*)) OVER () AS percentage
    FROM mine WHERE kind = 3 AND href LIKE 'http%.%' GROUP BY domain ORDER BY total_clicks DESC, domain LIMIT 100";

const INTERACTION: &str = "
    SELECT avg(interactions), count(DISTINCT CASE WHEN interactions > 0 THEN nullif(session, 0) END) AS interactive_sessions,
           count(DISTINCT nullif(session, 0)) AS total_sessions
    FROM mine WHERE kind = 1 AND name IN ('screen_view', 'page_exit') AND interactions IS NOT NULL";

const FRUSTRATION: &str = "
    SELECT path, count(*) AS page_views, count(DISTINCT nullif(visitor, 0)) AS visitors,
           round(100.0 * count(*) FILTER (WHERE rage_clicks > 0) / count(*), 1) AS raged,
           round(100.0 * count(*) FILTER (WHERE dead_clicks > 0) / count(*), 1) AS dead,
           100.0 * count(*) FILTER (WHERE error_count > 0) / count(*),
           mode(nullif(dead_target, '')) FILTER (WHERE dead_clicks > 0),
           mode(nullif(rage_target, '')) FILTER (WHERE rage_clicks > 0)
    FROM mine WHERE kind = 6 GROUP BY path HAVING page_views >= 5 ORDER BY raged + dead DESC, path LIMIT 100";

const FORM_ABANDONMENT: &str = "
    SELECT path, count(*) AS form_starts, count(*) FILTER (WHERE form_submits > 0) AS form_submits,
           100.0 * count(*) FILTER (WHERE form_submits = 0) / count(*),
           mode(nullif(last_field, '')) FILTER (WHERE form_submits = 0)
    FROM mine WHERE kind = 6 AND form_fields >= 1
    GROUP BY path HAVING form_starts >= 5 ORDER BY form_starts DESC, path LIMIT 100";

const SCROLL_DEPTH: &str = "
    SELECT avg(scroll_depth), count(DISTINCT nullif(session, 0)) AS total_sessions,
           count(DISTINCT nullif(visitor, 0)) AS visitors
    FROM mine WHERE kind = 1 AND name = 'page_exit' AND scroll_depth > 0";

const ENGAGEMENT_QUALITY: &str = "
    SELECT path, count(*) AS page_views, avg(time_on_page), avg(active_time),
           100.0 * sum(active_time) / nullif(sum(time_on_page), 0), avg(scroll_depth), avg(interactions),
           median(first_interaction)
    FROM mine WHERE kind = 6 GROUP BY path HAVING page_views >= 5 ORDER BY page_views DESC, path LIMIT 100";

const ERROR_SUMMARY: &str = r#"
    SELECT count(*) FILTER (WHERE kind = 5) AS "totalErrors",
           count(DISTINCT CASE WHEN kind = 5 THEN name END) AS "uniqueErrorTypes",
           count(DISTINCT CASE WHEN kind = 5 THEN nullif(visitor, 0) END) AS "affectedUsers",
           count(DISTINCT CASE WHEN kind = 5 THEN nullif(session, 0) END) AS "affectedSessions",
           100.0 * "affectedSessions" / nullif(count(DISTINCT nullif(session, 0)), 0) AS error_rate
    FROM mine WHERE kind IN (1, 5)"#;
