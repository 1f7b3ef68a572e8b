//! What the event store answered, as pages read it.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::events::answer_budget::Account;

/// The answer to a body of `POST /v1/query`, or to a batch of them.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) value: Value,
    /// What its memory is charged to.
    pub(super) _account: Option<Account>,
}

impl From<Value> for Answers {
    fn from(value: Value) -> Self {
        Self {
            value,
            _account: None,
        }
    }
}

impl Answers {
    /// The answer to each body.
    fn members(&self) -> impl Iterator<Item = &Value> {
        let batch = self.value["results"].as_array();
        let alone = batch.is_none().then_some(&self.value);
        batch.into_iter().flatten().chain(alone)
    }

    /// Why a body of a batch was refused as a whole, if one was.
    pub(super) fn refused(&self) -> Option<String> {
        let mut refused = self.members().filter(|one| one["success"] == false);
        let said = refused.find_map(|one| one["error"].as_str());
        said.map(str::to_owned)
    }

    /// The rows of the parameter with this label; else why there are none, for whoever looks.
    pub(super) fn rows<R: DeserializeOwned>(&self, label: &str) -> Result<Vec<R>, String> {
        let data = self.members().filter_map(|one| one["data"].as_array());
        let own = data.flatten().find(|one| one["parameter"] == label);
        let own = own.ok_or_else(|| "This was not asked.".to_owned())?;
        if own["success"] != true {
            let said = own["error"].as_str().unwrap_or("It could not be answered.");
            return Err(said.to_owned());
        }
        let rows = own["data"].as_array().map_or(&[][..], Vec::as_slice);
        let read = rows.iter().map(R::deserialize);
        read.collect::<Result<_, _>>().map_err(|error| {
            tracing::error!(%error, label, "a page cannot read an answer");
            "The answer could not be read.".to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_parameter_is_answered_for_itself() {
        let answer = json!({ "data": [
            { "parameter": "a", "success": true, "data": [{ "n": 1 }, { "n": 2 }] },
            { "parameter": "b", "success": false, "error": "Not in your plan" },
            { "parameter": "c", "success": true, "data": ["nonsense"] },
        ] });
        let refused = json!({ "success": false, "error": "Unknown filter field: x", "data": [] });
        let batch = Answers::from(json!({ "success": true, "results": [refused, answer] }));
        assert_eq!(batch.refused().unwrap(), "Unknown filter field: x");
        assert_eq!(batch.rows::<Value>("a").unwrap().len(), 2);
        let answers = Answers::from(answer);
        assert_eq!(answers.refused(), None);
        assert_eq!(answers.rows::<Value>("a").unwrap()[1]["n"], 2);
        assert_eq!(answers.rows::<Value>("b").unwrap_err(), "Not in your plan");
        assert_eq!(
            answers
                .rows::<std::collections::BTreeMap<String, u8>>("c")
                .unwrap_err(),
            "The answer could not be read."
        );
        assert_eq!(
            answers.rows::<Value>("d").unwrap_err(),
            "This was not asked."
        );
    }
}
