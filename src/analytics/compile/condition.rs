//! Filters as conditions on the event table.
//!
//! A filter on what is true of a whole visit (with what, from where) asks the visit's first page event, or its first event
//! if there is none; one on where it came from asks for its source ([`attribution`]). Every event of the visit passes or
//! none ([`openings`]).

use super::{Ask, attribution, openings, predicate::predicate, visits::people};
use crate::{
    analytics::{
        catalogue::{About, BOT_VERDICT, Field},
        dialect::Sql,
        request::Filter,
    },
    events::statement::Bind,
};

/// What a request's filters come to for one type.
pub(super) struct Condition {
    /// `bot = 0` (but for the ledger) and every filter that acts.
    pub(super) sql: Sql,
    /// Per filter, whether it acts.
    pub(super) acts: Vec<bool>,
    /// Whether visits are chosen or grouped by how they began: all of a visit counts for every part of it.
    pub(super) by_visit: bool,
}

/// The condition that every row must meet: it is a person's, and passes the filters that the type knows.
pub(super) fn condition(ask: &Ask<'_>) -> Condition {
    let mut sql = Sql::default();
    sql.append(&match ask.parameter.kind.about {
        About::People => people(ask),
        About::Things if asks_who(ask) => Sql::new("true"),
        About::Things => Sql::new("bot = 0"),
        About::Everyone | About::Receipt => Sql::new("true"),
    });
    let mut acts = Vec::new();
    let mut of_visits = Vec::new();
    for filter in &ask.request.filters {
        let meant = ask.meaning(filter.field).map(|field| Filter {
            field,
            ..filter.clone()
        });
        let found = meant.and_then(|filter| {
            let own = predicate(ask, &filter, &columns(ask, filter.field))?;
            Some((filter, own))
        });
        acts.push(found.is_some());
        match found {
            Some((filter, own)) if is_of_visit(ask, filter.field) => of_visits.push((filter, own)),
            Some((_, own)) => {
                sql.push(" AND ").append(&own);
            }
            None => {}
        }
    }
    if !of_visits.is_empty() {
        sql.push(" AND ").append(&openings::visits(ask, &of_visits));
    }
    let by_visit = !of_visits.is_empty() || !attribution::columns(ask).is_empty();
    if by_visit {
        // More is read than is counted.
        sql.push(" AND time >= ").bind(Bind::Int(ask.span().0));
    }
    Condition {
        sql,
        acts,
        by_visit,
    }
}

/// Whether the request says itself whose rows it wants, and the type listens.
fn asks_who(ask: &Ask<'_>) -> bool {
    let mut filters = ask.request.filters.iter();
    filters.any(|filter| *filter.field == BOT_VERDICT && ask.meaning(filter.field).is_some())
}

fn is_of_visit(ask: &Ask<'_>, field: &Field) -> bool {
    ask.parameter.kind.about == About::People && field.of_visit
}

/// What an event has under a field, in each of the places that the field looks at.
fn columns(ask: &Ask<'_>, field: &Field) -> Vec<Sql> {
    let columns = field.columns.iter();
    if attribution::is_asked_by(ask, field) {
        return columns
            .map(|column| attribution::own_column(ask, column))
            .collect();
    }
    columns.map(|column| Sql::new(column)).collect()
}
