//! Events out of files of other products, imported while the server runs.

mod command;
mod console;
mod hostile;
mod killed;
mod people;
mod products;
mod resume;
mod rights;

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    app::{Answer, until},
    process::{Credentials, Process, pharos, set_up, start},
};

/// A server, and who may import into its website.
struct Served {
    directory: tempfile::TempDir,
    process: Process,
    made: Credentials,
}

impl Served {
    async fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let made = set_up(directory.path());
        let process = serve(directory.path()).await;
        Self {
            directory,
            process,
            made,
        }
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = crate::web::client().post(format!("{}{path}", self.process.base));
        Answer::send(request.header("x-api-key", &self.made.key).json(body)).await
    }

    async fn call(&self, procedure: &str, id: &str) -> Value {
        let answer = self
            .post(&format!("/imports/{procedure}"), &json!({ "importId": id }))
            .await;
        assert_eq!(answer.status, 200, "{procedure}: {}", answer.text);
        answer.body
    }

    /// Creates an import of these bytes; its id.
    async fn create(&self, format: &str, bytes: &[u8]) -> String {
        let body = json!({
            "websiteId": self.made.website, "format": format, "filename": "export", "size": bytes.len(),
            "digest": blake3::hash(bytes).to_hex().to_string(),
        });
        let made = self.post("/imports/create", &body).await;
        assert_eq!(made.status, 200, "{}", made.text);
        made.body["id"].as_str().unwrap().to_owned()
    }

    async fn put(&self, id: &str, offset: usize, bytes: &[u8]) -> Answer {
        let url = format!(
            "{}/v1/imports/{id}/content?offset={offset}",
            self.process.base
        );
        let request = crate::web::client().put(url).body(bytes.to_vec());
        let request = request.header("content-type", "application/octet-stream");
        Answer::send(request.header("x-api-key", &self.made.key)).await
    }

    /// An import when nothing more happens by itself.
    async fn settled(&self, id: &str) -> Value {
        let mut import = Value::Null;
        until("it settles", async || {
            import = self.call("get", id).await;
            !["planning", "importing"].contains(&import["status"].as_str().unwrap())
        })
        .await;
        import
    }

    /// Uploads and plans a file; the import then.
    async fn plan(&self, format: &str, bytes: &[u8]) -> Value {
        let id = self.create(format, bytes).await;
        let uploaded = self.put(&id, 0, bytes).await;
        assert_eq!(uploaded.status, 200, "{}", uploaded.text);
        self.call("plan", &id).await;
        self.settled(&id).await
    }

    /// Imports a file; the import then.
    async fn import(&self, format: &str, bytes: &[u8]) -> Value {
        let planned = self.plan(format, bytes).await;
        assert_eq!(planned["status"], "planned", "{planned}");
        let id = planned["id"].as_str().unwrap();
        self.call("apply", id).await;
        let done = self.settled(id).await;
        assert_eq!(done["status"], "done", "{done}");
        done
    }

    /// The rows of one query type over all of September.
    async fn rows(&self, kind: &str) -> Vec<Value> {
        self.answers(&[kind]).await.remove(0)
    }

    /// The rows of several query types.
    async fn answers(&self, kinds: &[&str]) -> Vec<Vec<Value>> {
        let body = json!({ "parameters": kinds, "startDate": "2026-09-01", "endDate": "2026-09-30", "limit": 100 });
        let path = format!("/v1/query?website_id={}", self.made.website);
        let answer = self.post(&path, &body).await;
        (0..kinds.len()).map(|nth| answer.rows(nth)).collect()
    }

    async fn totals(&self) -> [u64; 3] {
        let totals = self.rows("summary_totals").await.remove(0);
        ["pageviews", "sessions", "visitors"].map(|name| totals[name].as_u64().unwrap())
    }

    /// Values of a column, in order.
    async fn column(&self, kind: &str, column: &str) -> Vec<String> {
        let rows = self.rows(kind).await.into_iter();
        let mut values: Vec<String> = rows
            .map(|row| row[column].as_str().unwrap_or_default().to_owned())
            .collect();
        values.sort();
        values
    }
}

async fn serve(data: &Path) -> Process {
    let mut command = pharos(data);
    command.arg("serve");
    for unlimited in ["KEY_IN_FLIGHT", "QUERY_REQUESTS", "KEY_REQUESTS"] {
        command.env(format!("PHAROS__LIMITS__{unlimited}"), "0");
    }
    start(command).await
}

/// What a row of a large file has beside what is read. A chunk holds 8 MiB of the file, so that few rows make several.
const PADDING: usize = 100_000;

/// Pageviews of `PostHog`, each of a visitor of its own.
fn pageviews(count: usize) -> Vec<u8> {
    padded_pageviews(count, 0)
}

/// The same with a field of this size in each row, which is not carried.
fn padded_pageviews(count: usize, padding: usize) -> Vec<u8> {
    let mut text = Vec::new();
    let padding = "x".repeat(padding);
    for nth in 0..count {
        let (minute, second) = (nth / 60 % 60, nth % 60);
        let event = json!({
            "uuid": format!("u{nth}"), "event": "$pageview", "distinct_id": format!("d{nth}"),
            "timestamp": format!("2026-09-11 {:02}:{minute:02}:{second:02}.000000", nth / 3_600 % 24),
            "properties": { "$lib": "web", "$current_url": format!("https://shop.example/p{}", nth % 50), "$session_id": format!("s{nth}"), "$browser": "Chrome" },
            "elements_chain": padding,
        });
        text.extend(event.to_string().into_bytes());
        text.push(b'\n');
    }
    text
}
