//! Tools, generated from the procedure table.
//!
//! Which procedures are tools, and what these are called, follows from their names: `flags.list` is `list_flags`,
//! `uptime.getScheduleHistory` is `get_monitor_history`. A domain that declares procedures has tools by a row in [`THINGS`].

use std::sync::LazyLock;

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use crate::{
    access::Principal,
    http::{
        procedures::{self, Needs, Procedure},
        schema::schema_settings,
    },
};

/// Routers whose procedures are tools, with what they are about.
const THINGS: [(&str, &str, &str); 15] = [
    ("websites", "website", "websites"),
    ("links", "link", "links"),
    ("linkFolders", "link_folder", "link_folders"),
    ("flags", "flag", "flags"),
    ("targetGroups", "target_group", "target_groups"),
    ("flagSchedules", "flag_schedule", "flag_schedules"),
    ("uptime", "monitor", "monitors"),
    ("goals", "goal", "goals"),
    ("funnels", "funnel", "funnels"),
    ("annotations", "annotation", "annotations"),
    ("alarms", "alarm", "alarms"),
    ("statusPage", "status_page", "status_pages"),
    ("incidents", "incident", "incidents"),
    ("agentMemory", "memory", "memory"),
    ("imports", "import", "imports"),
];
/// The router whose procedures are called as they are.
const PLAIN: &str = "insights";
/// First words of procedures that are for scripts and people, not for agents.
const NOT_TOOLS: [&str; 16] = [
    "bulk",
    "clear",
    "export",
    "manual",
    "import",
    "is",
    "invite",
    "renew",
    "reorder",
    "restore",
    "rotate",
    "subscribe",
    "test",
    "toggle",
    "transfer",
    "upload",
];
/// Words by which routers call their things otherwise.
const SYNONYMS: [&str; 4] = ["schedule", "schedules", "page", "pages"];

pub(in crate::http) struct Tool {
    pub(in crate::http) name: String,
    pub(super) procedure: Procedure,
    /// The fields of its input, `None` where it takes any.
    pub(super) fields: Option<Vec<String>>,
    /// Whether it is about a website that can be named.
    pub(super) by_website: bool,
    pub(super) form: Form,
    /// As `tools/list` shows it.
    pub(in crate::http) shown: Value,
}

/// What a procedure gives back; a tool gives back an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// An object: it stays what it is.
    Object,
    /// A list: `items`, `count`, `truncated`.
    List,
    /// Anything else, or perhaps nothing: `value`.
    Value,
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    procedures::all()
        .into_iter()
        .filter_map(Tool::from_procedure)
        .collect()
});

/// Every tool, in the order of the procedures.
pub(in crate::http) fn all() -> &'static [Tool] {
    &TOOLS
}

/// Whether a caller may use a tool anywhere at all; where, its procedure decides.
pub(in crate::http) fn allowed(caller: &Principal, procedure: &Procedure) -> bool {
    match (caller, procedure.needs) {
        (Principal::Anonymous, _) => false,
        (Principal::Session(session), Needs::Permission(permission)) => session
            .memberships
            .iter()
            .any(|member| member.role.may(permission)),
        (_, needs) => needs.admit(caller).is_ok(),
    }
}

/// The name of the tool that a procedure is.
fn name(procedure: &Procedure) -> Option<String> {
    let words = words(procedure.name);
    if procedure.router == PLAIN {
        return Some(words.join("_"));
    }
    let thing = THINGS
        .iter()
        .find(|(router, ..)| *router == procedure.router);
    let (_, one, many) = *thing?;
    let (verb, rest) = words.split_first()?;
    if NOT_TOOLS.contains(&verb.as_str()) || procedure.name.ends_with("Csv") {
        return None;
    }
    let said = |rest: &[String]| {
        let kept = rest.iter().map(String::as_str);
        let kept = kept.filter(|word| !SYNONYMS.contains(word) && *word != one && *word != many);
        let kept: String = kept.flat_map(|word| ["_", word]).collect();
        // By its id is how things are found anyway.
        let kept = kept.strip_suffix("_id").unwrap_or(&kept);
        kept.strip_suffix("_by").unwrap_or(kept).to_owned()
    };
    Some(match verb.as_str() {
        "paginated" => format!("search_{many}"),
        "list" | "search" | "stale" => format!("{verb}_{many}{}", said(rest)),
        "history" | "stats" => format!("{one}_{verb}"),
        "deliveries" => format!("list_{one}_deliveries"),
        "replay" => format!("replay_{one}_delivery"),
        _ => format!("{verb}_{one}{}", said(rest)),
    })
}

/// `getById` → get, by, id
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for character in name.chars() {
        match words.last_mut() {
            Some(word) if !character.is_uppercase() => word.push(character),
            _ => words.push(character.to_lowercase().collect()),
        }
    }
    words
}

impl Tool {
    /// Whether it changes nothing.
    pub(in crate::http) fn reads(&self) -> bool {
        self.procedure.reads
    }

    /// Whether a caller may use it anywhere at all.
    pub(in crate::http) fn is_for(&self, caller: &Principal) -> bool {
        allowed(caller, &self.procedure)
    }

    fn from_procedure(procedure: Procedure) -> Option<Self> {
        if procedure.needs.scope().is_none() && procedure.needs != Needs::Nothing {
            return None;
        }
        let name = name(&procedure)?;
        let mut input = schema(procedure.input);
        // Models take no combinators at the top of a tool's input; the call says what is missing.
        if let Some(input) = input.as_object_mut() {
            input.retain(|rule, _| !["anyOf", "allOf", "oneOf"].contains(&rule.as_str()));
        }
        let output = schema(procedure.output);
        let form = match output["type"].as_str() {
            Some("object") => Form::Object,
            Some("array") => Form::List,
            _ => Form::Value,
        };
        let by_website = has(&input, "websiteId");
        let fields = input["properties"].as_object();
        let is_open = input
            .get("additionalProperties")
            .is_some_and(|more| *more != json!(false));
        let mut fields: Option<Vec<String>> = fields
            .filter(|_| !is_open)
            .map(|fields| fields.keys().cloned().collect());
        let mut add = |name: &str, schema: Value| {
            input["properties"][name] = schema;
            if let Some(fields) = &mut fields {
                fields.push(name.to_owned());
            }
        };
        if by_website {
            add(
                "websiteName",
                json!({ "type": "string", "description": "Instead of `websiteId`: its name." }),
            );
            add(
                "websiteDomain",
                json!({ "type": "string", "description": "Instead of `websiteId`: its domain." }),
            );
        }
        if !procedure.reads {
            let says = "`false` (or nothing) shows what would be done; `true` does it.";
            add(
                "confirmed",
                json!({ "type": "boolean", "default": false, "description": says }),
            );
        }
        let required = input.get_mut("required").and_then(Value::as_array_mut);
        if by_website && let Some(required) = required {
            required.retain(|name| name != "websiteId");
        }
        let output = answer(&procedure, form, output);
        let shown = describe(&name, &procedure, &input, &output);
        Some(Self {
            name,
            procedure,
            fields,
            by_website,
            form,
            shown,
        })
    }
}

fn has(schema: &Value, field: &str) -> bool {
    schema["properties"].get(field).is_some()
}

fn describe(name: &str, procedure: &Procedure, input: &Value, output: &Value) -> Value {
    let reads = procedure.reads;
    let (creates, deletes) = (name.starts_with("create_"), name.starts_with("delete_"));
    let description = if reads {
        procedure.summary.to_owned()
    } else {
        format!(
            "{}. Two steps: without `confirmed: true` it only shows what would be done",
            procedure.summary
        )
    };
    let scope = procedure.needs.scope().map(crate::access::Scope::as_str);
    json!({
        "name": name,
        "title": title(name),
        "description": description,
        "inputSchema": input,
        "outputSchema": output,
        "annotations": {
            "title": title(name), "readOnlyHint": reads, "destructiveHint": !reads && !creates,
            "idempotentHint": reads || deletes, "openWorldHint": false,
        },
        "_meta": {
            "pharos/procedure": format!("{}.{}", procedure.router, procedure.name), "pharos/scope": scope,
        },
    })
}

/// `list_flags` → `List flags`
fn title(name: &str) -> String {
    let mut title = name.replace('_', " ");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

/// The schema of what the tool answers.
fn answer(procedure: &Procedure, form: Form, mut output: Value) -> Value {
    let definitions = output
        .as_object_mut()
        .and_then(|output| output.remove("$defs"));
    let mut answer = match form {
        Form::Object => output,
        Form::List => json!({
            "type": "object", "required": ["items", "count", "truncated"],
            "properties": {
                "items": output,
                "count": { "type": "integer", "description": "How many there are" },
                "truncated": { "type": "boolean", "description": "Whether `items` are only the first of them" },
            },
        }),
        Form::Value => {
            json!({ "type": "object", "required": ["value"], "properties": { "value": output } })
        }
    };
    if !procedure.reads {
        answer = json!({
            "type": "object", "required": ["done"],
            "properties": {
                "done": { "type": "boolean", "description": "Whether it was done" },
                "result": answer,
                "preview": { "type": "object", "description": "What would be done" },
            },
        });
    }
    if let Some(definitions) = definitions {
        answer["$defs"] = definitions;
    }
    answer
}

/// A whole schema: an object with what it refers to.
fn schema(of: fn(&mut SchemaGenerator) -> schemars::Schema) -> Value {
    let mut generator = schema_settings().into_generator();
    let schema: Value = of(&mut generator).into();
    let mut definitions: Map<String, Value> = generator.take_definitions(true);
    let named = schema["$ref"]
        .as_str()
        .and_then(|name| name.strip_prefix("#/$defs/"));
    let mut root = match named.and_then(|name| definitions.get(name).cloned()) {
        Some(definition) => definition,
        None => schema,
    };
    if !root.is_object() {
        root = json!({});
    }
    // What nothing refers to says nothing.
    loop {
        let text = format!("{root}{}", Value::Object(definitions.clone()));
        let before = definitions.len();
        definitions.retain(|name, _| text.contains(&format!("\"#/$defs/{name}\"")));
        if definitions.len() == before {
            break;
        }
    }
    if !definitions.is_empty() {
        root["$defs"] = Value::Object(definitions);
    }
    root
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_follow_from_the_procedures() {
        let names: Vec<&str> = all().iter().map(|tool| tool.name.as_str()).collect();
        for expected in [
            "list_websites",
            "list_query_types",
            "get_data",
            "get_schema",
            "capabilities",
            "list_flags",
            "create_flag",
            "update_flag",
            "flag_history",
            "explain_flag",
            "list_links",
            "search_links",
            "list_link_folders",
            "create_link",
            "update_link",
            "delete_link",
            "list_monitors",
            "get_monitor",
            "get_monitor_history",
            "create_monitor",
            "list_alarm_deliveries",
            "replay_alarm_delivery",
            "backtest_alarm",
        ] {
            assert!(
                names.contains(&expected),
                "{expected} is not among {names:?}"
            );
        }
        let unique: HashSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "{names:?}");
        for name in names {
            let sane = name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(sane && name.len() <= 64, "{name}");
        }
    }

    #[test]
    fn every_tool_says_all_that_clients_look_for() {
        for tool in all() {
            let (name, shown) = (&tool.name, &tool.shown);
            assert_eq!(shown["inputSchema"]["type"], "object", "{name}");
            assert_eq!(shown["outputSchema"]["type"], "object", "{name}");
            assert!(!shown["description"].as_str().unwrap().is_empty(), "{name}");
            let reads = tool.procedure.reads;
            assert_eq!(shown["annotations"]["readOnlyHint"], reads, "{name}");
            assert_eq!(has(&shown["inputSchema"], "confirmed"), !reads, "{name}");
            // Every reference leads somewhere in the same schema.
            for part in ["inputSchema", "outputSchema"] {
                let text = shown[part].to_string();
                for reference in text.split("\"$ref\":\"#/").skip(1) {
                    let path = format!("/{}", reference.split('"').next().unwrap());
                    assert!(shown[part].pointer(&path).is_some(), "{name} {part} {path}");
                }
            }
        }
    }

    #[test]
    fn nothing_that_only_people_may_do_is_a_tool() {
        for tool in all() {
            assert!(tool.procedure.needs != Needs::Session, "{}", tool.name);
            assert!(!["apikeys", "organizations", "audit"].contains(&tool.procedure.router));
        }
    }
}
