//! Which account a person gets who signs in for the first time.

use std::sync::Arc;

use crate::{
    access::plans::Plans,
    actors::{
        error::write_error,
        organizations::{
            OrganizationError, OrganizationsView, Person, SecondFactors, SignInWithProvider, repo,
            rules, tenants::joining,
        },
    },
    clock::from_ms,
    entities::user,
    ids::UserId,
    oidc::{CreateAccounts, trusts},
    store::state::Write,
};

/// A person without a link.
pub(super) struct Applicant {
    /// As accounts are stored.
    pub(super) email: String,
    pub(super) name: Option<String>,
    /// Whether the provider says that the address is the person's.
    pub(super) is_verified: bool,
    /// Whether the operator trusts the provider for the address.
    pub(super) is_trusted: bool,
    pub(super) create: CreateAccounts,
}

impl Applicant {
    pub(super) fn new(message: &SignInWithProvider) -> Result<Self, OrganizationError> {
        let identity = &message.proven.identity;
        let email = identity.email.as_deref().and_then(rules::account);
        let email = email.ok_or(OrganizationError::NoAddress)?;
        Ok(Self {
            is_trusted: trusts(&message.email_domains, &email),
            email,
            name: identity.name.clone(),
            is_verified: identity.email_verified,
            create: message.create,
        })
    }

    /// The account with the person's address, if it may be linked without its password.
    pub(super) fn admit_owner(&self, person: &Arc<Person>) -> Result<Person, OrganizationError> {
        if !self.is_verified {
            return Err(OrganizationError::AddressNotVerified);
        }
        if !self.is_trusted || !person.email_verified {
            return Err(OrganizationError::LinkFirst);
        }
        Ok(Person::clone(person))
    }
}

/// Makes an account without a password, and accepts the invitations of its address.
pub(super) async fn create(
    write: &Write,
    (view, plans): (&OrganizationsView, &Plans),
    applicant: &Applicant,
    now_ms: i64,
) -> Result<Person, OrganizationError> {
    if applicant.create == CreateAccounts::Never {
        return Err(OrganizationError::NoAccount);
    }
    if !applicant.is_verified {
        return Err(OrganizationError::AddressNotVerified);
    }
    if applicant.create == CreateAccounts::VerifiedEmail && !applicant.is_trusted {
        return Err(OrganizationError::OtherDomain);
    }
    let email = &applicant.email;
    let open = repo::invitations::open_for(&**write, email, now_ms).await?;
    let usable = open.into_iter().filter(|one| {
        view.organization(one.organization.as_str()).is_some() && view.may_still_grant(one)
    });
    let invitations: Vec<_> = usable.collect();
    if applicant.create == CreateAccounts::Invited && invitations.is_empty() {
        return Err(OrganizationError::NoAccount);
    }
    let mut person = insert_account(write, email, applicant.name.clone(), now_ms).await?;
    for invitation in invitations {
        // A second invitation to the same organization stays open.
        if person.role_in(invitation.organization.as_str()).is_some() {
            continue;
        }
        let found = joining::join(write, (view, plans), invitation, &person.id, now_ms).await?;
        person.memberships.push(found.membership());
    }
    Ok(person)
}

/// Stores an account without a password and without memberships, whose address is known to be the person's.
pub(crate) async fn insert_account(
    write: &Write,
    email: &str,
    name: Option<String>,
    now_ms: i64,
) -> Result<Person, OrganizationError> {
    let called = email.split('@').next().unwrap_or_default();
    let row = user::Model {
        id: UserId::new().to_string(),
        email: email.to_owned(),
        name: name.unwrap_or_else(|| called.to_owned()),
        password_hash: String::new(),
        email_verified: true,
        password_changed_at: None,
        language: None,
        break_glass: false,
        created_at: from_ms(now_ms),
        updated_at: from_ms(now_ms),
    };
    let stored = repo::people::insert(&**write, row.clone()).await;
    stored.map_err(|error| write_error(error, OrganizationError::LinkFirst))?;
    Ok(repo::people::person(
        row,
        Vec::new(),
        SecondFactors::default(),
    ))
}
