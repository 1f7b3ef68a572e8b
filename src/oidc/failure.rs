//! Every way in which a sign-in at a provider can fail, and what to do about it.

/// What went wrong. No variant holds a token, a code or a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error(
        "The sign-in expired, or it began in another browser. Go back to the sign-in page and start again."
    )]
    NotStarted,
    #[error(
        "The answer came from another provider than the one you chose. Start again. If it happens again, tell an administrator: another provider answers at this return address."
    )]
    OtherIssuer,
    /// The provider said no, with this code.
    #[error(
        "The provider refused the sign-in (`{0}`). If you didn't cancel it, ask an administrator whether you may use this application at the provider."
    )]
    Refused(String),
    #[error(
        "The provider can't be reached: {0}. An administrator has to check `issuer` and whether this server can connect to it."
    )]
    Unreachable(String),
    /// The provider's answer is none; names which, and what is wrong with it.
    #[error(
        "The provider's {0} can't be used: {1}. An administrator has to check that `issuer` is the provider's address."
    )]
    BadAnswer(&'static str, String),
    #[error(
        "The provider calls itself `{0}`. An administrator has to set `issuer` to exactly this text, if it is the right provider."
    )]
    IssuerDiffers(String),
    /// The token endpoint's error code.
    #[error(
        "The provider didn't accept this server (`{0}`). An administrator has to check `client_id`, `client_secret` and the return address at the provider."
    )]
    ClientRefused(String),
    #[error("The sign-in was already used or took too long. Go back and start again.")]
    CodeRefused,
    #[error("The provider's token isn't signed with one of its keys. Start again in a minute.")]
    BadSignature,
    #[error(
        "The provider's token uses the algorithm `{0}`. An administrator has to choose one with a public key, such as `RS256` or `ES256`."
    )]
    Algorithm(String),
    /// A claim of the token that isn't what it has to be.
    #[error(
        "The provider's token is for another sign-in: its `{0}` is wrong. Start again. If it happens again, an administrator has to check `client_id` and `issuer`."
    )]
    WrongClaim(&'static str),
    #[error(
        "The provider's token is expired or not valid yet. An administrator has to set the clocks of this server and the provider."
    )]
    Clock,
    #[error(
        "You are in more groups than the provider sends. An administrator has to limit the groups of this application at the provider, or use application roles."
    )]
    TooManyGroups,
}

impl Failure {
    /// Whether the provider, or the way to it, has to be mended rather than the request.
    pub fn is_upstream(&self) -> bool {
        match self {
            Self::Unreachable(_)
            | Self::BadAnswer(..)
            | Self::IssuerDiffers(_)
            | Self::ClientRefused(_)
            | Self::Algorithm(_) => true,
            Self::NotStarted
            | Self::OtherIssuer
            | Self::Refused(_)
            | Self::CodeRefused
            | Self::BadSignature
            | Self::WrongClaim(_)
            | Self::Clock
            | Self::TooManyGroups => false,
        }
    }

    /// A code of the provider, as far as it may be shown: letters, digits and `_`.
    pub fn code(given: &str) -> String {
        let plain = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
        let code: String = given.chars().filter(plain).take(64).collect();
        if code.is_empty() {
            return "unknown".to_owned();
        }
        code
    }
}
