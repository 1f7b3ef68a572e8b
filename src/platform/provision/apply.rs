//! Doing what a plan says: all of it, or nothing that stays.
//!
//! Before something is made, a row says that it is; so a run that is cut off is picked up by the next one. When a step is
//! refused, the steps before it are taken back in turn. Deletions come last.

use serde_json::{Value, json};

use super::{
    act::Act,
    book::{Book, stored, told},
    check::without,
    kinds::Body,
    plan::{Ids, Step},
    refs,
    undo::{Before, Undo, take_back},
    world::World,
    write::{only_parts, parts, write},
};
use crate::{
    actors::provisioned::{self, Name, Prints, Provisioned},
    fault::{Fault, Kind as Fell},
    ids::OrganizationId,
};

#[derive(Debug)]
pub(super) struct Stopped {
    pub(super) organization: OrganizationId,
    /// What was refused, such as `monitors.home`.
    pub(super) key: String,
    /// Why, and in which field.
    pub(super) why: String,
    pub(super) field: String,
    /// What could not be taken back.
    pub(super) left: Vec<String>,
}

/// Does all of it: in every organization what is made and changed first, then in every one what is deleted.
pub(super) async fn apply(plans: &[(World, Vec<Step>)], book: &Book<'_>) -> Result<(), Stopped> {
    let mut undo: Vec<(&World, Vec<Undo>)> = Vec::new();
    for deleting in [false, true] {
        for (world, steps) in plans {
            let known = steps.iter();
            let mut ids: Ids = known
                .filter_map(|step| Some((step.key(), step.id()?.to_owned())))
                .collect();
            undo.push((world, Vec::new()));
            for step in steps.iter().filter(|step| step.removes() == deleting) {
                let Some((_, own)) = undo.last_mut() else {
                    continue;
                };
                if let Err(fault) = one(world, book, step, (&mut ids, own)).await {
                    return Err(stopped(book, step, &fault, undo).await);
                }
            }
        }
    }
    Ok(())
}

async fn stopped(
    book: &Book<'_>,
    step: &Step,
    fault: &Fault,
    undo: Vec<(&World, Vec<Undo>)>,
) -> Stopped {
    let mut left = Vec::new();
    for (world, steps) in undo.into_iter().rev() {
        left.extend(take_back(world, book, steps).await);
    }
    let (why, field) = told(fault);
    Stopped {
        organization: step.name.organization.clone(),
        key: step.key(),
        why,
        field,
        left,
    }
}

async fn one(
    world: &World,
    book: &Book<'_>,
    step: &Step,
    (ids, undo): (&mut Ids, &mut Vec<Undo>),
) -> Result<(), Fault> {
    let before = step.row.as_ref().map(|row| &row.name);
    let renamed = before.filter(|name| **name != step.name);
    match (&step.act, &step.declared) {
        (Act::Create, Some(declared)) => {
            let body = refs::resolved(&declared.body, &|key| ids.get(key).cloned());
            note(book, step, None, None, renamed).await?;
            let main = without(&body, |field| step.kind.is_part(field));
            let made = match world.ask(step.kind.create, Value::Object(main)).await {
                Ok(made) => made,
                Err(fault) => return Err(not_made(book, step, fault).await),
            };
            let id = made.get(step.kind.made_id).and_then(Value::as_str);
            let id = id.unwrap_or_default().to_owned();
            undo.push(Undo::Delete {
                kind: step.kind,
                id: id.clone(),
                name: step.name.clone(),
            });
            ids.insert(step.key(), id.clone());
            parts(world, step.kind, &id, &only_parts(step.kind, &body)).await?;
            settled(world, book, step, &id).await
        }
        (Act::Adopt(id), Some(_)) => {
            let all: Vec<String> = step.prints.keys().cloned().collect();
            change(world, book, step, (id, &all), (ids, undo)).await
        }
        (Act::Update(id, changed), Some(_)) => {
            change(world, book, step, (id, changed), (ids, undo)).await
        }
        (Act::Delete(id), _) => {
            let deleted = world
                .ask(step.kind.delete, json!({ step.kind.id: id }))
                .await;
            match deleted {
                Err(fault) if !matches!(fault.kind, Fell::NotFound { .. }) => return Err(fault),
                _ => undo.push(Undo::Not(step.name.clone())),
            }
            stored(provisioned::forget(book.db, book.clock, &step.name).await)
        }
        (Act::Forget, _) => stored(provisioned::forget(book.db, book.clock, &step.name).await),
        _ => Ok(()),
    }
}

/// Forgets that something was to be made, when it is certain that it was not.
async fn not_made(book: &Book<'_>, step: &Step, fault: Fault) -> Fault {
    if matches!(fault.kind, Fell::Internal | Fell::Unavailable { .. }) {
        return fault;
    }
    let forgotten = stored(provisioned::forget(book.db, book.clock, &step.name).await);
    forgotten.err().unwrap_or(fault)
}

async fn change(
    world: &World,
    book: &Book<'_>,
    step: &Step,
    (id, changed): (&str, &[String]),
    (ids, undo): (&Ids, &mut Vec<Undo>),
) -> Result<(), Fault> {
    let Some(declared) = &step.declared else {
        return Ok(());
    };
    let kind = step.kind;
    let body = refs::resolved(&declared.body, &|key| ids.get(key).cloned());
    let Some(shown) = world.read(kind, id).await? else {
        return Err(Fault::not_found(kind.one, id));
    };
    let defaults = (kind.defaults)();
    let mut wanted = Body::new();
    let mut was = Body::new();
    for field in changed {
        if kind.fixed.contains(&field.as_str()) {
            continue;
        }
        let default = defaults.get(field);
        // What is not declared any more is what it would be by itself; a website's settings stay.
        let Some(value) = body.get(field).or(default) else {
            continue;
        };
        wanted.insert(field.clone(), value.clone());
        was.insert(field.clone(), shown.get(field).cloned().unwrap_or_default());
    }
    let before = step.row.as_ref().map(|row| &row.name);
    let renamed = before.filter(|name| **name != step.name);
    note(book, step, Some(id), None, renamed).await?;
    undo.push(Undo::Restore(Box::new(Before {
        kind,
        id: id.to_owned(),
        was,
        name: step.name.clone(),
        row: step.row.clone(),
    })));
    write(world, kind, id, &wanted, &shown).await?;
    settled(world, book, step, id).await
}

/// Notes how far a declaration is.
async fn note(
    book: &Book<'_>,
    step: &Step,
    id: Option<&str>,
    applied: Option<Prints>,
    before: Option<&Name>,
) -> Result<(), Fault> {
    let row = Provisioned {
        name: step.name.clone(),
        resource: id.map(str::to_owned),
        declared: step.prints.clone(),
        applied,
    };
    stored(provisioned::note(book.db, book.clock, &row, before).await)
}

/// Notes that a declaration is what is there now.
async fn settled(world: &World, book: &Book<'_>, step: &Step, id: &str) -> Result<(), Fault> {
    let shown = world.read(step.kind, id).await?.unwrap_or_default();
    let applied = book.printer.shown(step.kind, &shown, step.prints.keys());
    note(book, step, Some(id), Some(applied), None).await
}
