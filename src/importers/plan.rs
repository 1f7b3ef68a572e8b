//! What a file holds, and what of it cannot be carried.

use crate::actors::{
    flags::FlagFields,
    links::LinkFields,
    monitors::MonitorFields,
    status_pages::{Impact, IncidentStatus, PageFields, PageMonitorFields, Severity},
};

/// Definitions of a file.
pub const MAX_ITEMS: usize = 10_000;

/// Definitions in the order in which they are created.
#[derive(Debug, Default, PartialEq)]
pub struct Plan {
    pub items: Vec<Item>,
    pub omissions: Vec<Omission>,
}

#[derive(Debug, PartialEq)]
pub struct Item {
    /// Its place in the file, such as `line 3` or `monitorList[2]`.
    pub at: String,
    pub definition: Definition,
}

/// Something of a file that is not carried.
#[derive(Debug, PartialEq, Eq)]
pub struct Omission {
    /// Its place in the file; empty = the whole file.
    pub at: String,
    /// What it is, such as `link abc`.
    pub what: String,
    pub reason: String,
}

/// Something to create.
#[derive(Debug, PartialEq)]
pub enum Definition {
    Link(Box<LinkDefinition>),
    Monitor(Box<MonitorDefinition>),
    Page(Box<PageDefinition>),
    Incident(Box<IncidentDefinition>),
    Flag(Box<FlagFields>),
}

#[derive(Debug, PartialEq)]
pub struct LinkDefinition {
    pub fields: LinkFields,
}

#[derive(Debug, PartialEq)]
pub struct MonitorDefinition {
    /// The id within the file, which pages name.
    pub key: String,
    pub fields: MonitorFields,
    pub is_paused: bool,
}

#[derive(Debug, PartialEq)]
pub struct PageDefinition {
    pub fields: PageFields,
    /// Monitors by their key.
    pub monitors: Vec<(String, PageMonitorFields)>,
}

/// Something that happened, as it was told on a page.
#[derive(Debug, PartialEq)]
pub struct IncidentDefinition {
    /// The slug of its page.
    pub page: String,
    pub title: String,
    pub severity: Severity,
    /// Status, message and Unix milliseconds of each update, oldest first; at least one.
    pub updates: Vec<(IncidentStatus, String, i64)>,
    /// Monitors by their key.
    pub affected: Vec<(String, Impact)>,
    /// Begin and end of maintenance, Unix milliseconds.
    pub planned: Option<(i64, i64)>,
    /// What was learned.
    pub postmortem: Option<String>,
}

/// Why a file is not read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ImportError {
    /// The place in the file; empty = the whole file.
    pub at: String,
    pub message: String,
}

impl ImportError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self::at("", message)
    }

    pub(super) fn at(at: impl Into<String>, message: impl Into<String>) -> Self {
        let (at, message) = (at.into(), message.into());
        let message = if at.is_empty() {
            message
        } else {
            format!("{at}: {message}")
        };
        Self { at, message }
    }
}

impl Plan {
    pub(super) fn push(&mut self, at: impl Into<String>, definition: Definition) {
        let at = at.into();
        self.items.push(Item { at, definition });
    }

    /// Notes what is not carried. Of very many, the first ones.
    pub(super) fn omit(
        &mut self,
        at: impl Into<String>,
        what: impl Into<String>,
        reason: impl Into<String>,
    ) {
        if self.omissions.len() < MAX_ITEMS {
            self.omissions.push(Omission {
                at: at.into(),
                what: what.into(),
                reason: reason.into(),
            });
        }
    }
}

impl Definition {
    /// What kind of thing it is, as answers name it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Link(_) => "link",
            Self::Monitor(_) => "monitor",
            Self::Page(_) => "status page",
            Self::Incident(_) => "incident",
            Self::Flag(_) => "flag",
        }
    }

    /// Its name for people.
    pub fn name(&self) -> &str {
        let name = match self {
            Self::Link(link) => link.fields.slug.as_deref(),
            Self::Monitor(monitor) => monitor.fields.name.as_deref(),
            Self::Page(page) => Some(page.fields.slug.as_str()),
            Self::Incident(incident) => Some(incident.title.as_str()),
            Self::Flag(flag) => Some(flag.key.as_str()),
        };
        name.unwrap_or_default()
    }
}
