//! What can be declared: one row a kind, in the order in which things are created.

use serde_json::{Map, Value, json};

use crate::{
    actors::{
        alarms::AlarmFields, definitions::GoalFields, flags::FlagFields, hosts::HostFields,
        links::LinkFields, monitors::MonitorFields, status_pages::PageFields,
    },
    http::procedures::{
        Procedure, alarms, domains, flags, goals, link_folders, links, status_page::pages, uptime,
        websites,
    },
};

/// Fields of a declaration, by the names of the API.
pub(super) type Body = Map<String, Value>;

/// A kind of thing that can be declared.
#[derive(Debug)]
pub(super) struct Kind {
    /// Its table in files.
    pub(super) table: &'static str,
    /// One of them, in sentences.
    pub(super) one: &'static str,
    /// The procedures that create, change, delete and show one; no procedure shows a single folder.
    pub(super) create: Procedure,
    pub(super) update: Procedure,
    pub(super) delete: Procedure,
    pub(super) get: Option<Procedure>,
    /// The field of the id, in what procedures take, and in what `create` answers.
    pub(super) id: &'static str,
    pub(super) created_id: &'static str,
    /// The field that is unique among its kind, by default the declaration's name.
    pub(super) natural: &'static str,
    /// Fields beside those that have defaults.
    pub(super) also: &'static [&'static str],
    /// Fields that cannot be changed later.
    pub(super) fixed: &'static [&'static str],
    /// Fields that procedures of their own change.
    pub(super) parts: &'static [&'static str],
    /// Whether objects are changed field by field.
    pub(super) merges: bool,
    pub(super) defaults: fn() -> Body,
}

/// A kind whose things have a `name` and an `id`, and nothing else that is special.
const fn kind(
    table: &'static str,
    one: &'static str,
    [create, update, delete]: [Procedure; 3],
) -> Kind {
    Kind {
        table,
        one,
        create,
        update,
        delete,
        get: None,
        id: "id",
        created_id: "id",
        natural: "name",
        also: &[],
        fixed: &[],
        parts: &[],
        merges: false,
        defaults: Body::new,
    }
}

pub(super) const WEBSITES: &Kind = &Kind {
    get: Some(websites::GET_BY_ID.erase()),
    natural: "domain",
    also: &["name", "domain", "compatibility", "settings"],
    parts: &["isPublic", "settings"],
    defaults: || fields(json!({ "isPublic": false, "compatibility": [] })),
    ..kind(
        "websites",
        "website",
        [
            websites::CREATE.erase(),
            websites::UPDATE.erase(),
            websites::lifecycle::DELETE.erase(),
        ],
    )
};

pub(super) const FOLDERS: &Kind = &Kind {
    natural: "slug",
    also: &["name", "slug"],
    ..kind(
        "link-folders",
        "link folder",
        [
            link_folders::CREATE.erase(),
            link_folders::UPDATE.erase(),
            link_folders::DELETE.erase(),
        ],
    )
};

pub(super) const LINKS: &Kind = &Kind {
    get: Some(links::GET.erase()),
    natural: "slug",
    also: &["password"],
    defaults: || fields(json!(LinkFields::default())),
    ..kind(
        "links",
        "link",
        [
            links::CREATE.erase(),
            links::UPDATE.erase(),
            links::DELETE.erase(),
        ],
    )
};

pub(super) const FLAGS: &Kind = &Kind {
    get: Some(flags::GET_BY_ID.erase()),
    natural: "key",
    also: &["websiteId"],
    fixed: &["key", "websiteId"],
    defaults: || fields(json!(FlagFields::default())),
    ..kind(
        "flags",
        "flag",
        [
            flags::CREATE.erase(),
            flags::UPDATE.erase(),
            flags::DELETE.erase(),
        ],
    )
};

pub(super) const MONITORS: &Kind = &Kind {
    get: Some(uptime::GET_SCHEDULE.erase()),
    id: "scheduleId",
    created_id: "scheduleId",
    fixed: &["kind"],
    parts: &["isPaused"],
    merges: true,
    defaults: || {
        let mut all = fields(json!(MonitorFields::default()));
        all.insert("isPaused".to_owned(), json!(false));
        all
    },
    ..kind(
        "monitors",
        "monitor",
        [
            uptime::CREATE_SCHEDULE.erase(),
            uptime::UPDATE_SCHEDULE.erase(),
            uptime::DELETE_SCHEDULE.erase(),
        ],
    )
};

pub(super) const GOALS: &Kind = &Kind {
    get: Some(goals::GET_BY_ID.erase()),
    also: &["websiteId"],
    fixed: &["websiteId"],
    defaults: || {
        let least = json!({ "type": "PAGE_VIEW", "target": "/", "name": "x" });
        let all = serde_json::from_value::<GoalFields>(least).map(|goal| fields(json!(goal)));
        all.unwrap_or_default()
    },
    ..kind(
        "goals",
        "goal",
        [
            goals::CREATE.erase(),
            goals::UPDATE.erase(),
            goals::DELETE.erase(),
        ],
    )
};

pub(super) const ALARMS: &Kind = &Kind {
    get: Some(alarms::GET.erase()),
    id: "alarmId",
    also: &["destinations"],
    defaults: || fields(json!(AlarmFields::default())),
    ..kind(
        "alarms",
        "alarm",
        [
            alarms::CREATE.erase(),
            alarms::UPDATE.erase(),
            alarms::DELETE.erase(),
        ],
    )
};

pub(super) const PAGES: &Kind = &Kind {
    get: Some(pages::GET.erase()),
    id: "statusPageId",
    natural: "slug",
    also: &["password"],
    parts: &["monitors"],
    defaults: || {
        let mut all = fields(json!(PageFields::default()));
        all.insert("monitors".to_owned(), json!([]));
        all
    },
    ..kind(
        "status-pages",
        "status page",
        [
            pages::CREATE.erase(),
            pages::UPDATE.erase(),
            pages::DELETE.erase(),
        ],
    )
};

pub(super) const DOMAINS: &Kind = &Kind {
    get: Some(domains::GET_BY_ID.erase()),
    natural: "host",
    also: &["host", "use", "subjectId"],
    fixed: &["host", "use", "subjectId"],
    defaults: || fields(json!(HostFields::default())),
    ..kind(
        "domains",
        "domain",
        [
            domains::ADD.erase(),
            domains::UPDATE.erase(),
            domains::REMOVE.erase(),
        ],
    )
};

/// Every kind, in the order of creation. A declaration may name things of its own kind and of the kinds before it.
pub(super) const KINDS: [&Kind; 9] = [
    WEBSITES, FOLDERS, LINKS, FLAGS, MONITORS, GOALS, ALARMS, PAGES, DOMAINS,
];

pub(super) fn find(table: &str) -> Option<&'static Kind> {
    KINDS.into_iter().find(|kind| kind.table == table)
}

/// Where a kind is in the order of kinds.
pub(super) fn rank(table: &str) -> Option<usize> {
    KINDS.iter().position(|kind| kind.table == table)
}

impl Kind {
    /// Whether a procedure of its own changes the field.
    pub(super) fn is_part(&self, field: &str) -> bool {
        let whole = field.split_once('.').map_or(field, |(whole, _)| whole);
        self.parts.contains(&whole)
    }
}

/// An object's fields.
pub(super) fn fields(value: Value) -> Body {
    match value {
        Value::Object(fields) => fields,
        _ => Body::new(),
    }
}
