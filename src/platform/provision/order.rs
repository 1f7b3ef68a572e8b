//! The order in which declarations are created. Pure.

use serde_json::Value;

use super::{kinds, read::Declaration, refs};

/// Puts declarations behind those that they name.
///
/// # Errors
/// The declarations that name each other in a circle.
pub(super) fn ordered(declared: Vec<Declaration>) -> Result<Vec<Declaration>, Vec<Declaration>> {
    let mut left = declared;
    left.sort_by_key(|one| kinds::rank(one.kind.table));
    let mut done: Vec<Declaration> = Vec::new();
    while !left.is_empty() {
        let ready = left
            .iter()
            .position(|one| !left.iter().any(|other| needs(one, other)));
        match ready {
            Some(at) => done.push(left.remove(at)),
            None => return Err(left),
        }
    }
    Ok(done)
}

/// Whether one can be created only behind the other.
fn needs(one: &Declaration, other: &Declaration) -> bool {
    if one.organization != other.organization {
        return false;
    }
    let named = refs::collect(&one.body)
        .into_iter()
        .any(|reference| reference.key == other.key());
    // Flags name each other by their keys.
    let flags = [one, other]
        .iter()
        .all(|both| both.kind.table == kinds::FLAGS.table);
    let dependencies = one.body.get("dependencies").and_then(Value::as_array);
    let key = other.body.get("key");
    named || flags && dependencies.is_some_and(|all| all.iter().any(|needed| Some(needed) == key))
}
