//! What there is to filter by.

use super::{Source, target_query::TargetQuery};
use crate::{
    analytics::{
        catalogue::country_name, compile::values as compile, run::period::Period, target::Target,
    },
    events::statement::{Cell, Rows},
    fault::Fault,
};

/// The most frequent values of what filters ask for, the most frequent first; of equally frequent ones in the order of the
/// alphabet. Views are counted, and custom events for their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    pub browsers: Vec<String>,
    pub systems: Vec<String>,
    pub countries: Vec<String>,
    pub devices: Vec<String>,
    pub utm_sources: Vec<String>,
    pub utm_mediums: Vec<String>,
    pub utm_campaigns: Vec<String>,
    pub paths: Vec<String>,
    pub events: Vec<String>,
}

/// At most so many values of each list.
pub async fn values<S: Source>(
    source: &S,
    target: &Target,
    period: Period,
    most: u32,
) -> Result<Values, Fault> {
    let asked = TargetQuery::new(source, target, &[], period).await?;
    let rows = asked
        .rows(|ask| compile::values(ask, i64::from(most)))
        .await?;
    Ok(from_rows(&rows))
}

/// Index of the list of countries, whose rows have codes.
const COUNTRIES: usize = 2;

/// The lists in the order of the statement, which is that of the fields.
fn from_rows(rows: &Rows) -> Values {
    let mut lists: [Vec<String>; compile::OF_VIEWS.len() + 2] = Default::default();
    for row in rows.rows.iter() {
        if let [Cell::Int(list), Cell::Text(value)] = &row[..]
            && let Some(list) = lists.get_mut(*list as usize)
        {
            list.push(value.clone());
        }
    }
    for country in &mut lists[COUNTRIES] {
        if let Some(name) = country_name(country) {
            name.clone_into(country);
        }
    }
    let mut lists = lists.into_iter();
    let mut next = || lists.next().unwrap_or_default();
    Values {
        browsers: next(),
        systems: next(),
        countries: next(),
        devices: next(),
        utm_sources: next(),
        utm_mediums: next(),
        utm_campaigns: next(),
        paths: next(),
        events: next(),
    }
}
