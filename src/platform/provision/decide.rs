//! What has to be done about one declaration. Pure.

use super::{
    act::{Act, Allowed},
    kinds::Kind,
    world::Found,
};
use crate::actors::provisioned::{Prints, Provisioned};

/// What is known about one declaration before it is decided about.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) kind: &'static Kind,
    /// The declaration's prints; `None` when it was taken away.
    pub(super) declared: Option<&'a Prints>,
    pub(super) row: Option<&'a Provisioned>,
    /// Prints of the thing that the row names, for the fields that were declared; `None` when it is gone.
    pub(super) current: Option<&'a Prints>,
    /// What has its natural name, where the row names nothing.
    pub(super) found: Option<&'a Found>,
    pub(super) adopt: bool,
    pub(super) allowed: Allowed,
}

/// What has to be done about one declaration.
pub(super) fn decide(seen: &Seen<'_>) -> Act {
    let resource = seen.row.and_then(|row| Some((row, row.resource.as_ref()?)));
    match (seen.declared, resource) {
        (Some(declared), Some((row, id))) => kept(seen, declared, row, id),
        (Some(_), None) => new(seen),
        (None, Some((row, id))) => gone(seen, row, id),
        (None, None) => Act::Forget,
    }
}

fn new(seen: &Seen<'_>) -> Act {
    // A row without a thing: a run was cut off while it made it.
    let begun = seen.row.is_some();
    match seen.found {
        None => Act::Create,
        Some(Found::Own(id)) if seen.adopt || begun => Act::Adopt(id.clone()),
        Some(Found::Own(id)) => Act::Conflict(format!(
            "there is a {} with the same `{}` already, made by hand (id {id}); `adopt = true` takes it over",
            seen.kind.one, seen.kind.natural
        )),
        Some(Found::Elsewhere) => Act::Conflict(format!(
            "this `{}` belongs to a {} of another organization",
            seen.kind.natural, seen.kind.one
        )),
    }
}

fn kept(seen: &Seen<'_>, declared: &Prints, row: &Provisioned, id: &str) -> Act {
    let Some(current) = seen.current else {
        return if seen.allowed.force {
            Act::Create
        } else {
            Act::Conflict(format!(
                "it was deleted by hand; `force` makes it again, or take the declaration away (id {id})"
            ))
        };
    };
    let edited = match &row.applied {
        Some(applied) => differing(applied, current),
        // A run was cut off while it changed it: everything is said again.
        None => return Act::Update(id.to_owned(), declared.keys().cloned().collect()),
    };
    let mut changed = differing(&row.declared, declared);
    if !edited.is_empty() && !seen.allowed.force {
        return Act::Conflict(format!(
            "it was changed by hand: {}; `force` overwrites that",
            edited.join(", ")
        ));
    }
    changed.extend(edited);
    changed.sort();
    changed.dedup();
    if let Some(fixed) = changed
        .iter()
        .find(|field| seen.kind.fixed.contains(&field.as_str()))
    {
        return Act::Conflict(format!(
            "`{fixed}` cannot be changed; declare it under another name"
        ));
    }
    if changed.is_empty() {
        Act::Unchanged(id.to_owned())
    } else {
        Act::Update(id.to_owned(), changed)
    }
}

fn gone(seen: &Seen<'_>, row: &Provisioned, id: &str) -> Act {
    let Some(current) = seen.current else {
        return Act::Forget;
    };
    if seen.allowed.keep {
        return Act::Forget;
    }
    let applied = row.applied.as_ref();
    let edited = applied
        .map(|applied| differing(applied, current))
        .unwrap_or_default();
    if edited.is_empty() || seen.allowed.force {
        return Act::Delete(id.to_owned());
    }
    Act::Conflict(format!(
        "it is declared no more and was changed by hand: {}; `--force` deletes it, `--keep` leaves it to you",
        edited.join(", ")
    ))
}

/// Fields that two do not have alike.
fn differing(one: &Prints, other: &Prints) -> Vec<String> {
    let mut names: Vec<String> = one.keys().chain(other.keys()).cloned().collect();
    names.sort();
    names.dedup();
    names.retain(|name| one.get(name) != other.get(name));
    names
}
