//! Who signed in, in the provider's words.

use serde_json::Value;

use super::{
    Failure,
    claims::{Claims, id, text},
};

/// Characters of a name that are kept.
const MAX_NAME: usize = 100;

/// A person as a provider knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Never given to another person by the same issuer.
    pub subject: String,
    pub email: Option<String>,
    /// Whether the provider says that the address is the person's.
    pub email_verified: bool,
    pub name: Option<String>,
    pub groups: Vec<String>,
    /// The provider's session, which its logout names.
    pub session: Option<String>,
}

impl Identity {
    /// Reads what the claims say beside the subject.
    pub(super) fn read(
        subject: String,
        claims: &Claims,
        groups_claim: &str,
    ) -> Result<Self, Failure> {
        let names = claims.get("_claim_names");
        if names.is_some_and(|names| names.get(groups_claim).is_some()) {
            return Err(Failure::TooManyGroups);
        }
        let name = ["name", "preferred_username"].into_iter().find_map(|name| {
            let plain = text(claims, name)?.chars().filter(|one| !one.is_control());
            let name: String = plain.take(MAX_NAME).collect();
            let name = name.trim();
            (!name.is_empty()).then(|| name.to_owned())
        });
        Ok(Self {
            email: text(claims, "email").map(str::to_owned),
            // Microsoft says in a claim of its own that the domain's owner has proven it.
            email_verified: is_true(claims.get("email_verified"))
                || is_true(claims.get("xms_edov")),
            name,
            groups: groups(find(claims, groups_claim)),
            session: id(claims, "sid"),
            subject,
        })
    }
}

/// A claim by its name, or by the dots that lead to it.
pub(super) fn find<'a>(claims: &'a Claims, name: &str) -> Option<&'a Value> {
    if let Some(value) = claims.get(name) {
        return Some(value);
    }
    let (first, rest) = name.split_once('.')?;
    rest.split('.')
        .try_fold(claims.get(first)?, |value, part| value.get(part))
}

fn groups(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(all)) => {
            let texts = all.iter().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Some providers write it as text, or as a number.
fn is_true(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(truth)) => *truth,
        Some(Value::String(text)) => text == "true" || text == "1",
        Some(Value::Number(number)) => number.as_i64() == Some(1),
        _ => false,
    }
}
