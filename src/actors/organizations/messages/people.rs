//! Accounts and their sessions.

use std::sync::Arc;

use actix::Message;
use secrecy::SecretString;

use crate::{
    actors::organizations::{
        LiveSession, LostAccess, OrganizationError, Person, SecondFactors,
        repo::people::Credentials, rules,
    },
    ids::{SessionId, UserId},
    locale::Language,
};

/// Opens a session if the password is right, unless a second factor is due. Ten failures per account in 15 minutes, then
/// refusals; failures on a device on which the person has signed in before are counted by device.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignInOutcome, OrganizationError>")]
pub struct SignIn {
    /// The account; case does not matter.
    pub email: String,
    pub password: SecretString,
    /// The browser, to be shown in the list of sessions.
    pub user_agent: Option<String>,
    /// What the browser shows to be a known device.
    pub device: Option<SecretString>,
}

/// What a password opens.
#[derive(Debug)]
pub enum SignInOutcome {
    Session(SignedIn),
    /// Nothing yet: one of these is due. The token is good for ten minutes, together with it.
    Waits {
        token: SecretString,
        factors: SecondFactors,
    },
}

impl SignInOutcome {
    /// The session, unless a second factor is due.
    pub fn session(self) -> Option<SignedIn> {
        match self {
            Self::Session(signed_in) => Some(signed_in),
            Self::Waits { .. } => None,
        }
    }
}

/// A fresh session, or one with a fresh token.
#[derive(Debug)]
pub struct SignedIn {
    /// The value of the cookie; only its digest is stored.
    pub token: SecretString,
    pub session: Arc<LiveSession>,
    pub person: Arc<Person>,
}

/// Makes an account and signs it in. Refused unless sign-up is open or the person is invited.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub struct SignUp {
    pub name: String,
    /// The account's address; case does not matter.
    pub email: String,
    pub password: SecretString,
    /// The language of the person's emails, which the browser asks for.
    pub language: Option<Language>,
    /// The token of an invitation for this address, which is accepted.
    pub invitation: Option<SecretString>,
    /// The browser, to be shown in the list of sessions.
    pub user_agent: Option<String>,
}

/// Ends a session at once. One that is gone already is no error.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct SignOut {
    pub session: SessionId,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct EndSessions {
    pub user: UserId,
    pub which: SessionChoice,
}

/// A choice of a person's sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChoice {
    /// This one, which has to be there.
    One(SessionId),
    /// All but this one.
    Others(SessionId),
    All,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<Arc<Person>, OrganizationError>")]
pub struct Rename {
    pub user: UserId,
    pub name: String,
}

/// Sets the language of a person's emails; `None` takes the choice back.
#[derive(Debug, Message)]
#[rtype(result = "Result<Arc<Person>, OrganizationError>")]
pub struct SetLanguage {
    pub user: UserId,
    pub language: Option<Language>,
}

/// Sets a new password. The session goes on under a new token; ten wrong passwords in 15 minutes, then refusals.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub struct ChangePassword {
    /// The session of the caller.
    pub session: SessionId,
    pub user: UserId,
    pub current: SecretString,
    pub new: SecretString,
    pub end_others: bool,
}

/// Removes an account with everything that is only the person's. Refused to the only owner of an organization.
#[derive(Debug, Message)]
#[rtype(result = "Result<LostAccess, OrganizationError>")]
pub struct DeleteAccount {
    pub user: UserId,
    pub password: SecretString,
}

/// A password was right: open the session. Comes from [`SignIn`]'s own work.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignInOutcome, OrganizationError>")]
pub(crate) struct OpenSession {
    pub(crate) known: Credentials,
    /// The same password under today's cost, when it was stored under a lower one.
    pub(crate) rehashed: Option<String>,
    pub(crate) user_agent: Option<String>,
}

/// The new account's password is hashed: store it. Comes from [`SignUp`]'s own work.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub(crate) struct StoreAccount {
    pub(crate) account: rules::Account,
    pub(crate) language: Option<Language>,
    pub(crate) invitation: Option<SecretString>,
    pub(crate) password_hash: String,
    pub(crate) user_agent: Option<String>,
}

/// The old password was right and the new one is hashed: store it. Comes from [`ChangePassword`]'s own work.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub(crate) struct StorePassword {
    pub(crate) session: SessionId,
    pub(crate) known: Credentials,
    pub(crate) password_hash: String,
    pub(crate) end_others: bool,
}

/// The password was right: remove the account. Comes from [`DeleteAccount`]'s own work.
#[derive(Debug, Message)]
#[rtype(result = "Result<LostAccess, OrganizationError>")]
pub(crate) struct RemoveAccount {
    pub(crate) known: Credentials,
}
