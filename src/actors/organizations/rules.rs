//! Pure decisions: what an address, a name and a password have to look like.

use secrecy::{ExposeSecret, SecretString};

use crate::actors::{dns_proof, slug, validation::ValidationError};

const MAX_EMAIL: usize = 254;
const MAX_NAME: usize = 100;
const MAX_SLUG: usize = 64;
const MAX_URL: usize = 2048;
/// Bytes; more is refused before anything is hashed.
const MAX_PASSWORD: usize = 1024;
/// Characters of a chosen password.
const MIN_PASSWORD: usize = 8;

/// An acceptable installation, on its way to storage.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(super) name: String,
    pub(super) slug: String,
    pub(super) plan: String,
    pub(super) email: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(super) email: String,
    pub(super) name: String,
}

pub(super) fn new_account(given: &str, email: &str) -> Result<Account, ValidationError> {
    Ok(Account {
        name: name(given)?,
        email: address(email)?,
    })
}

/// What a person is called, without space around it.
pub(super) fn name(given: &str) -> Result<String, ValidationError> {
    let name = given.trim();
    ValidationError::require(
        is_name(name),
        "name",
        "The name must have 1 to 100 characters, none of them control characters",
    )?;
    Ok(name.to_owned())
}

/// An address as it is stored, or the refusal of what is none.
pub(super) fn address(given: &str) -> Result<String, ValidationError> {
    let message = "The email address must look like `name@host`";
    account(given).ok_or_else(|| ValidationError::new("email", message))
}

/// A domain as it is stored: no IP address, and none below which anybody can register one.
pub(super) fn domain(given: &str) -> Result<String, ValidationError> {
    let name = dns_proof::provable(given.trim().trim_start_matches('@'));
    let message = "Enter a domain that your organization registered, such as example.com. IP addresses and public suffixes such as co.uk can't be verified.";
    name.ok_or_else(|| ValidationError::new("domain", message))
}

/// Checks a chosen slug.
pub(super) fn given_slug(given: &str) -> Result<String, ValidationError> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let whole = !given.starts_with('-') && !given.ends_with('-');
    ValidationError::require(
        (1..=MAX_SLUG).contains(&given.len()) && whole && given.bytes().all(fits),
        "slug",
        "The slug must have 1 to 64 lower-case letters, digits and hyphens, with no hyphen at either end",
    )?;
    Ok(given.to_owned())
}

/// Checks the address of a picture; empty = none.
pub(super) fn logo(given: &str) -> Result<Option<String>, ValidationError> {
    let given = given.trim();
    if given.is_empty() {
        return Ok(None);
    }
    let secure = url::Url::parse(given).is_ok_and(|url| url.scheme() == "https" && url.has_host());
    ValidationError::require(
        secure && given.len() <= MAX_URL,
        "logo",
        "The picture must be an https address of at most 2048 bytes",
    )?;
    Ok(Some(given.to_owned()))
}

/// What a generated picture is drawn from.
pub(super) fn seed(given: &str) -> Result<String, ValidationError> {
    let message = "The seed must have 1 to 100 characters";
    ValidationError::require(is_name(given), "seed", message)?;
    Ok(given.to_owned())
}

fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

/// Checks a chosen password: only its length matters.
pub(super) fn new_password(
    password: &SecretString,
    field: &'static str,
) -> Result<(), ValidationError> {
    let is_long = password.expose_secret().chars().count() >= MIN_PASSWORD;
    ValidationError::require(
        is_long && may_be_a_password(password),
        field,
        "The password must have at least 8 characters and at most 1024 bytes",
    )
}

/// Checks an installation, its organization's name, its owner's address and password, and its plan; the password is not
/// kept.
pub(super) fn admit(
    organization: &str,
    email: &str,
    password: &SecretString,
    plan: &str,
) -> Result<Draft, ValidationError> {
    let name = organization.trim();
    ValidationError::require(
        (1..=MAX_NAME).contains(&name.chars().count()),
        "organization",
        "The organization's name must have 1 to 100 characters",
    )?;
    let email = address(email)?;
    let message = "The password must have 1 to 1024 bytes";
    ValidationError::require(may_be_a_password(password), "password", message)?;
    Ok(Draft {
        name: name.to_owned(),
        slug: slug(name),
        plan: plan.to_owned(),
        email,
    })
}

/// Whether a text may be a password at all.
pub(super) fn may_be_a_password(password: &SecretString) -> bool {
    (1..=MAX_PASSWORD).contains(&password.expose_secret().len())
}

/// The account's address as it is stored: trimmed, lower case. `None` for what is no address.
pub(super) fn account(email: &str) -> Option<String> {
    let email = email.trim();
    if email.len() > MAX_EMAIL || email.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    let (name, host) = email.rsplit_once('@')?;
    (!name.is_empty() && !host.is_empty()).then(|| email.to_lowercase())
}

/// A name for URLs: lower-case ASCII letters and digits, anything else one hyphen; short enough for something behind it.
pub(super) fn slug(name: &str) -> String {
    slug::from_name(name, MAX_SLUG - 10, "organization")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn install(organization: &str, email: &str, password: &str) -> Result<Draft, ValidationError> {
        admit(organization, email, &password.into(), "free")
    }

    #[test]
    fn the_defaults_are_acceptable() {
        let draft = install("Default", "Admin@localhost", "x").unwrap();
        assert_eq!(draft.email, "admin@localhost");
        assert_eq!(draft.slug, "default");
    }

    #[test]
    fn each_field_is_refused_by_name() {
        let long = "x".repeat(1025);
        for (install, field) in [
            (install(" ", "a@b", "x"), "organization"),
            (install(&long, "a@b", "x"), "organization"),
            (install("o", "a", "x"), "email"),
            (install("o", "a b@c", "x"), "email"),
            (install("o", "@c", "x"), "email"),
            (install("o", "a@", "x"), "email"),
            (install("o", "a@b", ""), "password"),
            (install("o", "a@b", &long), "password"),
        ] {
            assert_eq!(install.unwrap_err().field, field);
        }
    }

    proptest! {
        #[test]
        fn slugs_are_safe_in_urls(name in ".*") {
            let slug = slug(&name);
            prop_assert!(!slug.is_empty());
            prop_assert!(!slug.starts_with('-') && !slug.ends_with('-'));
            prop_assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
        }

        #[test]
        fn accounts_read_back_as_themselves(
            email in r"[ \t]?[^\s\p{C}@]{1,30}@[^\s\p{C}@]{1,30}[ \t]?",
        ) {
            let stored = account(&email);
            prop_assert!(stored.is_some(), "{:?} is an address", email);
            let again = stored.as_deref().and_then(account);
            prop_assert_eq!(again, stored);
        }

        #[test]
        fn whatever_is_taken_as_an_account_reads_back_as_itself(email in ".*@.*") {
            if let Some(stored) = account(&email) {
                let again = account(&stored);
                prop_assert_eq!(again, Some(stored));
            }
        }
    }
}
