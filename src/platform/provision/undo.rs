//! Taking back what was done, as well as it can be.

use serde_json::{Value, json};

use super::{
    book::{Book, stored, told},
    kinds::{self, Body, Kind, fields},
    world::World,
    write::write,
};
use crate::{
    actors::provisioned::{self, Name, Provisioned},
    fault::Fault,
};

/// How a step is taken back.
pub(super) enum Undo {
    /// It was made.
    Delete {
        kind: &'static Kind,
        id: String,
        name: Name,
    },
    /// It was changed.
    Restore(Box<Before>),
    /// It was deleted, which is for good.
    Not(Name),
}

/// A thing before it was changed.
pub(super) struct Before {
    pub(super) kind: &'static Kind,
    pub(super) id: String,
    /// The fields that are changed.
    pub(super) was: Body,
    pub(super) name: Name,
    /// What was known of it.
    pub(super) row: Option<Provisioned>,
}

/// Takes steps back, the last one first; what cannot be is named.
pub(super) async fn take_back(world: &World, book: &Book<'_>, steps: Vec<Undo>) -> Vec<String> {
    let mut left = Vec::new();
    for step in steps.into_iter().rev() {
        let (name, done) = match step {
            Undo::Delete { kind, id, name } => {
                let deleted = world.ask(kind.delete, json!({ kind.id: id })).await;
                let forgotten = stored(provisioned::forget(book.db, book.clock, &name).await);
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
                    left.push(format!("{}.{}: {what}", name.kind, name.name));
                }
                let done = restore(world, kind, &id, was).await;
                let noted = match row {
                    Some(row) => {
                        let now = Some(&name).filter(|name| **name != row.name);
                        stored(provisioned::note(book.db, book.clock, &row, now).await)
                    }
                    None => stored(provisioned::forget(book.db, book.clock, &name).await),
                };
                (name, done.and(noted))
            }
            Undo::Not(name) => {
                left.push(format!("{}.{}: it is deleted", name.kind, name.name));
                continue;
            }
        };
        if let Err(fault) = done {
            left.push(format!("{}.{}: {}", name.kind, name.name, told(&fault).0));
        }
    }
    left
}

async fn restore(world: &World, kind: &Kind, id: &str, mut was: Body) -> Result<(), Fault> {
    let shown = world.read(kind, id).await?.unwrap_or_default();
    if kind.table == kinds::MONITORS.table {
        was.remove("request");
    }
    if kind.table == kinds::ALARMS.table
        && let Some(Value::Array(destinations)) = was.get_mut("destinations")
    {
        // Secrets are not shown: those that there are stay.
        for one in destinations {
            let mut kept = fields(one.take());
            kept.retain(|name, _| ["type", "identifier", "config"].contains(&name.as_str()));
            if let Some(Value::Object(config)) = kept.get_mut("config") {
                config.retain(|name, value| {
                    !["secret", "token"].contains(&name.as_str()) && !value.is_null()
                });
            }
            *one = Value::Object(kept);
        }
    }
    write(world, kind, id, &was, &shown).await
}
