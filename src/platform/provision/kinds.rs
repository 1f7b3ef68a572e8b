//! What can be declared: one row a kind, in the order in which things are made.

use serde_json::{Map, Value, json};

use crate::{
    actors::{
        alarms::AlarmFields, definitions::GoalFields, flags::FlagFields, links::LinkFields,
        monitors::MonitorFields, status_pages::PageFields,
    },
    http::procedures::{
        Procedure, alarms, flags, goals, link_folders, links, status_page::pages, uptime, websites,
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
    /// The procedures that make, change, delete and show one; no procedure shows a single folder.
    pub(super) create: Procedure,
    pub(super) update: Procedure,
    pub(super) delete: Procedure,
    pub(super) get: Option<Procedure>,
    /// The field of the id, in what procedures take, and in what `create` answers.
    pub(super) id: &'static str,
    pub(super) made_id: &'static str,
    /// The field that tells one from the others of its kind; what a declaration is called, unless it says otherwise.
    pub(super) natural: &'static str,
    /// Fields beside those that have defaults.
    pub(super) also: &'static [&'static str],
    /// Fields that cannot be changed later.
    pub(super) fixed: &'static [&'static str],
    /// Fields that procedures of their own change.
    pub(super) parts: &'static [&'static str],
    /// Whether objects are changed field by field.
    pub(super) merges: bool,
    /// What fields are when nobody says anything.
    pub(super) defaults: fn() -> Body,
}

pub(super) const WEBSITES: &Kind = &Kind {
    table: "websites",
    one: "website",
    create: websites::CREATE.erase(),
    update: websites::UPDATE.erase(),
    delete: websites::lifecycle::DELETE.erase(),
    get: Some(websites::GET_BY_ID.erase()),
    id: "id",
    made_id: "id",
    natural: "domain",
    also: &["name", "domain", "settings"],
    fixed: &[],
    parts: &["isPublic", "settings"],
    merges: false,
    defaults: || fields(json!({ "isPublic": false })),
};

pub(super) const FOLDERS: &Kind = &Kind {
    table: "link-folders",
    one: "link folder",
    create: link_folders::CREATE.erase(),
    update: link_folders::UPDATE.erase(),
    delete: link_folders::DELETE.erase(),
    get: None,
    id: "id",
    made_id: "id",
    natural: "slug",
    also: &["name", "slug"],
    fixed: &[],
    parts: &[],
    merges: false,
    defaults: Body::new,
};

pub(super) const LINKS: &Kind = &Kind {
    table: "links",
    one: "link",
    create: links::CREATE.erase(),
    update: links::UPDATE.erase(),
    delete: links::DELETE.erase(),
    get: Some(links::GET.erase()),
    id: "id",
    made_id: "id",
    natural: "slug",
    also: &["password"],
    fixed: &[],
    parts: &[],
    merges: false,
    defaults: || fields(json!(LinkFields::default())),
};

pub(super) const FLAGS: &Kind = &Kind {
    table: "flags",
    one: "flag",
    create: flags::CREATE.erase(),
    update: flags::UPDATE.erase(),
    delete: flags::DELETE.erase(),
    get: Some(flags::GET_BY_ID.erase()),
    id: "id",
    made_id: "id",
    natural: "key",
    also: &["websiteId"],
    fixed: &["key", "websiteId"],
    parts: &[],
    merges: false,
    defaults: || fields(json!(FlagFields::default())),
};

pub(super) const MONITORS: &Kind = &Kind {
    table: "monitors",
    one: "monitor",
    create: uptime::CREATE_SCHEDULE.erase(),
    update: uptime::UPDATE_SCHEDULE.erase(),
    delete: uptime::DELETE_SCHEDULE.erase(),
    get: Some(uptime::GET_SCHEDULE.erase()),
    id: "scheduleId",
    made_id: "scheduleId",
    natural: "name",
    also: &[],
    fixed: &["kind"],
    parts: &["isPaused"],
    merges: true,
    defaults: || {
        let mut all = fields(json!(MonitorFields::default()));
        all.insert("isPaused".to_owned(), json!(false));
        all
    },
};

pub(super) const GOALS: &Kind = &Kind {
    table: "goals",
    one: "goal",
    create: goals::CREATE.erase(),
    update: goals::UPDATE.erase(),
    delete: goals::DELETE.erase(),
    get: Some(goals::GET_BY_ID.erase()),
    id: "id",
    made_id: "id",
    natural: "name",
    also: &["websiteId"],
    fixed: &["websiteId"],
    parts: &[],
    merges: false,
    defaults: || {
        let least = json!({ "type": "PAGE_VIEW", "target": "/", "name": "x" });
        let all = serde_json::from_value::<GoalFields>(least).map(|goal| fields(json!(goal)));
        all.unwrap_or_default()
    },
};

pub(super) const ALARMS: &Kind = &Kind {
    table: "alarms",
    one: "alarm",
    create: alarms::CREATE.erase(),
    update: alarms::UPDATE.erase(),
    delete: alarms::DELETE.erase(),
    get: Some(alarms::GET.erase()),
    id: "alarmId",
    made_id: "id",
    natural: "name",
    also: &["destinations"],
    fixed: &[],
    parts: &[],
    merges: false,
    defaults: || fields(json!(AlarmFields::default())),
};

pub(super) const PAGES: &Kind = &Kind {
    table: "status-pages",
    one: "status page",
    create: pages::CREATE.erase(),
    update: pages::UPDATE.erase(),
    delete: pages::DELETE.erase(),
    get: Some(pages::GET.erase()),
    id: "statusPageId",
    made_id: "id",
    natural: "slug",
    also: &[],
    fixed: &[],
    parts: &["monitors"],
    merges: false,
    defaults: || {
        let mut all = fields(json!(PageFields::default()));
        all.insert("monitors".to_owned(), json!([]));
        all
    },
};

/// All of them. What is declared of one kind may name things of the kinds before it, and of its own.
pub(super) const KINDS: [&Kind; 8] = [
    WEBSITES, FOLDERS, LINKS, FLAGS, MONITORS, GOALS, ALARMS, PAGES,
];

/// The kind whose table this is.
pub(super) fn of_table(table: &str) -> Option<&'static Kind> {
    KINDS.into_iter().find(|kind| kind.table == table)
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
