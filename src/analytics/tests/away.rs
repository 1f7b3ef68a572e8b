//! An engine that cannot be asked is our trouble, not an answer without rows.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::{NOW, execute, target};
use crate::{
    analytics::run::{Call, Source},
    events::statement::{QueryError, Rows, Statement},
    fault::{Fault, Kind},
};

/// Answers this many statements, then is away or busy.
struct Leaving(AtomicUsize, fn() -> QueryError);

impl Source for Leaving {
    async fn query(&self, _: Statement) -> Result<Rows, QueryError> {
        let left = self
            .0
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
        left.map(|_| Rows::default()).map_err(|_| self.1())
    }
}

async fn ask(answers: usize, body: Value) -> Result<Value, Fault> {
    execute_with(
        Leaving(AtomicUsize::new(answers), || {
            QueryError::Unavailable("reopening".into())
        }),
        body,
    )
    .await
}

async fn execute_with(source: Leaving, body: Value) -> Result<Value, Fault> {
    let call = Call {
        body: &body,
        timezone: None,
        now_ms: NOW,
    };
    execute(&source, &target(), call).await
}

fn body(parameters: &[&str]) -> Value {
    json!({"id": "q", "parameters": parameters, "preset": "today"})
}

#[tokio::test]
async fn an_answer_without_any_engine_is_503() {
    let single = body(&["top_pages", "country"]);
    for asked in [single.clone(), json!([single, single])] {
        let fault = ask(0, asked).await.unwrap_err();
        assert!(matches!(fault.kind, Kind::Unavailable { .. }));
    }
}

#[tokio::test]
async fn what_was_answered_is_kept() {
    let answer = ask(1, body(&["top_pages", "country"])).await.unwrap();
    assert_eq!(answer["data"][0]["success"], true);
    assert_eq!(answer["data"][1]["success"], false);

    let batch = json!([body(&["top_pages"]), body(&["country"])]);
    let answer = ask(1, batch).await.unwrap();
    assert_eq!(answer["results"][0]["data"][0]["success"], true);
    let failed = &answer["results"][1];
    assert_eq!(failed["queryId"], "q");
    assert_eq!(failed["success"], false);
    assert_eq!(failed["code"], "SERVICE_UNAVAILABLE");
    assert_eq!(failed["meta"]["total_parameters"], 1);
}

#[tokio::test]
async fn whoever_gets_no_place_is_told_to_come_again() {
    let busy = |answers| Leaving(AtomicUsize::new(answers), || QueryError::Busy);
    let single = body(&["top_pages", "country"]);
    for asked in [single.clone(), json!([single, single])] {
        let fault = execute_with(busy(0), asked).await.unwrap_err();
        assert!(
            matches!(fault.kind, Kind::Unavailable { retry_after } if retry_after.as_secs() == 5)
        );
        assert!(fault.message.contains("Too many queries"), "{fault}");
    }
    let answer = execute_with(busy(1), single).await.unwrap();
    assert_eq!(answer["data"][0]["success"], true);
    let said = answer["data"][1]["error"].as_str().unwrap();
    assert!(said.contains("Too many queries"), "{said}");
}
