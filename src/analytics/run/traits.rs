//! Filters on traits: profiles that have them are looked up before statements are made.

use crate::analytics::{
    catalogue::{About, Values},
    people::{TooMany, TraitTest},
    request::{Filter, Op, Request},
    target::Target,
};

/// Puts the ids of the profiles that have the traits in the place of their values. When that cannot be, the parameters that
/// are about people say why.
pub(super) async fn resolve(target: &Target, request: &mut Request) {
    if let Err(message) = lookup(target, &mut request.filters).await {
        for parameter in &mut request.parameters {
            if parameter.kind.about == About::People {
                parameter.range = Err(message.clone());
            }
        }
    }
}

async fn lookup(target: &Target, filters: &mut [Filter]) -> Result<(), String> {
    let of_traits = |filter: &&mut Filter| filter.field.values == Values::Trait;
    for filter in filters.iter_mut().filter(of_traits) {
        if target.access.public_only() {
            // It does not act.
            continue;
        }
        filter.values = holders(target, filter).await?;
    }
    Ok(())
}

/// Ids of all profiles that have a trait with one of the values, or with the pieces.
async fn holders(target: &Target, filter: &Filter) -> Result<Vec<String>, String> {
    if target.access.website().is_none() {
        return Err("Trait filters are about one website: ask with website_id".to_owned());
    }
    let (Some(people), Some(key)) = (&target.people, &filter.key) else {
        return Err("Traits are not known here".to_owned());
    };
    let test = match filter.op {
        Op::Eq | Op::Ne | Op::In | Op::NotIn => TraitTest::In(filter.values.clone()),
        Op::Contains | Op::NotContains | Op::StartsWith | Op::EndsWith if key == "email" => {
            return Err("`trait:email` can be compared as a whole only".to_owned());
        }
        Op::EndsWith => return Err("Traits cannot be compared with `ends_with`".to_owned()),
        Op::Contains | Op::NotContains => TraitTest::Contains(filter.values.concat()),
        Op::StartsWith => TraitTest::StartsWith(filter.values.concat()),
    };
    let found = people.with_trait(&target.website_keys(), key, &test).await;
    found.map_err(|error| {
        if let Some(too_many) = error.downcast_ref::<TooMany>() {
            return too_many.to_string();
        }
        tracing::error!(error = format!("{error:#}"), "profiles cannot be read");
        "Profiles cannot be read at the moment".to_owned()
    })
}
