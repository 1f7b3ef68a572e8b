//! The answer to a question of this program itself.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer::{Answer, Failed, Member, Outcome};
use crate::events::answer_budget::Account;

/// The results of a query's parameters, or of those of a batch of queries. Their memory is charged until this is dropped.
#[derive(Default)]
pub struct Answers {
    results: Vec<QueryResult>,
    refused: Option<String>,
    accounts: Vec<Account>,
}

/// What one parameter of a query came to.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryResult {
    /// The `id` of the parameter, by default the name of its query type.
    pub label: String,
    /// Rows as the query type describes them, or why there are none, in a sentence for people.
    pub rows: Result<Vec<Value>, String>,
    /// Filters that the query type does not know and that were not applied.
    pub ignored_filters: Vec<String>,
}

impl fmt::Debug for Answers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = formatter.debug_list();
        list.entries(&self.results).finish()
    }
}

impl FromIterator<QueryResult> for Answers {
    fn from_iter<T: IntoIterator<Item = QueryResult>>(results: T) -> Self {
        Self {
            results: results.into_iter().collect(),
            refused: None,
            accounts: Vec::new(),
        }
    }
}

impl Answers {
    pub(super) fn new(answer: Answer<Member<Vec<Value>>>, account: Account) -> Self {
        let (members, refused) = match answer {
            Answer::One(member) => (vec![member], None),
            Answer::Batch(members) => first_refusal(members),
        };
        let outcomes = members.into_iter().flat_map(|member| member.outcomes);
        Self {
            results: outcomes.map(QueryResult::from).collect(),
            refused: refused.map(|failed| failed.message.into_owned()),
            accounts: vec![account],
        }
    }

    /// Adds the answers of another query.
    pub fn extend(&mut self, other: Self) {
        self.results.extend(other.results);
        self.refused = self.refused.take().or(other.refused);
        self.accounts.extend(other.accounts);
    }

    /// Why a query of a batch was refused as a whole, if one was.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Whether there is a result with this label, be it rows or why there are none.
    pub fn has(&self, label: &str) -> bool {
        self.results.iter().any(|result| result.label == label)
    }

    /// The rows of the parameter with this label; else why there are none.
    ///
    /// # Errors
    /// Why there are none, in a sentence for people.
    pub fn rows<R: DeserializeOwned>(&self, label: &str) -> Result<Vec<R>, String> {
        let own = self.results.iter().find(|result| result.label == label);
        let rows = own.map_or(Err("This was not asked."), |result| {
            result.rows.as_ref().map_err(String::as_str)
        })?;
        let read = rows.iter().map(R::deserialize);
        read.collect::<Result<_, _>>().map_err(|error| {
            tracing::error!(%error, label, "the rows of a query cannot be read");
            "The answer could not be read.".to_owned()
        })
    }

    /// All results: those with rows, then the others.
    pub fn into_results(self) -> Vec<QueryResult> {
        self.results
    }
}

/// The members that were answered, and the first of the others.
fn first_refusal(
    members: Vec<Result<Member<Vec<Value>>, Failed>>,
) -> (Vec<Member<Vec<Value>>>, Option<Failed>) {
    let (mut answered, mut refused) = (Vec::with_capacity(members.len()), None);
    for member in members {
        match member {
            Ok(member) => answered.push(member),
            Err(failed) => refused = refused.or(Some(failed)),
        }
    }
    (answered, refused)
}

impl From<Outcome<Vec<Value>>> for QueryResult {
    fn from(outcome: Outcome<Vec<Value>>) -> Self {
        Self {
            label: outcome.label,
            rows: outcome.rows,
            ignored_filters: outcome.ignored_filters,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn every_parameter_is_answered_for_itself() {
        let result = |label: &str, rows| QueryResult {
            label: label.to_owned(),
            rows,
            ignored_filters: Vec::new(),
        };
        let answers = Answers::from_iter([
            result("a", Ok(vec![json!({ "n": 1 }), json!({ "n": 2 })])),
            result("b", Err("Not in your plan".to_owned())),
            result("c", Ok(vec![json!("nonsense")])),
        ]);
        assert_eq!(answers.refused(), None);
        assert_eq!(answers.rows::<Value>("a").unwrap()[1]["n"], 2);
        assert_eq!(answers.rows::<Value>("b").unwrap_err(), "Not in your plan");
        let unreadable = answers.rows::<BTreeMap<String, u8>>("c").unwrap_err();
        assert_eq!(unreadable, "The answer could not be read.");
        let unknown = answers.rows::<Value>("d").unwrap_err();
        assert_eq!(unknown, "This was not asked.");
    }
}
