//! Statements of goals and funnels ([`crate::analytics::funnel`]).
//!
//! The store is read once: `hits` has every event that takes some step, with its place in time (`hat`). `w1` has who took
//! the first step, and each `w` after it who went on, by the first event behind the last one that takes the step. An
//! earlier start never comes less far, so one start per person is enough unless paths have to end within a window;
//! then every start is a path, and of several that reach a step the one that began first counts (`f`).

use super::{Ask, attribution, condition, predicate, series};
use crate::{
    analytics::{
        dialect::Sql,
        funnel::{Condition, Funnel, NamePattern, Step, StepTarget},
    },
    events::statement::{Bind, Scope, Statement},
};

/// Rows of a funnel by the day on which people came in: `step, bucket, users, took, whole`. Step 0 has all errors.
pub(in crate::analytics) fn by_day(ask: &Ask<'_>, funnel: &Funnel) -> Statement {
    let mut sql = paths(ask, funnel, false);
    sql.push(" ").append(&daily(ask, funnel));
    sql.push(" UNION ALL SELECT 0, 0, count(*), 0, 0 FROM {events} WHERE ");
    sql.append(&condition(ask));
    sql.push(&format!(
        " AND kind = kind_of(error) AND {} <> 0",
        funnel.each.column()
    ));
    statement(ask, sql)
}

/// The same, and the errors of people in the funnel that they have not gone through, in one statement: `part, step, bucket,
/// message, type` and four numbers. Part 0 has the rows of [`by_day`]; the others have the numbers of errors, users,
/// sessions and dropped: part 1 of all, 2 of a step, 3 of a message.
pub(in crate::analytics) fn by_day_with_errors(ask: &Ask<'_>, funnel: &Funnel) -> Statement {
    let mut sql = paths(ask, funnel, false);
    sql.append(&met(ask, funnel));
    sql.push(
        "SELECT 0 AS part, step, bucket, '' AS message, '' AS type, users AS one, took AS two, whole AS three, 0 AS four FROM (",
    );
    sql.append(&daily(ask, funnel));
    sql.push(&format!(
        ") figures UNION ALL SELECT 0, 0, 0, '', '', CAST(coalesce(sum(times), 0) AS BIGINT), 0, 0, 0 FROM errors \
         UNION ALL SELECT 1, 0, 0, '', '', {NUMBERS} \
         UNION ALL SELECT 2, step, 0, '', '', {NUMBERS} GROUP BY step \
         UNION ALL SELECT 3, step, 0, message, type, CAST(times AS BIGINT), 0, 0, 0 FROM ranked WHERE place <= 5 \
         ORDER BY 1, 2, 6 DESC, 4, 5"
    ));
    statement(ask, sql)
}

/// Who took which step, by the day on which they came in.
fn daily(ask: &Ask<'_>, funnel: &Funnel) -> Sql {
    let mut sql = Sql::new(
        "SELECT step, bucket, count(*) AS users, CAST(sum(took) AS BIGINT) AS took, CAST(sum(whole) AS BIGINT) AS whole \
         FROM (SELECT step, ",
    );
    sql.append(&bucket(ask))
        .push(" AS bucket, took, whole FROM (");
    for step in 1..=funnel.steps.len() {
        if step > 1 {
            sql.push(" UNION ALL ");
        }
        let from = best_paths(funnel, step);
        sql.push(&format!(
            "SELECT {step} AS step, entered AS time, t - before AS took, t - t1 AS whole FROM {from}"
        ));
    }
    sql.push(") taken) placed GROUP BY step, bucket");
    sql
}

/// Rows of a funnel by the source of the visit in which the first step was taken: `step, domain, source, channel, users`;
/// step 1 has who came in, step 2 who went through.
pub(in crate::analytics) fn by_referrer(ask: &Ask<'_>, funnel: &Funnel) -> Statement {
    let mut sql = paths(ask, funnel, true);
    let columns = ["referrer_domain", "source", "channel"];
    let which = " AND session IN (SELECT visit FROM w1)";
    sql.push(", origins AS (")
        .append(&attribution::sessions(ask, &columns, which));
    sql.push(
        ") SELECT step, coalesce(c0, '') AS domain, coalesce(c1, '') AS source, coalesce(c2, '') AS channel, \
         count(*) AS users FROM (SELECT 1 AS step, visit AS taken_in FROM ",
    );
    sql.push(&best_paths(funnel, 1))
        .push(" UNION ALL SELECT 2, visit FROM ")
        .push(&best_paths(funnel, funnel.steps.len()));
    sql.push(") taken LEFT JOIN origins ON origins.visit = taken.taken_in GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4");
    statement_within(ask, sql, ask.scope(true))
}

/// How many errors, whose, in how many visits, and who of these took no further step.
const NUMBERS: &str = "CAST(coalesce(sum(times), 0) AS BIGINT), count(DISTINCT who), \
    count(DISTINCT CASE WHEN visit <> 0 THEN visit END), count(DISTINCT stayed) FROM met";

/// `, … met AS …, ranked AS …`: errors behind a step and before the next, and the most frequent of each.
fn met(ask: &Ask<'_>, funnel: &Funnel) -> Sql {
    let (each, length) = (funnel.each.column(), funnel.steps.len());
    let mut sql = Sql::new(", reached AS (");
    for step in 1..=length {
        if step > 1 {
            sql.push(" UNION ALL ");
        }
        let from = best_paths(funnel, step);
        sql.push(&format!("SELECT {step} AS step, who, mark FROM {from}"));
    }
    sql.push(&format!(
        "), depths AS (SELECT who, max(step) AS depth FROM reached GROUP BY who), \
         errors AS MATERIALIZED (SELECT {each} AS who, instant(time, received, 15) AS hat, session AS visit, \
         coalesce(message, '') AS message, name AS type, count(*) AS times FROM {{events}} WHERE "
    ));
    sql.append(&condition(ask));
    sql.push(&format!(
        " AND kind = kind_of(error) AND {each} <> 0 GROUP BY 1, 2, 3, 4, 5), placed AS (SELECT e.who AS who, e.hat \
         AS hat, e.visit AS visit, e.message AS message, e.type AS type, min(e.times) AS times, max(r.step) AS step \
         FROM errors e JOIN reached r ON r.who = e.who WHERE r.mark < e.hat GROUP BY e.who, e.hat, e.visit, \
         e.message, e.type), met AS MATERIALIZED (SELECT p.who AS who, p.visit AS visit, p.message AS message, \
         p.type AS type, p.times AS times, p.step AS step, CASE WHEN p.step = d.depth THEN p.who END AS stayed FROM \
         placed p JOIN depths d ON d.who = p.who WHERE p.step < {length}), listed AS (SELECT step, message, type, \
         sum(times) AS times FROM met GROUP BY step, message, type), ranked AS (SELECT step, message, type, times, \
         row_number() OVER (PARTITION BY step ORDER BY times DESC, message, type) AS place FROM listed) "
    ));
    sql
}

/// A goal, by the day on which people did anything first: `bucket, users, completed, took`.
pub(in crate::analytics) fn goal(ask: &Ask<'_>, goal: &Funnel) -> Statement {
    let each = goal.each.column();
    let mut sql = Sql::new(
        "SELECT bucket, count(*) AS users, count(done) AS completed, \
         CAST(coalesce(sum(done - time), 0) AS BIGINT) AS took FROM (SELECT ",
    );
    sql.append(&bucket(ask)).push(
        " AS bucket, time, done FROM (SELECT who, min(t) AS time, min(CASE WHEN hit THEN t END) AS done FROM (SELECT ",
    );
    sql.push(each).push(" AS who, time AS t, ");
    match goal.steps.first() {
        Some(step) => sql.append(&takes_step(ask, step)),
        None => sql.push("false"),
    };
    sql.push(" AS hit FROM {events} WHERE ")
        .append(&condition(ask));
    sql.push(&format!(
        " AND kind IN (kind_of(page), kind_of(custom)) AND {each} <> 0) done GROUP BY who) people) placed GROUP BY bucket ORDER BY bucket"
    ));
    statement(ask, sql)
}

/// `WITH hits AS …, w1 AS …, …`: who came how far, a row per person (or per way, with a window) and step.
fn paths(ask: &Ask<'_>, funnel: &Funnel, with_visit: bool) -> Sql {
    let mut sql = hits(ask, funnel, with_visit);
    first(&mut sql, funnel, with_visit);
    let visit = |text: &'static str| if with_visit { text } else { "" };
    for step in 2..=funnel.steps.len() {
        let before = step - 1;
        sql.push(&format!(
            ", w{step} AS MATERIALIZED (SELECT w.who AS who, {}min(w.t1) AS t1, min(w.entered) AS entered, \
             min(w.t) AS before, min(h.hat) AS mark, min(h.ht) AS t{} FROM w{before} w JOIN hits h ON h.who = w.who \
             WHERE {} AND h.hat > w.mark",
            if funnel.window_ms.is_some() { "w.a1 AS a1, " } else { "" },
            visit(", min(w.visit) AS visit"),
            hit("h.", funnel, step),
        ));
        if let Some(window) = funnel.window_ms {
            sql.push(" AND h.ht - w.t1 <= ").bind(Bind::Int(window));
            sql.push(" GROUP BY w.who, w.a1)");
        } else {
            sql.push(" GROUP BY w.who)");
        }
    }
    if funnel.window_ms.is_some() {
        for step in 1..=funnel.steps.len() {
            sql.push(&format!(
                ", f{step} AS MATERIALIZED (SELECT who, min(entered) AS entered, min(t1) AS t1, \
                 argMin(before, a1) AS before, argMin(mark, a1) AS mark, argMin(t, a1) AS t{} FROM w{step} GROUP BY who)",
                visit(", min(visit) AS visit"),
            ));
        }
    }
    sql
}

/// Whether a row of `hits` takes a step.
fn hit(of: &str, funnel: &Funnel, step: usize) -> String {
    if funnel.is_exclusive() {
        format!("{of}s = {step}")
    } else {
        format!("{of}h{step}")
    }
}

/// Every event that takes a step: `who, ht, hat, visit` and which: `s`, or `h1, h2, …` where one event may take several.
fn hits(ask: &Ask<'_>, funnel: &Funnel, with_visit: bool) -> Sql {
    let each = funnel.each.column();
    let mut condition = condition(ask);
    if with_visit {
        // More is read than is counted: visits begin earlier.
        condition
            .push(" AND time >= ")
            .bind(Bind::Int(ask.span().0));
    }
    let found = format!("(SELECT {each} AS who, time AS ht, received, session AS visit");
    let of_people = format!(" AND kind IN (kind_of(page), kind_of(custom)) AND {each} <> 0) found");
    if funnel.is_exclusive() {
        let mut sql = Sql::new(&format!(
            "WITH hits AS MATERIALIZED (SELECT who, ht, instant(ht, received, s) AS hat, visit, s FROM {found}, "
        ));
        sql.append(&only_step(ask, funnel));
        sql.push(" AS s FROM {events} WHERE ").append(&condition);
        sql.push(&of_people).push(" WHERE s > 0)");
        return sql;
    }
    let names: Vec<String> = (1..=funnel.steps.len())
        .map(|step| format!("h{step}"))
        .collect();
    let places = names.iter().enumerate();
    let first: Vec<String> = places
        .map(|(place, name)| format!("WHEN {name} THEN {}", place + 1))
        .collect();
    let mut sql = Sql::new(&format!(
        "WITH hits AS MATERIALIZED (SELECT who, ht, instant(ht, received, CASE {} ELSE 0 END) AS hat, visit, {} FROM {found}",
        first.join(" "),
        names.join(", "),
    ));
    for (step, name) in funnel.steps.iter().zip(&names) {
        sql.push(", ")
            .append(&takes_step(ask, step))
            .push(" AS ")
            .push(name);
    }
    sql.push(" FROM {events} WHERE ").append(&condition);
    sql.push(&format!("{of_people} WHERE {})", names.join(" OR ")));
    sql
}

/// The number of the step that an event takes, of steps that exclude each other; 0 = none. What kind of event it is
/// is looked at once for all of them.
fn only_step(ask: &Ask<'_>, funnel: &Funnel) -> Sql {
    let places: Vec<(usize, &Step)> = funnel.steps.iter().enumerate().collect();
    let (views, events): (Vec<_>, Vec<_>) = places
        .into_iter()
        .partition(|(_, step)| matches!(step.target, StepTarget::View(_)));
    let mut sql = Sql::new("CASE");
    for (kind, such) in [
        ("is_view()", views),
        ("kind IN (kind_of(page), kind_of(custom))", events),
    ] {
        if such.is_empty() {
            continue;
        }
        sql.push(&format!(" WHEN {kind} THEN CASE"));
        for (place, step) in such {
            sql.push(" WHEN ").append(&meets(ask, step));
            sql.push(&format!(" THEN {}", place + 1));
        }
        sql.push(" ELSE 0 END");
    }
    sql.push(" ELSE 0 END");
    sql
}

/// Who takes the first step, when first, and each time if ways have to end.
fn first(sql: &mut Sql, funnel: &Funnel, with_visit: bool) {
    let came = format!(
        "SELECT who, min(hat) AS mark, min(ht) AS t{} FROM hits WHERE {} GROUP BY who",
        if with_visit {
            ", argMin(visit, (hat, visit)) AS visit"
        } else {
            ""
        },
        hit("", funnel, 1),
    );
    let visit = if with_visit { ", c.visit AS visit" } else { "" };
    if funnel.window_ms.is_none() {
        sql.push(&format!(
            ", w1 AS MATERIALIZED (SELECT c.who AS who, c.t AS t1, c.t AS entered, c.t AS before, c.mark AS mark, c.t AS t{visit} \
             FROM ({came}) c)"
        ));
    } else {
        sql.push(&format!(
            ", w1 AS MATERIALIZED (SELECT s.who AS who, s.hat AS a1, s.ht AS t1, c.t AS entered, s.ht AS before, s.hat AS mark, \
             s.ht AS t{visit} FROM (SELECT who, hat, min(ht) AS ht FROM hits WHERE {} GROUP BY who, hat) s \
             JOIN ({came}) c ON c.who = s.who)",
            hit("", funnel, 1),
        ));
    }
}

/// The relation that has one row per person who took a step.
fn best_paths(funnel: &Funnel, step: usize) -> String {
    match funnel.window_ms {
        None => format!("w{step}"),
        Some(_) => format!("f{step}"),
    }
}

/// Whether an event takes a step.
fn takes_step(ask: &Ask<'_>, step: &Step) -> Sql {
    let mut sql = Sql::new(match step.target {
        StepTarget::View(_) => "(is_view() AND ",
        StepTarget::Event(_) => "(kind IN (kind_of(page), kind_of(custom)) AND ",
    });
    sql.append(&meets(ask, step)).push(")");
    sql
}

/// Whether an event of the right kind takes a step.
fn meets(ask: &Ask<'_>, step: &Step) -> Sql {
    let mut sql = Sql::default();
    match &step.target {
        StepTarget::View(path) => matches_name(&mut sql, "path", path),
        StepTarget::Event(name) => matches_name(&mut sql, "name", name),
    }
    for condition in &step.conditions {
        sql.push(" AND ");
        match condition {
            Condition::Field(filter) => {
                let columns = filter.field.columns.iter();
                let columns: Vec<Sql> = columns.map(|column| Sql::new(column)).collect();
                let own = predicate::predicate(ask, filter, &columns);
                sql.append(&own.unwrap_or_else(|| Sql::new("false")));
            }
            Condition::Property { key, op, values } => {
                sql.append(&predicate::property(key, *op, values));
            }
        }
    }
    sql
}

fn matches_name(sql: &mut Sql, column: &str, name: &NamePattern) {
    match name {
        NamePattern::Exactly(text) => {
            sql.push(column).push(" = ").bind(Bind::Text(text.clone()));
        }
        NamePattern::Beginning(start) => {
            sql.push(&format!("starts_with({column}, "));
            sql.bind(Bind::Text(start.clone())).push(")");
        }
        NamePattern::Below(path) => {
            sql.push(&format!("({column} = "))
                .bind(Bind::Text(path.clone()));
            sql.push(&format!(" OR starts_with({column}, "));
            sql.bind(Bind::Text(format!("{path}/"))).push("))");
        }
    }
}

pub(super) fn condition(ask: &Ask<'_>) -> Sql {
    condition::condition(ask).sql
}

fn bucket(ask: &Ask<'_>) -> Sql {
    series::number(ask, &series::cuts(ask))
}

pub(in crate::analytics) fn days(ask: &Ask<'_>) -> Vec<crate::analytics::range::Bucket> {
    series::every(ask, &series::cuts(ask))
}

pub(super) fn statement(ask: &Ask<'_>, sql: Sql) -> Statement {
    let scope = ask.scope(condition::condition(ask).by_visit);
    statement_within(ask, sql, scope)
}

fn statement_within(ask: &Ask<'_>, sql: Sql, scope: Scope) -> Statement {
    let filters = &ask.request.filters;
    let of_people = filters.iter().any(|filter| filter.field.is_profile());
    let rows = if of_people { "{people}" } else { "{events}" };
    let text = sql.text.replace("{events}", rows);
    let spelled = |ask: &Ask<'_>| Statement {
        spilling: None,
        text: ask.dialect.spell(&text, &sql.binds),
        binds: sql.binds.clone(),
        scope: scope.clone(),
    };
    ask.or_spilling(spelled(ask), spelled)
}
