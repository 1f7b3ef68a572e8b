//! Second factors.

use actix::Message;
use secrecy::SecretString;

use super::SignedIn;
use crate::{
    actors::organizations::{OrganizationError, repo::people::Credentials},
    ids::{SessionId, UserId},
};

/// What becomes of a person's second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactorChange {
    /// A new app with new backup codes, which counts once its first code was right. Refused where there is one that counts.
    Enable,
    /// There is none any more, and no backup codes. None before it is no error.
    Disable,
    /// It stays, and is shown to a further app.
    Reveal,
    /// It stays, with new backup codes in place of all the others.
    NewCodes,
}

/// Changes a person's second factor. Ten wrong passwords in 15 minutes, then refusals.
#[derive(Debug, Message)]
#[rtype(result = "Result<FactorSecrets, OrganizationError>")]
pub struct ManageFactor {
    pub user: UserId,
    pub password: SecretString,
    /// What the app calls this installation.
    pub issuer: String,
    pub change: FactorChange,
}

/// What is shown once.
#[derive(Debug, Default)]
pub struct FactorSecrets {
    /// What an app reads, as a picture or typed: `otpauth://totp/…`.
    pub uri: Option<SecretString>,
    /// Backup codes, each good once.
    pub codes: Vec<SecretString>,
}

/// Proves that one has the second factor. Ten wrong codes of a person in 15 minutes, then refusals.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub struct ProveFactor {
    pub claim: Claim,
    pub code: Code,
    /// The browser, to be shown in the list of sessions.
    pub user_agent: Option<String>,
}

/// Who says that they have a second factor.
#[derive(Debug)]
pub enum Claim {
    /// The token of [`SignInOutcome::Waits`](super::SignInOutcome), after a right password.
    Waiting(SecretString),
    /// This session, which goes on under a new token. The first code turns a new factor on.
    Session(SessionId),
}

#[derive(Debug)]
pub enum Code {
    App(SecretString),
    Backup(SecretString),
}

/// The password was right: change the factor. Comes from [`ManageFactor`]'s own work.
#[derive(Debug, Message)]
#[rtype(result = "Result<FactorSecrets, OrganizationError>")]
pub(crate) struct ChangeFactor {
    pub(crate) known: Credentials,
    pub(crate) issuer: String,
    pub(crate) change: FactorChange,
}

/// The attempt is counted: spend the code. Comes from [`ProveFactor`]'s own work.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub(crate) struct SpendCode(pub(crate) ProveFactor);
