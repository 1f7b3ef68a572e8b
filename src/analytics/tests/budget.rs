//! What a request may be answered with, over all of its bodies and parameters (threat T17).

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde_json::{Value, json};

use super::{NOW, compile, stranger, target};
use crate::{
    analytics::{
        run::{
            Answers, Call, Json, MAX_ROWS, PUBLIC_PART, Source, account, answer, execute, explain,
        },
        target::Target,
    },
    events::{
        answer_budget::{Account, Refused},
        statement::{Cell, QueryError, Rows, Statement},
    },
    fault::{Fault, Kind},
};

/// Gives every statement so many rows of texts of this length.
#[derive(Default)]
struct Giving {
    rows: usize,
    length: usize,
    asked: AtomicUsize,
    pauses: AtomicUsize,
}

impl Giving {
    fn new(rows: usize, length: usize) -> Self {
        Self {
            rows,
            length,
            ..Self::default()
        }
    }
}

impl Source for Giving {
    async fn query(&self, _: Statement) -> Result<Rows, QueryError> {
        self.asked.fetch_add(1, Relaxed);
        let text = if self.length < 100 { "x\"\n" } else { "xyz" };
        let row: Vec<Cell> = (0..16)
            .map(|place| match place {
                0 => Cell::Text(text.repeat(self.length / 3)),
                place => Cell::Int(place),
            })
            .collect();
        Ok(Rows {
            rows: vec![row; self.rows].into(),
            ..Rows::default()
        })
    }

    async fn query_for(&self, statement: Statement, account: &Account) -> Result<Rows, QueryError> {
        let mut rows = self.query(statement).await?;
        rows.charge = account.charge(None);
        match rows.charge.add(rows.bytes()) {
            Ok(()) => return Ok(rows),
            Err(Refused::TooLarge) => return Err(QueryError::TooLarge),
            Err(Refused::Full) => {}
        }
        let alone = account.overdraft().await;
        rows.charge = account.charge(Some(alone.ok_or(QueryError::Busy)?));
        let added = rows.charge.add(rows.bytes());
        added.map_err(|_| QueryError::TooLarge)?;
        Ok(rows)
    }

    async fn pause(&self) {
        self.pauses.fetch_add(1, Relaxed);
    }
}

fn call(body: &Value) -> Call<'_> {
    Call {
        body,
        timezone: None,
        now_ms: NOW,
    }
}

fn text(json: Json) -> String {
    let (pieces, _) = json.finish(Some(("requestId", &json!("r"))));
    String::from_utf8(pieces.concat()).unwrap()
}

/// Both ways to ask, which have to agree.
async fn ask(source: &Giving, target: &Target, body: &Value) -> Result<Value, Fault> {
    let written = answer(source, target, call(body), account(source, target))
        .await
        .map(text);
    match (execute(source, target, call(body)).await, written) {
        (Ok(answers), Ok(written)) => {
            let written: Value = serde_json::from_str(&written).unwrap();
            assert_eq!(results(answers), parse_results(&written), "{body}");
            Ok(written)
        }
        (Err(fault), Err(written)) => {
            assert_eq!(fault.message, written.message);
            assert_eq!(fault.code, written.code);
            Err(fault)
        }
        (value, written) => panic!("{value:?} but {written:?}"),
    }
}

/// The results, and the first refusal of a batch's members.
type Results = (Vec<(String, Result<Vec<Value>, String>)>, Option<String>);

fn results(answers: Answers) -> Results {
    let refused = answers.refused().map(str::to_owned);
    let results = answers.into_results().into_iter();
    (results.map(|one| (one.label, one.rows)).collect(), refused)
}

fn parse_results(written: &Value) -> Results {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let alone = std::slice::from_ref(written);
    let members = written["results"].as_array().map_or(alone, Vec::as_slice);
    let result = |one: &Value| {
        let rows = if one["success"] == true {
            Ok(one["data"].as_array().unwrap().clone())
        } else {
            Err(text(&one["error"]))
        };
        (text(&one["parameter"]), rows)
    };
    let data = members
        .iter()
        .flat_map(|member| member["data"].as_array().unwrap());
    let refused = members.iter().find(|member| member["success"] == false);
    (
        data.map(result).collect(),
        refused.map(|member| text(&member["error"])),
    )
}

/// Field and message of everything that a refusal names.
fn list_issues(fault: Fault) -> Vec<(String, String)> {
    assert_eq!(fault.code, Some("VALIDATION_ERROR"));
    let Kind::Invalid { issues } = fault.kind else {
        panic!("{fault:?}")
    };
    let issues = issues
        .into_iter()
        .inspect(|issue| assert_eq!(issue.code, "budget_exceeded"));
    issues.map(|issue| (issue.field, issue.message)).collect()
}

/// A parameter that asks for something else than all others.
fn new_parameter(place: usize) -> Value {
    json!({ "name": "top_pages", "id": format!("p{place}"), "start_date": format!("2025-05-{:02}", place + 1) })
}

fn body(parameters: impl IntoIterator<Item = Value>) -> Value {
    let parameters: Vec<Value> = parameters.into_iter().collect();
    json!({ "id": "q", "parameters": parameters, "startDate": "2025-05-01", "endDate": "2025-05-31", "limit": 10_000 })
}

#[tokio::test]
async fn what_is_written_is_what_callers_in_the_program_get() {
    let few = body([
        json!("top_pages"),
        json!("summary_metrics"),
        json!("session_list"),
    ]);
    let wrong = json!({ "id": "w", "parameters": ["top_page"], "preset": "today" });
    let filtered = json!({
        "parameters": ["custom_events", "top_pages", "link_total_clicks"], "preset": "today",
        "filters": [{ "field": "event_name", "op": "eq", "value": "a\"b" }], "groupBy": ["country"],
    });
    for source in [Giving::default(), Giving::new(3, 9), Giving::new(2_000, 90)] {
        for asked in [few.clone(), filtered.clone(), json!([few, wrong, filtered])] {
            ask(&source, &target(), &asked).await.unwrap();
        }
    }
}

#[tokio::test]
async fn the_same_parameter_is_computed_once_and_answered_as_often_as_it_is_there() {
    let source = Giving::new(3, 9);
    let asked = body([
        json!("top_pages"),
        json!({ "name": "top_pages", "id": "again" }),
        json!({ "name": "top_pages", "id": "other", "start_date": "2025-05-02" }),
        json!("country"),
        json!({ "name": "top_pages", "start_date": "2025-05-01", "end_date": "2025-05-31", "id": "said" }),
    ]);
    let answer = ask(&source, &target(), &asked).await.unwrap();
    assert_eq!(source.asked.into_inner(), 2 * 3, "asked twice, both ways");
    let data = answer["data"].as_array().unwrap();
    let labels: Vec<&Value> = data.iter().map(|one| &one["parameter"]).collect();
    assert_eq!(labels, ["top_pages", "again", "other", "country", "said"]);
    assert_eq!(data[0]["data"], data[1]["data"]);
    assert_eq!(data[0]["data"].as_array().unwrap().len(), 3);
    assert_eq!(answer["meta"]["total_parameters"], 5);
}

#[tokio::test]
async fn rows_of_all_bodies_count_together() {
    let source = Giving::new(10_000, 3);
    let ten = body((0..10).map(new_parameter));
    let answer = ask(&source, &target(), &json!([ten, ten])).await.unwrap();
    assert_eq!(
        answer["results"][1]["data"][9]["data"]
            .as_array()
            .unwrap()
            .len(),
        10_000
    );
    let refused = ask(
        &source,
        &target(),
        &json!([ten, ten, body([new_parameter(0)])]),
    )
    .await;
    let most = "A request may be answered with at most 200,000 rows or 32 MB";
    let mut issues = list_issues(refused.unwrap_err());
    assert_eq!(issues.remove(0), (String::new(), most.to_owned()));
    assert!(issues[0].0.starts_with("[0].parameters["), "{issues:?}");
    assert!(
        issues[0]
            .1
            .starts_with("`top_pages` asked for most: 10,000 rows"),
        "{issues:?}"
    );

    // Who may only ask what is public has a quarter.
    assert_eq!(MAX_ROWS / PUBLIC_PART, 50_000);
    ask(&source, &stranger(), &body((0..5).map(new_parameter)))
        .await
        .unwrap();
    let refused = ask(&source, &stranger(), &body((0..6).map(new_parameter))).await;
    let issues = list_issues(refused.unwrap_err());
    assert_eq!(
        issues[0].1,
        "A request may be answered with at most 50,000 rows or 8 MB"
    );
}

#[tokio::test]
async fn bytes_count_and_the_largest_parameter_is_named() {
    let source = Giving::new(2_000, 1_500);
    ask(&source, &stranger(), &body([new_parameter(0)]))
        .await
        .unwrap();
    let refused = ask(&source, &stranger(), &body((0..2).map(new_parameter))).await;
    assert_eq!(list_issues(refused.unwrap_err()).len(), 2);
    let four = body((0..4).map(new_parameter));
    ask(&source, &target(), &four).await.unwrap();
    let refused = ask(&source, &target(), &body((0..6).map(new_parameter))).await;
    assert_eq!(list_issues(refused.unwrap_err()).len(), 2);
    // What is in the answer again counts again.
    let repeated = body([
        new_parameter(1),
        new_parameter(0),
        new_parameter(0),
        new_parameter(0),
        new_parameter(0),
        new_parameter(0),
    ]);
    let refused = ask(&source, &target(), &repeated).await;
    let issues = list_issues(refused.unwrap_err());
    assert_eq!(issues[1].0, "parameters[1]", "{issues:?}");
}

#[tokio::test]
async fn rows_that_do_not_fit_into_memory_are_beyond_the_budget_too() {
    let source = Giving::new(10_000, 6_000);
    let refused = ask(
        &source,
        &target(),
        &body([json!("country"), new_parameter(0)]),
    )
    .await;
    let issues = list_issues(refused.unwrap_err());
    assert_eq!(issues.len(), 2, "{issues:?}");
}

#[tokio::test]
async fn compiling_much_lets_others_go_on_and_has_the_budget_of_an_answer() {
    let source = Giving::default();
    let largest = json!(vec![
        body((0..100).map(|place| new_parameter(place % 28)));
        50
    ]);
    compile(&source, &target(), call(&largest)).await.unwrap();
    assert_eq!(source.pauses.into_inner(), 50 * 100);

    let source = Giving::default();
    let values: Vec<String> = (0..1_000).map(|place| format!("{place:0>200}")).collect();
    let mut long = body((0..100).map(|place| new_parameter(place % 28)));
    long["filters"] = json!([{ "field": "path", "op": "in", "value": values }]);
    let refused = explain(
        &source,
        &stranger(),
        call(&long),
        account(&source, &stranger()),
    )
    .await
    .map(text);
    assert_eq!(list_issues(refused.unwrap_err())[0].0, "");
    let refused = execute(&source, &target(), call(&json!(vec![long; 50]))).await;
    assert!(refused.is_ok(), "nothing of it is in the answer");
    assert!(source.pauses.into_inner() > 28 * 50);
}
