//! How often each of several links was followed: what `link_total_clicks` answers of one, in one statement for all.

use std::collections::HashMap;

use super::{Source, target_query::TargetQuery};
use crate::{
    analytics::{catalogue::find, compile::clicks as compile, run::period::Period, target::Target},
    events::statement::Cell,
    fault::Fault,
    ids::WebsiteKey,
};

/// The query type whose clicks are counted.
const KIND: &str = "link_total_clicks";

/// Clicks of an organization's links by their number in rows; links without clicks are not among them.
pub async fn clicks<S: Source>(
    source: &S,
    target: &Target,
    links: &[WebsiteKey],
    period: Period,
) -> Result<HashMap<WebsiteKey, u64>, Fault> {
    let Some(kind) = find(KIND).filter(|_| !links.is_empty()) else {
        return Ok(HashMap::new());
    };
    let asked = TargetQuery::about(kind, (source, target), &[], period).await?;
    let rows = asked.rows(|ask| compile::clicks(ask, links)).await?;
    let read = rows.rows.iter().filter_map(|row| match &row[..] {
        [Cell::Int(link), Cell::Int(clicks)] => {
            Some((WebsiteKey(*link), u64::try_from(*clicks).ok()?))
        }
        _ => None,
    });
    Ok(read.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clicks_are_counted_as_a_type_counts_them() {
        assert!(find(KIND).is_some());
    }
}
