//! The audit log's entry for every change of a resource: who did what to which one, after it is done.
//!
//! Keys, members, organizations, share links and scheduled reports write their entries themselves, in the transaction of the change.

use serde_json::{Map, Value, json};

use super::{Call, Group, Procedure, all};
use crate::{
    access::{Permission, Principal, proven},
    actors::audit::{Actor, Entry},
    fault::Fault,
    ids::OrganizationId,
};

/// Ids and fields that an entry lists at most.
const MAX_LISTED: usize = 100;

/// A kind of resource.
struct Kind {
    /// The router of its procedures.
    router: &'static str,
    /// The end of their names that says the kind; empty for all others of the router.
    suffix: &'static str,
    /// Its name in the log.
    name: &'static str,
    /// The field with its id.
    id: &'static str,
    /// The procedure that reads it; empty = none.
    reader: &'static str,
}

const fn kind(
    router: &'static str,
    suffix: &'static str,
    name: &'static str,
    id: &'static str,
    reader: &'static str,
) -> Kind {
    Kind {
        router,
        suffix,
        name,
        id,
        reader,
    }
}

const KINDS: [Kind; 20] = [
    kind("websites", "", "website", "id", "getById"),
    kind("goals", "", "goal", "id", "getById"),
    kind("funnels", "", "funnel", "id", "getById"),
    kind("annotations", "", "annotation", "id", "getById"),
    kind("segments", "", "segment", "id", "getById"),
    kind("errors", "", "error", "errorId", ""),
    kind("links", "", "link", "id", "get"),
    kind("linkFolders", "", "link_folder", "id", ""),
    kind("flags", "", "flag", "id", "getById"),
    kind("targetGroups", "", "target_group", "id", ""),
    kind("flagSchedules", "", "flag_schedule", "id", ""),
    kind("uptime", "Schedule", "monitor", "scheduleId", "getSchedule"),
    kind("uptime", "", "monitor", "scheduleId", "getSchedule"),
    kind("probes", "", "probe", "id", ""),
    kind("boards", "", "board", "id", "getById"),
    kind("alarms", "", "alarm", "alarmId", "get"),
    kind("imports", "", "import", "importId", "get"),
    kind("statusPage", "Incident", "incident", "incidentId", ""),
    kind("statusPage", "Postmortem", "postmortem", "incidentId", ""),
    kind("statusPage", "", "status_page", "statusPageId", "get"),
];

/// Fields that may hold a resource's name, the best first.
const NAMES: [&str; 7] = ["name", "title", "key", "slug", "text", "domain", "filename"];

/// A change that is about to be done.
pub(super) struct Change<'a> {
    call: Call,
    permission: Option<Permission>,
    action: String,
    kind: &'static Kind,
    input: &'a Value,
    before: Value,
}

impl<'a> Change<'a> {
    /// Looks at the resource before it changes. `None` for what declarations in files do, which have entries of their own.
    pub(super) async fn begin(
        call: &Call,
        (group, name): (&Group, &str),
        permission: Option<Permission>,
        input: &'a Value,
    ) -> Option<Self> {
        let is_declared = matches!(&call.caller, Principal::Session(own) if own.is_provisioning());
        let kind = find_kind(group.router, name).filter(|_| !is_declared)?;
        Some(Self {
            before: read_before(call, kind, input).await,
            call: call.clone(),
            permission,
            action: action(kind, name),
            kind,
            input,
        })
    }

    /// Runs the change and logs it. What is refused is not logged.
    pub(super) async fn run<O: serde::Serialize>(
        self,
        handler: impl Future<Output = Result<O, Fault>>,
    ) -> Result<O, Fault> {
        let (outcome, proven) = proven::collect(handler).await;
        let output = outcome?;
        let declared = proven
            .iter()
            .find(|(permission, _)| Some(*permission) == self.permission);
        if let Some((_, owner)) = declared.or(proven.first()) {
            self.log(owner, &json!(output)).await;
        } else {
            tracing::error!(
                action = self.action,
                "a change without an owner is not in the audit log"
            );
        }
        Ok(output)
    }

    /// The change is done, whatever becomes of its entry.
    async fn log(&self, owner: &OrganizationId, output: &Value) {
        let actor = Actor::from(&self.call.caller);
        let target = self.target(output);
        let entry = Entry::change(owner, actor, self.action.clone(), target);
        let entry = entry.with(self.details(output));
        let now_ms = self.call.shared.clock.now_ms();
        if let Err(error) = self.call.shared.audit.append(now_ms, entry).await {
            tracing::error!(%error, action = self.action, "a change is not in the audit log");
        }
    }

    /// The id of what is changed; empty for several.
    fn target(&self, output: &Value) -> String {
        let named = [
            &output[self.kind.id],
            &self.input[self.kind.id],
            &output["id"],
        ];
        let mut named = named.into_iter().filter_map(Value::as_str);
        named.next().unwrap_or_default().to_owned()
    }

    fn details(&self, output: &Value) -> Value {
        let mut details = Map::new();
        let name = [output, &self.before, self.input].map(find_name);
        if let Some(name) = name.into_iter().flatten().next() {
            details.insert("name".to_owned(), name.into());
        }
        let changed = self.input.as_object().into_iter().flatten();
        let changed = changed.filter(|(field, _)| *field != self.kind.id && !field.ends_with("Id"));
        let changed: Vec<&String> = changed.map(|(field, _)| field).take(MAX_LISTED).collect();
        if !changed.is_empty() && !self.action.ends_with(".create") {
            details.insert("changed".to_owned(), json!(changed));
        }
        let ids = list_ids(output).or_else(|| list_ids(&self.input["ids"]));
        if let Some(ids) = ids {
            details.insert("ids".to_owned(), ids);
        }
        details.into()
    }
}

impl Procedure {
    /// The action under which changes by this procedure are logged.
    fn action(&self) -> Option<String> {
        let kind = find_kind(self.router, self.name)?;
        self.is_logged.then(|| action(kind, self.name))
    }
}

/// Every action that procedures log.
pub(in crate::http) fn actions() -> Vec<String> {
    all().iter().filter_map(Procedure::action).collect()
}

fn find_kind(router: &str, name: &str) -> Option<&'static Kind> {
    let mut kinds = KINDS.iter();
    kinds.find(|kind| kind.router == router && name.ends_with(kind.suffix))
}

/// `monitor.create`, `link.bulk_update`.
fn action(kind: &Kind, name: &str) -> String {
    let mut action = format!("{}.", kind.name);
    for letter in name.strip_suffix(kind.suffix).unwrap_or(name).chars() {
        if letter.is_ascii_uppercase() {
            action.push('_');
        }
        action.push(letter.to_ascii_lowercase());
    }
    action
}

/// The resource that an input names, as it is.
async fn read_before(call: &Call, kind: &Kind, input: &Value) -> Value {
    let Some(id) = input[kind.id].as_str().filter(|_| !kind.reader.is_empty()) else {
        return Value::Null;
    };
    let all = all();
    let reader = all
        .iter()
        .find(|one| one.router == kind.router && one.name == kind.reader);
    let Some(reader) = reader else {
        return Value::Null;
    };
    let read = reader.invoke(call.clone(), json!({ kind.id: id })).await;
    read.unwrap_or_default()
}

fn find_name(value: &Value) -> Option<&str> {
    let names = NAMES.iter().filter_map(|name| value[name].as_str());
    names.into_iter().find(|name| !name.is_empty())
}

/// The ids of a list: of texts, or of objects with an id.
fn list_ids(value: &Value) -> Option<Value> {
    let id = |one: &Value| {
        one.as_str()
            .or_else(|| one["id"].as_str())
            .map(str::to_owned)
    };
    let ids = value.as_array()?.iter().filter_map(id);
    Some(ids.take(MAX_LISTED).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_logged_procedure_has_an_action() {
        for procedure in all().iter().filter(|procedure| procedure.is_logged) {
            assert!(procedure.action().is_some(), "{procedure:?}");
            assert!(!procedure.reads, "{procedure:?}");
        }
        let actions = actions();
        for expected in [
            "monitor.create",
            "link.bulk_update",
            "incident.delete",
            "goal.update",
        ] {
            assert!(
                actions.iter().any(|action| action == expected),
                "{actions:?}"
            );
        }
    }

    #[test]
    fn every_reader_is_a_procedure() {
        for kind in KINDS.iter().filter(|kind| !kind.reader.is_empty()) {
            let is_reader = |one: &Procedure| one.router == kind.router && one.name == kind.reader;
            assert!(all().iter().any(is_reader), "{}", kind.name);
        }
    }
}
