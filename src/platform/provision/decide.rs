//! Decides what to do about one declaration. Pure.

use super::{ProvisionOptions, api::Existing, kinds::Kind};
use crate::actors::provisioned::{Prints, Provisioned};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    Create,
    /// Every field of a thing that was made by hand, or by a run that was cut off.
    Adopt(String),
    Update(String, Vec<String>),
    Delete(String),
    /// It stays, or is gone already.
    Forget,
    Conflict(String),
    Unchanged(String),
}

/// What is known about one declaration before the decision.
#[derive(Clone, Copy)]
pub(super) struct DeclarationState<'a> {
    pub(super) kind: &'static Kind,
    /// The declaration's prints; `None` when it was removed.
    pub(super) declared: Option<&'a Prints>,
    pub(super) row: Option<&'a Provisioned>,
    /// Prints of the thing that the row names, for the fields that were declared; `None` when it is gone.
    pub(super) current: Option<&'a Prints>,
    /// What has its natural name, where the row names nothing.
    pub(super) found: Option<&'a Existing>,
    pub(super) adopt: bool,
    pub(super) options: ProvisionOptions,
}

pub(super) fn decide(state: &DeclarationState<'_>) -> Decision {
    let resource = state
        .row
        .and_then(|row| Some((row, row.resource.as_ref()?)));
    match (state.declared, resource) {
        (Some(declared), Some((row, id))) => decide_existing(state, declared, row, id),
        (Some(_), None) => decide_new(state),
        (None, Some((row, id))) => decide_removed(state, row, id),
        (None, None) => Decision::Forget,
    }
}

fn decide_new(state: &DeclarationState<'_>) -> Decision {
    // A row without a thing: a run was cut off while it created it.
    let begun = state.row.is_some();
    match state.found {
        None => Decision::Create,
        Some(Existing::Own(id)) if state.adopt || begun => Decision::Adopt(id.clone()),
        Some(Existing::Own(id)) => Decision::Conflict(format!(
            "there is a {} with the same `{}` already, made by hand (id {id}); `adopt = true` takes it over",
            state.kind.one, state.kind.natural
        )),
        Some(Existing::Elsewhere) => Decision::Conflict(format!(
            "this `{}` belongs to a {} of another organization",
            state.kind.natural, state.kind.one
        )),
    }
}

fn decide_existing(
    state: &DeclarationState<'_>,
    declared: &Prints,
    row: &Provisioned,
    id: &str,
) -> Decision {
    let Some(current) = state.current else {
        return if state.options.force {
            Decision::Create
        } else {
            Decision::Conflict(format!(
                "it was deleted by hand; `force` makes it again, or take the declaration away (id {id})"
            ))
        };
    };
    let edited = match &row.applied {
        Some(applied) => differing(applied, current),
        // A run was cut off while it changed it: every field is written again.
        None => return Decision::Update(id.to_owned(), declared.keys().cloned().collect()),
    };
    let mut changed = differing(&row.declared, declared);
    if !edited.is_empty() && !state.options.force {
        return Decision::Conflict(format!(
            "it was changed by hand: {}; `force` overwrites that",
            edited.join(", ")
        ));
    }
    changed.extend(edited);
    changed.sort();
    changed.dedup();
    if let Some(fixed) = changed
        .iter()
        .find(|field| state.kind.fixed.contains(&field.as_str()))
    {
        return Decision::Conflict(format!(
            "`{fixed}` cannot be changed; declare it under another name"
        ));
    }
    if changed.is_empty() {
        Decision::Unchanged(id.to_owned())
    } else {
        Decision::Update(id.to_owned(), changed)
    }
}

fn decide_removed(state: &DeclarationState<'_>, row: &Provisioned, id: &str) -> Decision {
    let Some(current) = state.current else {
        return Decision::Forget;
    };
    if state.options.keep {
        return Decision::Forget;
    }
    let applied = row.applied.as_ref();
    let edited = applied
        .map(|applied| differing(applied, current))
        .unwrap_or_default();
    if edited.is_empty() || state.options.force {
        return Decision::Delete(id.to_owned());
    }
    Decision::Conflict(format!(
        "it is declared no more and was changed by hand: {}; `--force` deletes it, `--keep` leaves it to you",
        edited.join(", ")
    ))
}

/// Fields that differ.
fn differing(one: &Prints, other: &Prints) -> Vec<String> {
    let mut names: Vec<String> = one.keys().chain(other.keys()).cloned().collect();
    names.sort();
    names.dedup();
    names.retain(|name| one.get(name) != other.get(name));
    names
}
