//! Which visitors a person is.

use std::collections::BTreeSet;

use super::Source;
use crate::{
    access::ReadAccess,
    events::statement::{Bind, Cell, Scope, Statement},
    fault::Fault,
};

/// The visitors that `/identify` or their own events say a profile of a website is, whenever that was.
pub async fn find_visitors<S: Source>(
    source: &S,
    access: &ReadAccess,
    profile: &str,
) -> Result<BTreeSet<u64>, Fault> {
    let text = "SELECT DISTINCT visitor FROM {aliases} aliases WHERE profile = ? AND visitor <> 0";
    let binds = vec![Bind::Text(profile.to_owned())];
    let statement = Statement {
        spilling: None,
        text: source.dialect().spell(text, &binds),
        binds,
        scope: Scope {
            organization: access.organization().0,
            website: access.website().map(|website| website.0),
            from: 0,
            to: i64::MAX,
        },
    };
    let rows = source.query(statement).await.map_err(|error| {
        tracing::warn!(error = %error, "the visitors of a person can't be found");
        Fault::unavailable("The query engine is not available")
    })?;
    let first = rows.rows.iter().filter_map(|row| row.first());
    Ok(first
        .filter_map(|cell| match cell {
            Cell::Hash(visitor) => Some(*visitor),
            Cell::Int(visitor) => Some(*visitor as u64),
            _ => None,
        })
        .collect())
}
