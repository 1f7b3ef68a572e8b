//! Why something that was sent is not stored.

use crate::events::named::named;

named! {
    /// A reason of the ledger. The numbers are of this process only; rows carry [`Reason::as_str`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Reason {
        Duplicate = "duplicate",
        Bot = "bot",
        OptedOut = "opted_out",
        ExcludedAddress = "excluded_ip",
        ExcludedCountry = "excluded_country",
        ExcludedPath = "excluded_path",
        ExcludedHost = "excluded_host",
        InvalidBody = "invalid_body",
        TooLarge = "too_large",
        UnsupportedEncoding = "unsupported_encoding",
        NoCredentials = "no_credentials",
        InvalidKey = "invalid_key",
        MissingScope = "missing_scope",
        UnknownWebsite = "unknown_website",
        NoOrganization = "no_organization",
        OriginMissing = "origin_missing",
        OriginNotAuthorized = "origin_not_authorized",
        AddressNotAuthorized = "ip_not_authorized",
        QuotaExceeded = "quota_exceeded",
        RateLimited = "rate_limited",
        Unavailable = "unavailable",
        InternalError = "internal_error",
    }
}

/// What several reasons have in common: a column of the balance each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Stored before under the same `eventId`.
    Duplicates,
    /// Answered with success and left out on purpose: bots, visitors who opted out, the website's exclusions.
    LeftOut,
    /// The sender has to change something.
    Refused,
    /// More than the limits allow.
    Limited,
    /// Our own trouble; the sender was told to come again.
    Failed,
}

impl Reason {
    /// Whether a row of this name may be a counter.
    pub fn is_one(name: &str) -> bool {
        Self::ALL.iter().any(|reason| reason.as_str() == name)
    }

    /// The column of the balance that it counts in.
    pub const fn group(self) -> Group {
        match self {
            Self::Duplicate => Group::Duplicates,
            Self::Bot
            | Self::OptedOut
            | Self::ExcludedAddress
            | Self::ExcludedCountry
            | Self::ExcludedPath
            | Self::ExcludedHost => Group::LeftOut,
            Self::InvalidBody
            | Self::TooLarge
            | Self::UnsupportedEncoding
            | Self::NoCredentials
            | Self::InvalidKey
            | Self::MissingScope
            | Self::UnknownWebsite
            | Self::NoOrganization
            | Self::OriginMissing
            | Self::OriginNotAuthorized
            | Self::AddressNotAuthorized => Group::Refused,
            Self::QuotaExceeded | Self::RateLimited => Group::Limited,
            Self::Unavailable | Self::InternalError => Group::Failed,
        }
    }
}
