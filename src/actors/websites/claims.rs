//! Which website of the installation has an id of another product's clients.
//!
//! A pair of protocol and id belongs to one website of the installation: the first that claims it keeps it until it lets go of it
//! or is erased. An id is no proof, so one that was left out is random.

use sea_orm::{ActiveValue::Set, prelude::*};

use super::{Compatibility, CompatibilityInput, Website, WebsiteError, WebsitesView};
use crate::{
    actors::{
        digest::Digest,
        error::write_error,
        random::{self, NoRandomness},
        validation::ValidationError,
    },
    entities::{self, website_protocol},
    events::accept::protocols::{Protocol, SuggestedId},
    ids::WebsiteId,
};

/// Entries of one website.
const MAX_ENTRIES: usize = 20;
/// Characters of an id or a secret.
const MAX_LENGTH: usize = 256;
/// Fewer characters are no secret.
const MIN_SECRET: usize = 8;

fn invalid(index: usize, field: &str, message: impl Into<String>) -> WebsiteError {
    let field = format!("compatibility.{index}.{field}");
    WebsiteError::Common(ValidationError::new(field, message.into()).into())
}

/// The entries of a website after a change, every one checked.
pub(super) fn resolve(
    website: &Website,
    inputs: Vec<CompatibilityInput>,
    view: &WebsitesView,
) -> Result<Vec<Compatibility>, WebsiteError> {
    if inputs.len() > MAX_ENTRIES {
        let message = format!("`compatibility` must have at most {MAX_ENTRIES} entries");
        return Err(WebsiteError::Common(
            ValidationError::new("compatibility", message).into(),
        ));
    }
    let mut resolved: Vec<Compatibility> = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.into_iter().enumerate() {
        let one = resolve_one(website, index, input)?;
        if resolved
            .iter()
            .any(|other| (other.protocol, &other.id) == (one.protocol, &one.id))
        {
            return Err(invalid(index, "id", "This entry is there twice"));
        }
        let holder = view.by_protocol(one.protocol, &one.id);
        if holder.is_some_and(|(holder, _)| holder.id != website.id) {
            return Err(WebsiteError::ProtocolTaken(one.protocol, one.id));
        }
        resolved.push(one);
    }
    resolved.sort_by(|a, b| (a.protocol, &a.id).cmp(&(b.protocol, &b.id)));
    Ok(resolved)
}

fn resolve_one(
    website: &Website,
    index: usize,
    input: CompatibilityInput,
) -> Result<Compatibility, WebsiteError> {
    let protocol = input.protocol;
    let given = input.id.unwrap_or_default().trim().to_owned();
    let id = if given.is_empty() {
        suggest(website, protocol)?
    } else {
        given
    };
    if id.chars().count() > MAX_LENGTH || id.contains(char::is_control) {
        let message = format!("The id must be at most {MAX_LENGTH} printable characters");
        return Err(invalid(index, "id", message));
    }
    let secret = match input.secret.as_deref().map(str::trim) {
        None => website
            .compatibility
            .iter()
            .find(|known| (known.protocol, &known.id) == (protocol, &id))
            .and_then(|known| known.secret),
        Some("") => None,
        Some(_) if !protocol.adapter().has_secret => {
            let message = format!("Clients of {protocol} send no secret");
            return Err(invalid(index, "secret", message));
        }
        Some(secret) if !(MIN_SECRET..=MAX_LENGTH).contains(&secret.chars().count()) => {
            let message = format!("The secret must have {MIN_SECRET} to {MAX_LENGTH} characters");
            return Err(invalid(index, "secret", message));
        }
        Some(secret) => Some(Digest::from_secret(secret)),
    };
    Ok(Compatibility {
        protocol,
        id,
        has_secret: secret.is_some(),
        secret,
    })
}

fn suggest(website: &Website, protocol: Protocol) -> Result<String, NoRandomness> {
    Ok(match protocol.adapter().suggested_id {
        SuggestedId::Domain => website.domain.clone(),
        SuggestedId::ClientId => website.client_id.to_string(),
        SuggestedId::Key(prefix) => format!("{prefix}{}", random::base62(40)?),
        SuggestedId::Number => {
            let number = random::key()?.unsigned_abs() % 900_000_000;
            (number + 100_000_000).to_string()
        }
    })
}

/// The ids of all websites, deleted ones too.
pub(super) async fn load(
    db: &impl ConnectionTrait,
) -> Result<Vec<(WebsiteId, Compatibility)>, DbErr> {
    let rows = website_protocol::Entity::find().all(db).await?;
    // A protocol that a later version has served is left alone.
    let known = rows.into_iter().filter_map(|row| {
        let secret = row.secret_hash.as_deref().map(Digest::from_hex);
        let one = Compatibility {
            protocol: Protocol::parse(&row.protocol)?,
            id: row.external_id,
            has_secret: secret.is_some(),
            // A damaged secret admits nothing rather than everything.
            secret: secret.map(|secret| secret.unwrap_or_else(|| Digest::from_secret(""))),
        };
        Some((row.website_id.into(), one))
    });
    Ok(known.collect())
}

/// Stores the ids of a website in place of those that it had.
pub(super) async fn replace(
    db: &impl ConnectionTrait,
    website: &Website,
) -> Result<(), WebsiteError> {
    website_protocol::Entity::delete_many()
        .filter(website_protocol::COLUMN.website_id.eq(website.id.as_str()))
        .exec(db)
        .await?;
    for one in &website.compatibility {
        let row = website_protocol::ActiveModel {
            protocol: Set(one.protocol.as_str().to_owned()),
            external_id: Set(one.id.clone()),
            website_id: Set(website.id.to_string()),
            secret_hash: Set(one.secret.map(Digest::to_hex)),
        };
        let inserted = entities::insert(db, row).await;
        let taken = WebsiteError::ProtocolTaken(one.protocol, one.id.clone());
        inserted.map_err(|error| write_error(error, taken))?;
    }
    Ok(())
}
