//! Undoes what was done, as well as it can be.

use serde_json::{Value, json};

use super::{
    api::OrganizationApi,
    kinds::{self, Body, Kind, fields},
    recorder::Recorder,
    write::write,
};
use crate::{
    actors::provisioned::{Name, Provisioned},
    fault::{Fault, Kind as Fell},
};

/// How a step is undone.
pub(super) enum Undo {
    /// It was created.
    Delete {
        kind: &'static Kind,
        id: String,
        name: Name,
    },
    /// It was changed.
    Restore(Box<Before>),
    /// It was deleted, which is for good.
    Impossible(Name),
}

/// A thing before it was changed.
pub(super) struct Before {
    pub(super) kind: &'static Kind,
    pub(super) id: String,
    /// The fields that are changed.
    pub(super) was: Body,
    pub(super) name: Name,
    /// Its row in the table `provisioned`.
    pub(super) row: Option<Provisioned>,
}

/// Undoes steps, the last one first; returns what could not be undone.
pub(super) async fn undo(
    api: &OrganizationApi,
    recorder: &Recorder<'_>,
    steps: Vec<Undo>,
) -> Vec<String> {
    let mut left = Vec::new();
    let key = |name: &Name| format!("{}.{}", name.kind, name.name);
    for step in steps.into_iter().rev() {
        let (name, done) = match step {
            Undo::Delete { kind, id, name } => {
                let deleted = api.ask(kind.delete, json!({ kind.id: id })).await;
                let forgotten = recorder.forget(&name).await;
                (name, deleted.map(drop).and(forgotten))
            }
            Undo::Restore(before) => {
                let Before {
                    kind,
                    id,
                    was,
                    name,
                    row,
                } = *before;
                if kind.table == kinds::MONITORS.table && was.contains_key("request") {
                    let what = "`request` may hold secrets, which are not shown: it is as declared";
                    left.push(format!("{}: {what}", key(&name)));
                }
                let done = restore(api, kind, &id, was).await;
                let noted = match row {
                    Some(row) => {
                        let now = Some(&name).filter(|name| **name != row.name);
                        recorder.note(&row, now).await
                    }
                    None => recorder.forget(&name).await,
                };
                (name, done.and(noted))
            }
            Undo::Impossible(name) => {
                left.push(format!("{}: it is deleted", key(&name)));
                continue;
            }
        };
        if let Err(fault) = done {
            left.push(format!("{}: {}", key(&name), first_issue(&fault).0));
        }
    }
    left
}

/// The message of a fault's first issue and its field; else the fault's own message.
pub(super) fn first_issue(fault: &Fault) -> (String, String) {
    match &fault.kind {
        Fell::Invalid { issues } if !issues.is_empty() => {
            (issues[0].message.clone(), issues[0].field.clone())
        }
        _ => (fault.message.to_string(), String::new()),
    }
}

/// Fields of an alarm's destination that are restored.
const RESTORED: [&str; 7] = [
    "type",
    "identifier",
    "config",
    "severities",
    "quietHours",
    "rateLimit",
    "fallback",
];

async fn restore(api: &OrganizationApi, kind: &Kind, id: &str, mut was: Body) -> Result<(), Fault> {
    let current = api.read(kind, id).await?.unwrap_or_default();
    if kind.table == kinds::MONITORS.table {
        was.remove("request");
    }
    if kind.table == kinds::ALARMS.table
        && let Some(Value::Array(destinations)) = was.get_mut("destinations")
    {
        let ids: Vec<Value> = destinations.iter().map(|one| one["id"].clone()).collect();
        // Secrets are not shown: the ones that are set stay.
        for destination in destinations {
            let mut kept = fields(destination.take());
            kept.retain(|name, _| RESTORED.contains(&name.as_str()));
            if let Some(fallback) = kept.get_mut("fallback")
                && let Some(at) = ids.iter().position(|id| id == fallback)
            {
                *fallback = json!((at + 1).to_string());
            }
            if let Some(Value::Object(config)) = kept.get_mut("config") {
                config.retain(|name, value| {
                    !["secret", "token"].contains(&name.as_str()) && !value.is_null()
                });
            }
            *destination = Value::Object(kept);
        }
    }
    write(api, kind, id, &was, &current).await
}
