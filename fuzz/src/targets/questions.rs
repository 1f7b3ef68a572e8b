//! Bodies of questions: parsed and compiled in every way, never run.

use std::{collections::HashMap, sync::LazyLock};

use pharos::{
    access::{
        KeyGrant, Principal, Scope,
        authorize::{self, Site},
    },
    analytics::{Call, ErrorTracking, Source, Target, catalogue::Subject, dialect::Dialect, run},
    events::statement::{QueryError, Rows, Statement},
    fault::Kind,
    ids::{KeyId, OrganizationKey, WebsiteKey},
};
use serde_json::Value;

use super::promises::NOW;

/// A text as long as this that has a quote in it is in no statement of ours.
const TELLING: usize = 12;

/// No engine, but its way of spelling.
struct Nowhere(Dialect);

impl Source for Nowhere {
    fn dialect(&self) -> Dialect {
        self.0
    }

    async fn query(&self, _: Statement) -> Result<Rows, QueryError> {
        Ok(Rows::default())
    }
}

fn target() -> &'static Target {
    static TARGET: LazyLock<Target> = LazyLock::new(|| {
        let site = Site {
            id: "w1".into(),
            key: WebsiteKey(22),
            organization: "o1".into(),
            organization_key: OrganizationKey(11),
            is_public: false,
        };
        let grant = KeyGrant {
            id: KeyId::new(),
            organization: Some("o1".into()),
            global: vec![Scope::ReadData],
            websites: Vec::new(),
            person: None,
        };
        Target {
            access: authorize::read_website(&Principal::Key(grant.into()), Some(&site)).unwrap(),
            anonymous: false,
            subject: Some(Subject::Website),
            domain: Some("example.com".into()),
            websites: HashMap::new(),
            lenient: Vec::new(),
            error_tracking: ErrorTracking::Included,
            people: None,
        }
    });
    &TARGET
}

/// `POST /v1/query/compile`: what is refused is the caller's fault, and no text of a body is in a statement.
pub fn compile(bytes: &[u8]) {
    let Ok(body) = serde_json::from_slice::<Value>(bytes) else {
        return;
    };
    let call = Call {
        body: &body,
        timezone: None,
        now_ms: NOW,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.unwrap();
    let mut texts = Vec::new();
    gather(&body, &mut texts);
    for dialect in [Dialect::DuckDb, Dialect::ClickHouse] {
        let source = Nowhere(dialect);
        let account = run::account(&source, target());
        match runtime.block_on(run::explain(&source, target(), call, account)) {
            Ok(answer) => {
                let (pieces, _) = answer.finish(None);
                let answer: Value = serde_json::from_slice(&pieces.concat()).unwrap();
                let mut statements = Vec::new();
                statements_of(&answer, &mut statements);
                for statement in statements {
                    let found = texts.iter().find(|text| statement.contains(**text));
                    assert_eq!(found, None, "{statement}");
                }
            }
            Err(fault) => {
                assert!(matches!(fault.kind, Kind::Invalid { .. }), "{fault:?}");
                assert!(!fault.message.is_empty(), "{fault:?}");
            }
        }
    }
}

/// The texts of a body, whatever they are called, that would be recognised in a statement.
fn gather<'b>(value: &'b Value, texts: &mut Vec<&'b str>) {
    let tells = |text: &str| text.len() >= TELLING && text.contains('\'');
    match value {
        Value::String(text) => texts.extend(tells(text).then_some(text.as_str())),
        Value::Array(list) => list.iter().for_each(|value| gather(value, texts)),
        Value::Object(fields) => {
            for (name, value) in fields {
                texts.extend(tells(name).then_some(name.as_str()));
                gather(value, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The statements of an answer, of a batch's members too.
fn statements_of<'a>(answer: &'a Value, statements: &mut Vec<&'a str>) {
    let of = |answer: &'a Value| {
        let list = answer["statements"].as_array().into_iter().flatten();
        list.filter_map(|statement| statement["sql"].as_str())
    };
    statements.extend(of(answer));
    let members = answer["results"].as_array().into_iter().flatten();
    statements.extend(members.flat_map(of));
}
