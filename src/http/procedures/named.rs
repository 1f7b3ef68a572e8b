//! Procedures by their names: for pages, and for whoever acts without a request. What they make is made by the code that
//! answers the API, with its rules, rights and limits.

use std::{collections::HashMap, sync::LazyLock};

use serde_json::Value;

use super::{Call, Procedure, all};
use crate::fault::Fault;

/// A procedure: the key of its router, and its name.
pub type Named = (&'static str, &'static str);

static TABLE: LazyLock<HashMap<Named, Procedure>> = LazyLock::new(|| {
    let all = all().into_iter();
    all.map(|procedure| ((procedure.router, procedure.name), procedure))
        .collect()
});

fn find(named: Named) -> Result<&'static Procedure, Fault> {
    let (router, name) = named;
    let found = TABLE.get(&named);
    found.ok_or_else(|| Fault::internal(anyhow::anyhow!("there is no procedure {router}.{name}")))
}

/// Calls a procedure.
///
/// # Errors
/// What the procedure refuses, as over HTTP.
pub async fn invoke(call: Call, procedure: Named, input: Value) -> Result<Value, Fault> {
    find(procedure)?.invoke(call, input).await
}

/// Refuses an input that a call would refuse by its form.
///
/// # Errors
/// What is wrong with it, and where.
pub fn check(procedure: Named, input: Value) -> Result<(), Fault> {
    find(procedure)?.check(input)
}

/// Whether there is a procedure of this name.
#[cfg(test)]
pub fn is_there(router: &str, name: &str) -> bool {
    TABLE.keys().any(|known| *known == (router, name))
}
