//! Procedures by their names, for whoever acts without a request: what files declare is made by the code that answers the
//! API, with its rules, rights and limits.

use std::sync::{Arc, LazyLock};

use serde_json::Value;

use super::{Call, Procedure, all};
use crate::{access::Principal, fault::Fault, http::Shared};

static ALL: LazyLock<Vec<Procedure>> = LazyLock::new(all);

/// A procedure: the key of its router, and its name.
pub type Named = (&'static str, &'static str);

fn find((router, name): Named) -> Result<&'static Procedure, Fault> {
    let found = ALL
        .iter()
        .find(|one| one.router == router && one.name == name);
    found.ok_or_else(|| Fault::internal(anyhow::anyhow!("there is no procedure {router}.{name}")))
}

/// Calls a procedure for somebody.
///
/// # Errors
/// What the procedure refuses, as over HTTP.
pub async fn call(
    shared: &Arc<Shared>,
    caller: &Principal,
    procedure: Named,
    input: Value,
) -> Result<Value, Fault> {
    let call = Call {
        shared: Arc::clone(shared),
        caller: caller.clone(),
        address: None,
    };
    find(procedure)?.invoke(call, input).await
}

/// Refuses an input that a call would refuse by its form.
///
/// # Errors
/// What is wrong with it, and where.
pub fn check(procedure: Named, input: Value) -> Result<(), Fault> {
    find(procedure)?.check(input)
}
