//! What clients of other products send to ask for flags.

use std::sync::Arc;

use pharos::actors::flags::{
    FlagFields,
    engine::{Compiled, Context, Flags},
    protocols::{Person, posthog, unleash},
};

use super::promises::is_refusal;

/// A query string or a body; every protocol reads it, and its flags are decided for who asks.
pub fn flags(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        if let Some(environment) = unleash::environment(text) {
            assert!(!environment.is_empty() && text.contains(environment));
        }
        decide(unleash::context_of_query(text));
    }
    match unleash::context_of_body(bytes) {
        Ok(person) => decide(person),
        Err(fault) => is_refusal(&fault),
    }
    match posthog::read(bytes) {
        Ok(asked) => decide(asked.person),
        Err(fault) => is_refusal(&fault),
    }
    match serde_json::from_slice::<FlagFields>(bytes) {
        // A flag becomes strategies, or there is a reason.
        Ok(fields) if fields.check().is_empty() => {
            let Ok(flag) = Compiled::new(&fields, &[]) else {
                return;
            };
            match flag.unleash_strategies() {
                Ok(strategies) => assert!(strategies.len() < 10_000),
                Err(reason) => assert!(!reason.is_empty()),
            }
        }
        _ => {}
    }
}

fn decide(person: Person) {
    assert!(person.to_map().contains_key("properties"));
    let mut all = Flags::new();
    for bucketing in ["pharos", "unleash"] {
        let fields = format!(
            r#"{{"key":"{bucketing}","type":"rollout","rolloutPercentage":50,"bucketing":"{bucketing}",
            "rules":[{{"type":"property","field":"plan","operator":"contains","value":"pro"}}]}}"#
        );
        let Ok(fields) = serde_json::from_str::<FlagFields>(&fields) else {
            panic!("{fields} is a flag");
        };
        if let Ok(flag) = Compiled::new(&fields, &[]) {
            all.insert(bucketing.into(), Arc::new(flag));
        }
    }
    let context = Context {
        user_id: person.user_id,
        email: person.email,
        organization_id: person.organization_id,
        team_id: person.team_id,
        properties: person.properties,
        ..Context::default()
    };
    for (key, flag) in &all {
        let decision = flag.evaluate(&all, &context);
        assert_eq!(unleash::toggle(key, &decision).is_some(), decision.enabled);
    }
    let decisions = all
        .iter()
        .map(|(key, flag)| (&**key, flag.evaluate(&all, &context)));
    assert!(
        posthog::Format::Details
            .answer(decisions)
            .contains_key("flags")
    );
}
