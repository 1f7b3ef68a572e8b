//! Why something that was sent is not stored.

/// A reason of the ledger. The numbers are of this process only; rows carry [`Reason::as_str`].
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Reason {
    Duplicate,
    Bot,
    OptedOut,
    #[strum(serialize = "excluded_ip")]
    ExcludedAddress,
    ExcludedCountry,
    ExcludedPath,
    ExcludedHost,
    InvalidBody,
    TooLarge,
    UnsupportedEncoding,
    NoCredentials,
    InvalidKey,
    MissingScope,
    UnknownWebsite,
    NoOrganization,
    OriginMissing,
    OriginNotAuthorized,
    #[strum(serialize = "ip_not_authorized")]
    AddressNotAuthorized,
    QuotaExceeded,
    RateLimited,
    Unavailable,
    InternalError,
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
    /// Our own failure; the sender was asked to retry.
    Failed,
}

impl Reason {
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As it is stored.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
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
