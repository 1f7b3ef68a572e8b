//! Every query type over a bare in-memory engine, and the definitions against a naive oracle.

mod agree;
mod away;
mod budget;
mod clickhouse;
mod every_type;
mod export;
mod funnels;
mod list_pages;
mod oracle;
mod people;
mod requests;
mod seed;
mod statements;
mod store;
mod texts;
mod world;

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    catalogue::{QueryType, RETENTION, Subject},
    dialect::Dialect,
    run::{Call, Source, account, answer, explain},
};
use crate::{
    access::{
        KeyGrant, Principal, Scope,
        authorize::{
            Site, Tenant, Thing, read_link, read_organization, read_schedule, read_website,
        },
    },
    analytics::target::{ErrorTracking, Target},
    events::statement::{QueryError, Rows, Statement},
    fault::Fault,
    ids::{KeyId, OrganizationId, OrganizationKey, WebsiteKey},
};

/// Thursday, 2025-06-12 15:30 UTC.
pub(super) const NOW: i64 = 1_749_742_200_000;
pub(super) const ORGANIZATION: i64 = 7;
pub(super) const WEBSITE: i64 = 11;
pub(super) const LINK: i64 = 21;
pub(super) const MONITOR: i64 = 31;

fn site() -> Site {
    Site {
        id: "site".into(),
        key: WebsiteKey(WEBSITE),
        organization: "org".into(),
        organization_key: OrganizationKey(ORGANIZATION),
        is_public: true,
    }
}

fn key() -> Principal {
    Principal::Key(
        KeyGrant {
            id: KeyId::new(),
            organization: Some(OrganizationId::from("org")),
            global: vec![Scope::ReadData],
            websites: Vec::new(),
            person: None,
        }
        .into(),
    )
}

fn target_for(caller: &Principal) -> Target {
    Target {
        access: read_website(caller, Some(&site())).unwrap(),
        anonymous: matches!(caller, Principal::Anonymous),
        subject: Some(Subject::Website),
        domain: Some("example.com".into()),
        websites: HashMap::new(),
        lenient: Vec::new(),
        error_tracking: ErrorTracking::Included,
        people: None,
    }
}

/// A caller who may read everything of the website.
pub(super) fn target() -> Target {
    target_for(&key())
}

/// A caller who may read everything of what the type is about.
pub(super) fn target_of_type(kind: &QueryType) -> Target {
    let thing = |number: i64| Thing {
        key: WebsiteKey(number),
        organization: "org".into(),
        organization_key: OrganizationKey(ORGANIZATION),
    };
    let access = match kind.subject {
        Subject::Website => return target(),
        Subject::Link => read_link(&key(), Some(&thing(LINK))),
        Subject::Schedule => read_schedule(&key(), Some(&thing(MONITOR))),
    };
    Target {
        access: access.unwrap(),
        subject: Some(kind.subject),
        domain: None,
        ..target()
    }
}

/// A stranger on a public website.
pub(super) fn stranger() -> Target {
    target_for(&Principal::Anonymous)
}

/// A caller who may read everything of the organization.
pub(super) fn organization() -> Target {
    let tenant = Tenant {
        id: "org".into(),
        key: OrganizationKey(ORGANIZATION),
    };
    Target {
        access: read_organization(&key(), Some(&tenant)).unwrap(),
        subject: None,
        domain: None,
        websites: HashMap::from([(WebsiteKey(WEBSITE), "site".into())]),
        ..target()
    }
}

/// No engine, but its way of spelling: for what is compiled only.
#[derive(Default)]
struct Nowhere(Dialect);

impl Source for Nowhere {
    fn dialect(&self) -> Dialect {
        self.0
    }

    async fn query(&self, _: Statement) -> Result<Rows, QueryError> {
        Ok(Rows::default())
    }
}

/// The answer as it is sent.
async fn execute<S: Source>(source: &S, target: &Target, call: Call<'_>) -> Result<Value, Fault> {
    let answer = answer(source, target, call, account(source, target)).await?;
    let (pieces, _) = answer.finish(None);
    Ok(serde_json::from_slice(&pieces.concat()).unwrap())
}

/// The statements of a question, as they are sent.
async fn compile<S: Source>(source: &S, target: &Target, call: Call<'_>) -> Result<Value, Fault> {
    let answer = explain(source, target, call, account(source, target)).await?;
    let (pieces, _) = answer.finish(None);
    Ok(serde_json::from_slice(&pieces.concat()).unwrap())
}

async fn ask(store: &store::Bare, target: &Target, body: &Value) -> Result<Value, Fault> {
    let call = Call {
        body,
        timezone: None,
        now_ms: NOW,
    };
    execute(store, target, call).await
}

/// The rows of one type over the last week, with further fields of the body.
async fn rows(store: &store::Bare, name: &str, more: Value) -> Vec<Value> {
    let mut body = json!({"parameters": [name], "preset": "last_7d", "limit": 1000});
    let object = body.as_object_mut().unwrap();
    object.extend(more.as_object().unwrap().clone());
    need(name, &mut body);
    let target = target_of_type(super::catalogue::find(name).unwrap());
    let answer = ask(store, &target, &body).await.unwrap();
    let data = &answer["data"][0];
    assert_eq!(data["success"], json!(true), "{name}: {answer}");
    data["data"].as_array().unwrap().clone()
}

/// Adds the filter without which a type says nothing.
fn need(name: &str, body: &mut Value) {
    let kind = super::catalogue::find(name).unwrap();
    if name == RETENTION {
        let settings = [
            ("activation_event", json!("signup")),
            ("return_event", json!("signup")),
            ("horizon_days", json!(7)),
            ("observation_end", json!("2025-06-20")),
        ];
        body["filters"] = settings
            .iter()
            .map(|(field, value)| json!({"field": field, "op": "eq", "value": value}))
            .collect();
    }
    if let Some(field) = kind.needs.first() {
        let mut filters = body["filters"].as_array().cloned().unwrap_or_default();
        let value = format!("{:016x}", seed::SESSION);
        filters.push(json!({"field": field.name, "op": "eq", "value": value}));
        body["filters"] = Value::Array(filters);
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}
