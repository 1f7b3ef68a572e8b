//! Forgotten passwords.

use actix::Message;
use secrecy::SecretString;

use crate::{
    actors::{digest::Digest, organizations::OrganizationError},
    ids::UserId,
    locale::Language,
};

/// Sends a link for a new password to an account's address, if there is such an account. The answer is the same if
/// there is none. Refused where no mail is sent.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct ForgotPassword {
    /// The account; case does not matter.
    pub email: String,
    /// `{base_url}`, below which the link lies.
    pub base_url: String,
    /// The language of the browser, for people who have not chosen one.
    pub language: Language,
}

/// Sets a new password by the token of a link. All sessions end.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct ResetPassword {
    /// What the link ends in.
    pub token: SecretString,
    pub password: SecretString,
}

/// The new password is hashed: store it. Comes from [`ResetPassword`]'s own work.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub(crate) struct StoreReset {
    pub(crate) token: Digest,
    pub(crate) user: UserId,
    pub(crate) password_hash: String,
}
