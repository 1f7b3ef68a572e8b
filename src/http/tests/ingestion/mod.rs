//! The ingestion routes as a tracker sees them: what is answered, and what is in the store afterwards.

use std::io::Write as _;

use actix_web::{http::Method, test::TestRequest};
use serde_json::{Value, json};

use super::harness::{Answer, NOW, TestApp};
use crate::{
    access::Scope,
    events::statement::{Cell, Scope as Rows, Statement},
    http::{Host, Options},
    store::limits::Limits,
};

const CHROME: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

mod bots;
mod enriched;
mod further;
mod ledger;
mod refused;
mod taken;

impl TestApp {
    async fn track(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        self.track_bytes(path, headers, body.to_string().into_bytes())
            .await
    }

    async fn track_bytes(&self, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let mut request = TestRequest::default()
            .method(Method::POST)
            .uri(path)
            .set_payload(body);
        for (name, value) in headers {
            request = request.append_header((*name, *value));
        }
        self.send(Host::Track, request).await
    }

    /// `path` with the website's id where it says `ID`.
    fn path(&self, path: &str) -> String {
        path.replace("ID", self.website().as_str())
    }

    /// One column of everything that is stored for the organization, as text, sorted.
    async fn stored(&self, column: &str) -> Vec<String> {
        let organization = self.organization();
        let tenant = self
            .shared
            .organizations
            .view()
            .tenant(organization.as_str())
            .unwrap();
        let statement = Statement {
            spilling: None,
            text: format!(
                "SELECT CAST({column} AS VARCHAR) AS value FROM {{events}} WHERE kind < 100 ORDER BY value"
            ),
            binds: Vec::new(),
            scope: Rows {
                organization: tenant.key.0,
                website: None,
                from: 0,
                to: i64::MAX,
            },
        };
        let rows = self.shared.events.query(statement).await.unwrap();
        let text = |cell: &Cell| match cell {
            Cell::Text(text) => text.clone(),
            other => format!("{other:?}"),
        };
        rows.rows.iter().map(|row| text(&row[0])).collect()
    }
}

fn page(id: &str) -> Value {
    json!({"eventId": id, "name": "screen_view", "path": "http://localhost:3000/a", "anonymousId": "anon", "sessionId": "s"})
}

fn vital() -> Value {
    json!({"timestamp": NOW, "path": "http://localhost/a", "metricName": "LCP", "metricValue": 1_200})
}
