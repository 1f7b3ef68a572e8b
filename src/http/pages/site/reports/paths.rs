//! The diagram of user paths.

use std::collections::HashMap;

use serde_json::Value;

use super::cell::TableContext;
use crate::{
    analytics::run::Answers,
    http::pages::prelude::*,
    pages::chart::{Flow, Node, Sankey},
};

/// Pages of a step that are shown; the others are one.
const MAX_PAGES: usize = 7;
const OTHERS: &str = "Other pages";
const EXITED: &str = "Exited";

/// A row of `user_journeys`.
struct PathRow<'a> {
    step: usize,
    source: &'a str,
    target: Option<&'a str>,
    sessions: u64,
}

fn read(row: &Value) -> Option<PathRow<'_>> {
    Some(PathRow {
        step: usize::try_from(row["step"].as_u64()?)
            .ok()?
            .checked_sub(1)?,
        source: row["source"].as_str()?,
        target: row["target"].as_str().filter(|target| !target.is_empty()),
        sessions: row["sessions"].as_u64()?,
    })
}

pub(super) fn draw(rows: &[Value], _: &Answers, at: &TableContext<'_>) -> Markup {
    let rows: Vec<PathRow<'_>> = rows.iter().filter_map(read).collect();
    let (columns, flows) = lay_out(&rows);
    let node = |(name, value): &(&str, u64)| {
        let is_page = *name != OTHERS && *name != EXITED;
        let view = at.view.with_filter("journey_start", "eq", name);
        Node {
            name: (*name).to_owned(),
            value: *value,
            link: is_page.then(|| (view.address(at.path), "Start here".to_owned())),
            is_dim: !is_page,
        }
    };
    let columns: Vec<Vec<Node>> = columns
        .iter()
        .map(|column| column.iter().map(node).collect())
        .collect();
    let sankey = Sankey {
        title: "User paths, as in the table below",
        noun: ("session", "sessions"),
        columns: &columns,
        flows: &flows,
    };
    sankey.draw()
}

/// The nodes of a step with their sessions.
type Column<'a> = Vec<(&'a str, u64)>;

fn lay_out<'a>(rows: &[PathRow<'a>]) -> (Vec<Column<'a>>, Vec<Flow>) {
    let steps = rows.iter().map(|row| row.step + 1).max().unwrap_or(0);
    let mut sums: Vec<HashMap<&str, u64>> = vec![HashMap::new(); steps + 1];
    for row in rows {
        *sums[row.step].entry(row.source).or_default() += row.sessions;
        // Targets are sources of the next step, but in the last one and at exits.
        match row.target {
            None => *sums[row.step + 1].entry(EXITED).or_default() += row.sessions,
            Some(target) if row.step + 1 == steps => {
                *sums[steps].entry(target).or_default() += row.sessions;
            }
            Some(_) => {}
        }
    }
    let columns: Vec<Column<'a>> = sums.iter().map(choose).collect();
    let find = |column: usize, name: &str| {
        let place = |name: &str| columns[column].iter().position(|(own, _)| *own == name);
        place(name).or_else(|| place(OTHERS))
    };
    let mut flows: HashMap<(usize, usize, usize), u64> = HashMap::new();
    for row in rows {
        let from = find(row.step, row.source);
        let to = find(row.step + 1, row.target.unwrap_or(EXITED));
        if let (Some(from), Some(to)) = (from, to) {
            *flows.entry((row.step, from, to)).or_default() += row.sessions;
        }
    }
    let flow = |((column, from, to), value)| Flow {
        column,
        from,
        to,
        value,
    };
    let mut flows: Vec<Flow> = flows.into_iter().map(flow).collect();
    flows.sort_by_key(|flow| (flow.column, flow.from, flow.to));
    (columns, flows)
}

/// The largest pages, the others together, and the exits.
fn choose<'a>(sums: &HashMap<&'a str, u64>) -> Column<'a> {
    let mut pages: Column<'a> = sums.iter().map(|(name, sum)| (*name, *sum)).collect();
    pages.retain(|(name, _)| *name != EXITED);
    pages.sort_by(|(one, few), (other, many)| many.cmp(few).then(one.cmp(other)));
    let rest: u64 = pages.iter().skip(MAX_PAGES).map(|(_, sum)| sum).sum();
    pages.truncate(MAX_PAGES);
    let others = (rest > 0).then_some((OTHERS, rest));
    let exited = sums.get(EXITED).map(|sum| (EXITED, *sum));
    pages.into_iter().chain(others).chain(exited).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_follow_each_other_and_small_pages_are_one() {
        let mut rows = vec![
            json!({ "step": 1, "source": "/", "target": "/a", "sessions": 5 }),
            json!({ "step": 1, "source": "/", "target": null, "sessions": 2 }),
            json!({ "step": 2, "source": "/a", "target": "/b", "sessions": 4 }),
            json!({ "step": 2, "source": "/a", "target": "", "sessions": 1 }),
        ];
        let pages: Vec<String> = (0..9).map(|page| format!("/{page}")).collect();
        rows.extend(
            pages
                .iter()
                .map(|page| json!({ "step": 1, "source": page, "target": "/a", "sessions": 1 })),
        );
        let rows: Vec<PathRow<'_>> = rows.iter().filter_map(read).collect();
        let (columns, flows) = lay_out(&rows);
        assert_eq!(columns.len(), 3);
        assert_eq!(columns[0].first(), Some(&("/", 7)));
        assert_eq!(columns[0].last(), Some(&(OTHERS, 3)));
        assert_eq!(columns[1], [("/a", 5), (EXITED, 2)]);
        assert_eq!(columns[2], [("/b", 4), (EXITED, 1)]);
        let others = flows
            .iter()
            .find(|flow| flow.column == 0 && flow.from == 7)
            .unwrap();
        assert_eq!((others.to, others.value), (0, 3));
    }
}
